package client_test

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// A still clock moves when a test moves it.
type still struct {
	mu  sync.Mutex
	now time.Time
}

func newStill() *still { return &still{now: time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)} }

func (s *still) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *still) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// caching is an option for a cache of its own with a clock.
func caching(now *still, opts ...responsecache.Option) client.Option {
	return client.WithResponseCache(responsecache.New(now.Now, opts...))
}

// kept are the results that a server lets keep for a minute. Each has ${n}, the
// number of requests of its method, where the program can see it.
func kept(hints string) fault.Script {
	answer := func(member string) []fault.Answer {
		return []fault.Answer{{fault.Result(`{"resultType":"complete",` + member + `,` + hints + `}`)}}
	}
	return fault.Dual().With(fault.Script{
		protocol.MethodDiscover:              answer(`"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"${n}"`),
		protocol.MethodListTools:             answer(`"tools":[{"name":"${n}","inputSchema":{"type":"object"}}]`),
		protocol.MethodListPrompts:           answer(`"prompts":[{"name":"${n}"}]`),
		protocol.MethodListResources:         answer(`"resources":[{"uri":"a:b","name":"${n}"}]`),
		protocol.MethodListResourceTemplates: answer(`"resourceTemplates":[{"uriTemplate":"a:{b}","name":"${n}"}]`),
		protocol.MethodReadResource:          answer(`"contents":[{"uri":"a:b","text":"${n}"}]`),
		protocol.MethodGetPrompt:             answer(`"description":"${n}","messages":[]`),
		protocol.MethodComplete:              answer(`"completion":{"values":["${n}"]}`),
	})
}

const aMinute = `"ttlMs":60000,"cacheScope":"private"`

// asking are the calls with results that may be kept, and two more. Each
// returns the ${n} of the answer.
var asking = map[string]func(context.Context, *client.Client, ...client.CallOption) (string, error){
	protocol.MethodListTools: func(ctx context.Context, c *client.Client, opts ...client.CallOption) (string, error) {
		r, err := c.ListTools(ctx, opts...)
		if err != nil {
			return "", err
		}
		return r.Tools.Items[0].Name, nil
	},
	protocol.MethodListPrompts: func(ctx context.Context, c *client.Client, opts ...client.CallOption) (string, error) {
		r, err := c.ListPrompts(ctx, opts...)
		if err != nil {
			return "", err
		}
		return r.Prompts.Items[0].Name, nil
	},
	protocol.MethodListResources: func(ctx context.Context, c *client.Client, opts ...client.CallOption) (string, error) {
		r, err := c.ListResources(ctx, opts...)
		if err != nil {
			return "", err
		}
		return r.Resources.Items[0].Name, nil
	},
	protocol.MethodListResourceTemplates: func(ctx context.Context, c *client.Client, opts ...client.CallOption) (string, error) {
		r, err := c.ListResourceTemplates(ctx, opts...)
		if err != nil {
			return "", err
		}
		return r.ResourceTemplates.Items[0].Name, nil
	},
	protocol.MethodReadResource: func(ctx context.Context, c *client.Client, opts ...client.CallOption) (string, error) {
		return read(ctx, c, "a:b", opts...)
	},
}

var askingOther = map[string]func(context.Context, *client.Client, ...client.CallOption) (string, error){
	protocol.MethodGetPrompt: func(ctx context.Context, c *client.Client, opts ...client.CallOption) (string, error) {
		r, err := c.GetPrompt(ctx, "p", nil, opts...)
		if err != nil {
			return "", err
		}
		return r.Description, nil
	},
	protocol.MethodComplete: func(ctx context.Context, c *client.Client, opts ...client.CallOption) (string, error) {
		r, err := c.Complete(ctx, protocol.PromptRef("p"), "a", "", nil, opts...)
		if err != nil {
			return "", err
		}
		return r.Values[0], nil
	},
}

func read(ctx context.Context, c *client.Client, uri string, opts ...client.CallOption) (string, error) {
	r, err := c.ReadResource(ctx, uri, opts...)
	if err != nil {
		return "", err
	}
	return r.Contents.Items[0].Text, nil
}

// want fails the test unless a call gave the n-th answer of its method.
func want(t *testing.T, why, n, got string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", why, err)
	}
	if got != n {
		t.Errorf("%s: got answer %s, want %s", why, got, n)
	}
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
