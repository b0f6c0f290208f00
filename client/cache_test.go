package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
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

// M-CCH-03, M-CCH-04.
func TestFreshAnswersAreGivenOut(t *testing.T) {
	overBoth(t, kept(aMinute), func(t *testing.T, s *scripted) {
		now := newStill()
		c := s.connected(t, caching(now))
		for method, ask := range asking {
			start := now.Now()
			got, err := ask(t.Context(), c)
			want(t, method, "1", got, err)
			now.advance(time.Minute - 1)
			got, err = ask(t.Context(), c)
			want(t, method+", a nanosecond before its end", "1", got, err)
			now.advance(1)
			got, err = ask(t.Context(), c)
			want(t, method+", at its end", "2", got, err)
			if n := s.Count(method); n != 2 {
				t.Errorf("%s was sent %d times in %v, want twice", method, n, now.Now().Sub(start))
			}
		}
		for method, ask := range askingOther {
			for _, n := range []string{"1", "2"} {
				got, err := ask(t.Context(), c)
				want(t, method+", which is never kept", n, got, err)
			}
		}
	})
}

func TestAFreshDiscoverResultSavesTheRoundTrip(t *testing.T) {
	overBoth(t, kept(aMinute), func(t *testing.T, s *scripted) {
		now := newStill()
		cache := caching(now)
		for _, tc := range []struct {
			why          string
			pass         time.Duration
			instructions string
			trips        int
		}{
			{"the first", 0, "1", 1},
			{"while it is fresh", time.Minute - 1, "1", 0},
			{"when it is not", 1, "2", 1},
		} {
			now.advance(tc.pass)
			c := s.connected(t, cache)
			if got := c.Instructions(); got != tc.instructions || c.Negotiation().RoundTrips != tc.trips || c.Era() != negotiation.EraModern {
				t.Errorf("%s: %s server with instructions %q after %d round trips, want %q after %d",
					tc.why, c.Era(), got, c.Negotiation().RoundTrips, tc.instructions, tc.trips)
			}
		}
		s.remember(t, negotiation.EraLegacy, "2025-11-25")
		if c := s.connected(t, cache); c.Era() != negotiation.EraLegacy {
			t.Errorf("a DiscoverResult is no verdict, yet the era is %s", c.Era())
		}
	})
}

func TestADiscoverResultThatCameLateIsKept(t *testing.T) {
	s := overStdio(t, kept(aMinute).With(fault.Script{
		protocol.MethodDiscover: {{fault.After(protocol.MethodInitialize),
			fault.Result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"late",` + aMinute + `}`)}},
		protocol.MethodInitialize: {{fault.Answered(protocol.MethodDiscover), fault.Error(-32601, "method not found")}},
	}))
	cache := caching(newStill())
	s.connected(t, cache, client.WithProbeTimeout(time.Millisecond))
	c := s.connected(t, cache)
	if c.Instructions() != "late" || c.Negotiation().RoundTrips != 0 {
		t.Errorf("instructions %q after %d round trips", c.Instructions(), c.Negotiation().RoundTrips)
	}
}

func TestARefutedVersionForgetsTheDiscoverResult(t *testing.T) {
	s := overHTTP(t, kept(aMinute).With(fault.Script{
		protocol.MethodGetPrompt: {{fault.Status(400), fault.Unsupported("2027-01-01")}},
	}))
	cache := caching(newStill())
	if _, err := askingOther[protocol.MethodGetPrompt](t.Context(), s.connected(t, cache)); err == nil {
		t.Fatal("the call was not refused")
	}
	if c := s.connected(t, cache); c.Instructions() != "2" {
		t.Errorf("the DiscoverResult is still number %s", c.Instructions())
	}
}

// M-CCH-01, M-CCH-09.
func TestPagesAreKeptOneByOne(t *testing.T) {
	page := func(next string, ttl int) fault.Answer {
		return fault.Answer{fault.Result(fmt.Sprintf(
			`{"tools":[{"name":"${n}","inputSchema":{"type":"object"}}],"ttlMs":%d%s}`, ttl, next))}
	}
	overBoth(t, kept(aMinute).With(fault.Script{protocol.MethodListTools: {
		page(`,"nextCursor":""`, 60_000), page(`,"nextCursor":"c"`, 1000), page(``, 60_000), page(`,"nextCursor":"c"`, 1000),
	}}), func(t *testing.T, s *scripted) {
		now := newStill()
		c := s.connected(t, caching(now))
		names := func() string {
			var names []string
			for tool, err := range c.Tools(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			return strings.Join(names, " ")
		}
		for _, want := range []string{"1 2 3", "1 2 3"} {
			if got := names(); got != want {
				t.Errorf("pages %s, want %s", got, want)
			}
		}
		now.advance(time.Second)
		if got := names(); got != "1 4 3" {
			t.Errorf("pages %s: the expired one is fetched again by its cursor, and no other", got)
		}
		var sent []string
		for _, r := range s.Records() {
			if r.Key == protocol.MethodListTools {
				_, cursor, _ := strings.Cut(r.Body, `"cursor":`)
				sent = append(sent, strings.TrimRight(cursor, "}"))
			}
		}
		if want := []string{``, `""`, `"c"`, `""`}; !slices.Equal(sent, want) {
			t.Errorf("cursors sent: %q, want %q", sent, want)
		}
	})
}

// M-CCH-01.
func TestOtherParametersAreOtherAnswers(t *testing.T) {
	overBoth(t, kept(aMinute), func(t *testing.T, s *scripted) {
		cache := caching(newStill())
		c := s.connected(t, cache)
		for _, tc := range []struct {
			why, n string
			client *client.Client
			uri    string
			opts   []client.CallOption
		}{
			{"the first", "1", c, "a:b", nil},
			{"the same", "1", c, "a:b", nil},
			{"another URI", "2", c, "a:B", nil},
			{"another member of _meta", "3", c, "a:b", []client.CallOption{client.Meta("com.example/lang", "no")}},
			{"the same _meta", "3", c, "a:b", []client.CallOption{client.Meta("com.example/lang", "no")}},
			{"another value in _meta", "4", c, "a:b", []client.CallOption{client.Meta("com.example/lang", "en")}},
			{"progress and logs do not change it", "1", c, "a:b", []client.CallOption{
				client.OnProgress(func(protocol.Progress) {}), client.Logs(protocol.LogInfo, func(protocol.LogMessage) {}),
			}},
			{"another client that is like this one", "1", s.connected(t, cache), "a:b", nil},
			{"other capabilities", "5", s.connected(t, cache, client.WithHandler(roots{})), "a:b", nil},
			{"another name", "6", s.connected(t, cache, client.WithClientInfo(protocol.Implementation{Name: "x", Version: "1"})), "a:b", nil},
		} {
			got, err := read(t.Context(), tc.client, tc.uri, tc.opts...)
			want(t, tc.why, tc.n, got, err)
		}
	})
}

type roots struct{}

func (roots) ListRoots(context.Context) ([]protocol.Root, error) { return nil, nil }

// M-CCH-07, B110.
func TestWhoSharesAnAnswer(t *testing.T) {
	alice, bob := mcphttp.WithHeader("Authorization", "Bearer a"), mcphttp.WithHeader("Authorization", "Bearer b")
	type client2 struct {
		query string
		opt   mcphttp.Option
	}
	for name, tc := range map[string]struct {
		other           client2
		private, public string // which answer the second client has
	}{
		"the same token":  {client2{"", alice}, "1", "1"},
		"another token":   {client2{"", bob}, "2", "1"},
		"no token":        {client2{"", mcphttp.WithRetries(0)}, "2", "1"},
		"another query":   {client2{"?tenant=2", alice}, "2", "2"},
		"another path":    {client2{"other", alice}, "2", "2"},
		"the same server": {client2{"#fragment", alice}, "1", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			for scope, n := range map[string]string{`"private"`: tc.private, `"public"`: tc.public, `"Public"`: tc.private} {
				srv := fault.NewHTTP(kept(`"ttlMs":60000,"cacheScope":` + scope))
				defer srv.Close()
				cache := caching(newStill())
				for i, who := range []client2{{"", alice}, tc.other} {
					c, err := client.Connect(t.Context(), httpTransport(t, srv.URL+who.query, who.opt),
						client.WithEraCache(erecache.New(time.Now)), cache)
					if err != nil {
						t.Fatal(err)
					}
					defer c.Close()
					got, err := read(t.Context(), c, "a:b")
					want(t, fmt.Sprintf("scope %s, client %d", scope, i+1), []string{"1", n}[i], got, err)
				}
			}
		})
	}
	t.Run("processes with other environments are other servers", func(t *testing.T) {
		srv := fault.NewStdio(kept(`"ttlMs":60000,"cacheScope":"public"`))
		defer srv.Close()
		cache := caching(newStill())
		for _, n := range []string{"1", "2"} {
			cmd := srv.Command()
			cmd.Env = append(cmd.Environ(), "ACCOUNT="+n)
			tr, err := stdio.New(cmd)
			if err != nil {
				t.Fatal(err)
			}
			c, err := client.Connect(t.Context(), tr, client.WithEraCache(erecache.New(time.Now)), cache)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			got, err := read(t.Context(), c, "a:b")
			want(t, "environment "+n, n, got, err)
		}
	})
}

// changing is a transport whose credentials change, or that tells nothing.
type changing struct {
	transport.Transport
	target func(transport.Target) transport.Target
}

func (c changing) Target() transport.Target { return c.target(c.Transport.Target()) }

func TestAnotherTokenIsAnotherCache(t *testing.T) {
	var mu sync.Mutex
	token := "first"
	setToken := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		token = s
	}
	s := overHTTP(t, kept(aMinute))
	c, err := client.Connect(t.Context(), changing{s.transport(t), func(target transport.Target) transport.Target {
		mu.Lock()
		defer mu.Unlock()
		target.Principal = token
		return target
	}}, s.options([]client.Option{caching(newStill()), client.WithTrace(func(e client.Event) {
		if e.Kind == client.Received && e.Method == protocol.MethodListPrompts {
			setToken("renewed on the way")
		}
	})})...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, step := range []struct{ token, n string }{{"first", "1"}, {"second", "2"}, {"first", "1"}} {
		setToken(step.token)
		got, err := read(t.Context(), c, "a:b")
		want(t, step.token, step.n, got, err)
	}
	for _, n := range []string{"1", "2"} { // whose answer it is can't be said
		setToken("first")
		got, err := asking[protocol.MethodListPrompts](t.Context(), c)
		want(t, "a token renewed on the way", n, got, err)
	}
}

func TestATransportThatNamesNoServerSharesNothing(t *testing.T) {
	s := overHTTP(t, kept(aMinute))
	c, err := client.Connect(t.Context(), changing{s.transport(t), func(transport.Target) transport.Target {
		return transport.Target{}
	}}, s.options([]client.Option{caching(newStill())})...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, n := range []string{"1", "2"} {
		got, err := read(t.Context(), c, "a:b")
		want(t, "no target", n, got, err)
	}
}

func TestCacheModes(t *testing.T) {
	overBoth(t, kept(aMinute), func(t *testing.T, s *scripted) {
		for method, ask := range asking {
			c := s.connected(t, caching(newStill()))
			before := s.Count(method)
			for i, step := range []struct {
				mode client.CacheMode
				n    int
			}{
				{client.CacheBypass, 1}, // leaves nothing behind
				{client.CacheUse, 2},
				{client.CacheUse, 2},
				{client.CacheBypass, 3},
				{client.CacheUse, 2},
				{client.CacheRefresh, 4},
				{client.CacheUse, 4},
			} {
				got, err := ask(t.Context(), c, client.Cache(step.mode))
				want(t, fmt.Sprintf("%s, step %d", method, i), fmt.Sprint(before+step.n), got, err)
			}
			if _, err := ask(t.Context(), c, client.Cache(3)); err == nil {
				t.Error("an unknown mode was taken")
			}
		}
	})
}

// M-CCH-08.
func TestNotificationsMakeAnswersStale(t *testing.T) {
	for name, tc := range map[string]struct {
		method, params string
		stale          []string
	}{
		"tools":                {protocol.MethodToolsListChanged, `{}`, []string{protocol.MethodListTools}},
		"prompts":              {protocol.MethodPromptsListChanged, `{}`, []string{protocol.MethodListPrompts}},
		"resources":            {protocol.MethodResourcesListChanged, `{}`, []string{protocol.MethodListResources, protocol.MethodListResourceTemplates}},
		"a resource":           {protocol.MethodResourceUpdated, `{"uri":"a:b"}`, []string{protocol.MethodReadResource}},
		"another resource":     {protocol.MethodResourceUpdated, `{"uri":"a:c"}`, nil},
		"a resource without a": {protocol.MethodResourceUpdated, `{}`, nil},
		"something else":       {"notifications/else", `{}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, kept(`"ttlMs":60000,"cacheScope":"public"`).With(fault.Script{protocol.MethodCallTool: {{
				fault.Stream(), fault.Message(`{"jsonrpc":"2.0","method":"` + tc.method + `","params":` + tc.params + `}`), fault.Content("changed"),
			}}}), func(t *testing.T, s *scripted) {
				cache := caching(newStill())
				c, other := s.connected(t, cache), s.connected(t, cache, client.WithHandler(roots{}))
				for method, ask := range asking {
					for i, c := range []*client.Client{c, other} {
						got, err := ask(t.Context(), c)
						want(t, method, fmt.Sprint(i+1), got, err)
					}
				}
				if _, err := c.CallTool(t.Context(), "change", nil); err != nil {
					t.Fatal(err)
				}
				for method, ask := range asking {
					for i, c := range []*client.Client{c, other} {
						n := i + 1
						if slices.Contains(tc.stale, method) {
							n += 2
						}
						got, err := ask(t.Context(), c)
						want(t, method+" after the change", fmt.Sprint(n), got, err)
					}
				}
			})
		})
	}
}

func TestAnAnswerThatAChangeOvertookIsNotKept(t *testing.T) {
	overBoth(t, kept(aMinute).With(fault.Script{protocol.MethodListTools: {{
		fault.Stream(), fault.Message(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`),
		fault.Result(`{"tools":[{"name":"${n}"}],"ttlMs":60000}`),
	}}}), func(t *testing.T, s *scripted) {
		c := s.connected(t, caching(newStill()))
		for _, n := range []string{"1", "2"} {
			got, err := asking[protocol.MethodListTools](t.Context(), c)
			want(t, "changed meanwhile", n, got, err)
		}
	})
}

// M-CCH-10.
func TestARefusedCursorDropsAllPages(t *testing.T) {
	first := func(cursor string) fault.Answer {
		return fault.Answer{fault.Result(`{"tools":[{"name":"${n}","inputSchema":{"type":"object"}}],"nextCursor":"` + cursor + `","ttlMs":60000}`)}
	}
	overBoth(t, kept(aMinute).With(fault.Script{protocol.MethodListTools: {
		first("old"), {fault.Error(-32602, "unknown cursor")}, first("new"),
	}}), func(t *testing.T, s *scripted) {
		c := s.connected(t, caching(newStill()))
		_, err := asking[protocol.MethodListPrompts](t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := asking[protocol.MethodListTools](t.Context(), c)
		want(t, "the first page", "1", got, err)
		if _, err := c.ListTools(t.Context(), client.Cursor("old")); err == nil {
			t.Fatal("the cursor was not refused")
		}
		got, err = asking[protocol.MethodListTools](t.Context(), c)
		want(t, "the first page again", "3", got, err)
		got, err = asking[protocol.MethodListPrompts](t.Context(), c)
		want(t, "another list", "1", got, err)
	})
}

func TestAResourceThatIsGoneIsForgotten(t *testing.T) {
	overBoth(t, kept(aMinute).With(fault.Script{protocol.MethodReadResource: {
		{fault.Result(`{"contents":[{"uri":"a:b","text":"${n}"}],"ttlMs":60000}`)}, {fault.Error(-32602, "no such resource")},
	}}), func(t *testing.T, s *scripted) {
		c := s.connected(t, caching(newStill()))
		got, err := read(t.Context(), c, "a:b")
		want(t, "while it is there", "1", got, err)
		for _, mode := range []client.CacheMode{client.CacheRefresh, client.CacheUse} {
			if _, err := read(t.Context(), c, "a:b", client.Cache(mode)); !errors.Is(err, client.ErrResourceNotFound) {
				t.Errorf("mode %d: %v", mode, err)
			}
		}
	})
}

// M-CCH-02.
func TestAnAnswerThatDependsOnInputIsNotKept(t *testing.T) {
	overBoth(t, kept(aMinute).With(fault.Script{protocol.MethodReadResource: {
		{fault.Result(`{"resultType":"input_required","requestState":"s",` + aMinute + `}`)},
		{fault.Result(`{"contents":[{"uri":"a:b","text":"${n}"}],` + aMinute + `}`)},
	}}), func(t *testing.T, s *scripted) {
		c := s.connected(t, caching(newStill()))
		for i, n := range []string{"2", "3", "3"} { // the second has one round and may be kept
			got, err := read(t.Context(), c, "a:b")
			want(t, fmt.Sprintf("read %d", i+1), n, got, err)
		}
	})
}

// A legacy server has no hints to give; what looks like one means nothing.
func TestLegacyAnswersAreNotKept(t *testing.T) {
	overBoth(t, kept(aMinute).With(fault.Script{
		protocol.MethodDiscover: {{fault.Error(-32601, "method not found")}},
	}), func(t *testing.T, s *scripted) {
		c := s.connected(t, caching(newStill()))
		if c.Era() != negotiation.EraLegacy {
			t.Fatalf("the era is %s", c.Era())
		}
		for method, ask := range asking {
			for _, n := range []string{"1", "2"} {
				got, err := ask(t.Context(), c)
				want(t, method, n, got, err)
			}
		}
	})
}

// M-CCH-06.
func TestStaleOnError(t *testing.T) {
	down := fault.Answer{fault.Status(503), fault.Raw("down")}
	const longer = time.Minute + time.Hour
	stale := client.WithStaleOnError(time.Hour)
	for name, tc := range map[string]struct {
		answer fault.Answer
		opts   []client.Option
		call   []client.CallOption
		age    time.Duration
		want   string // kind of the error; "" for the stale answer
	}{
		"an outage":              {down, []client.Option{stale}, nil, longer - 1, ""},
		"a lost connection":      {fault.Answer{fault.Reset()}, []client.Option{stale}, nil, longer - 1, ""},
		"a timeout":              {fault.Answer{fault.Silence()}, []client.Option{stale}, []client.CallOption{client.Timeout(10 * time.Millisecond)}, longer - 1, ""},
		"expired for too long":   {down, []client.Option{stale}, nil, longer, "unavailable 503 after 1"},
		"without the option":     {down, nil, nil, time.Minute, "unavailable 503 after 1"},
		"a refusal":              {fault.Answer{fault.Status(401)}, []client.Option{stale}, nil, time.Minute, "auth 401"},
		"another refusal":        {fault.Answer{fault.Status(403)}, []client.Option{stale}, nil, time.Minute, "auth 403"},
		"a server's error":       {fault.Answer{fault.Error(-32603, "oops")}, []client.Option{stale}, nil, time.Minute, "resources/read server error -32603"},
		"an answer of no kind":   {fault.Answer{fault.Raw("<html>")}, []client.Option{stale}, nil, time.Minute, "resources/read status 200"},
		"a call that refreshes":  {down, []client.Option{stale}, []client.CallOption{client.Cache(client.CacheRefresh)}, time.Minute, "unavailable 503 after 1"},
		"a call that bypasses":   {down, []client.Option{stale}, []client.CallOption{client.Cache(client.CacheBypass)}, time.Minute, "unavailable 503 after 1"},
		"while it is still good": {down, []client.Option{stale}, nil, time.Minute - 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, kept(aMinute).With(fault.Script{protocol.MethodReadResource: {
				{fault.Result(`{"contents":[{"uri":"a:b","text":"${n}"}],` + aMinute + `}`)}, tc.answer,
			}}), mcphttp.WithRetries(0))
			now := newStill()
			c := s.connected(t, append(tc.opts, caching(now))...)
			got, err := read(t.Context(), c, "a:b")
			want(t, "the first", "1", got, err)
			now.advance(tc.age)
			got, err = read(t.Context(), c, "a:b", tc.call...)
			if kindOf(err) != tc.want {
				t.Errorf("failed with %v, %q; want %q", err, kindOf(err), tc.want)
			}
			if tc.want == "" && got != "1" {
				t.Errorf("got answer %q", got)
			}
		})
	}
	t.Run("not after a change", func(t *testing.T) {
		s := overHTTP(t, kept(aMinute).With(fault.Script{
			protocol.MethodCallTool:     {{fault.Stream(), fault.Message(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`), fault.Content("")}},
			protocol.MethodReadResource: {{fault.Result(`{"contents":[{"uri":"a:b","text":"${n}"}],` + aMinute + `}`)}, down},
		}), mcphttp.WithRetries(0))
		c := s.connected(t, stale, caching(newStill()))
		if _, err := read(t.Context(), c, "a:b"); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "change", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t.Context(), c, "a:b"); !errors.Is(err, transport.ErrUnavailable) {
			t.Errorf("got %v: a changed resource was given out", err)
		}
	})
	t.Run("a caller that gave up gets its own error", func(t *testing.T) {
		s := overHTTP(t, kept(aMinute).With(fault.Script{protocol.MethodReadResource: {
			{fault.Result(`{"contents":[{"uri":"a:b","text":"${n}"}],` + aMinute + `}`)}, {fault.Silence()},
		}}))
		now := newStill()
		c := s.connected(t, stale, caching(now))
		if _, err := read(t.Context(), c, "a:b"); err != nil {
			t.Fatal(err)
		}
		now.advance(time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := read(ctx, c, "a:b"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("connecting too", func(t *testing.T) {
		s := overHTTP(t, kept(aMinute).With(fault.Script{protocol.MethodDiscover: {
			kept(aMinute)[protocol.MethodDiscover][0], down,
		}}), mcphttp.WithRetries(0))
		now := newStill()
		cache := caching(now)
		s.connected(t, cache)
		now.advance(longer - 1)
		if _, err := s.connect(t, cache); !errors.Is(err, transport.ErrUnavailable) {
			t.Errorf("without the option: %v", err)
		}
		c := s.connected(t, cache, stale)
		if n := c.Negotiation(); c.Instructions() != "1" || n.Verdict != "modern, remembered" || !n.FromCache || n.Row != "" {
			t.Errorf("instructions %q, negotiation %+v", c.Instructions(), n)
		}
		now.advance(1)
		if _, err := s.connect(t, cache, stale); !errors.Is(err, transport.ErrUnavailable) {
			t.Errorf("expired for too long: %v", err)
		}
	})
	if _, err := client.Connect(t.Context(), httpTransport(t, "http://127.0.0.1:1"), client.WithStaleOnError(0)); err == nil {
		t.Error("an age of zero was taken")
	}
}

// failing is a Store that fails, and one that holds what is no answer.
type failing struct {
	responsecache.Store
	err     error
	corrupt string
}

func (f failing) Load(ctx context.Context, key responsecache.Key) (responsecache.Entry, bool, error) {
	e, ok, _ := f.Store.Load(ctx, key)
	if f.corrupt != "" {
		e.Result = jsontext.Value(f.corrupt)
	}
	return e, ok && f.err == nil, f.err
}
func (f failing) Save(ctx context.Context, key responsecache.Key, e responsecache.Entry) error {
	return errors.Join(f.err, f.Store.Save(ctx, key, e))
}
func (f failing) Delete(context.Context, responsecache.Key) error { return f.err }
func (f failing) Drop(context.Context, responsecache.Topic) error { return f.err }

func TestAFailingStoreCostsRequestsOnly(t *testing.T) {
	for name, store := range map[string]failing{
		"that fails":                {err: errors.New("the disk is full")},
		"that holds no JSON":        {corrupt: `{"contents":[`},
		"that holds something else": {corrupt: `[]`},
		"that holds the wrong type": {corrupt: `{"contents":7,"tools":"x","prompts":{},"resources":1,"resourceTemplates":true,"supportedVersions":3}`},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, kept(aMinute).With(fault.Script{protocol.MethodCallTool: {{
				fault.Stream(), fault.Message(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`), fault.Content(""),
			}}}), func(t *testing.T, s *scripted) {
				store.Store = responsecache.NewMemory(0, 0)
				var log syncBuffer
				cache := caching(newStill(), responsecache.WithStore(store))
				for round := 1; round <= 3; round++ {
					c := s.connected(t, cache, client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
					if c.Instructions() != fmt.Sprint(round) {
						t.Errorf("connection %d has instructions %q", round, c.Instructions())
					}
					for method, ask := range asking {
						got, err := ask(t.Context(), c)
						want(t, method, fmt.Sprint(round), got, err)
					}
					if _, err := c.CallTool(t.Context(), "change", nil); err != nil {
						t.Fatal(err)
					}
					if err := c.Close(); err != nil {
						t.Error(err)
					}
				}
				if store.err != nil && !strings.Contains(log.String(), "the disk is full") {
					t.Error("nothing was logged")
				}
			})
		})
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

func TestWhatCannotBeReadIsNotKept(t *testing.T) {
	overBoth(t, kept(aMinute).With(fault.Script{protocol.MethodReadResource: {
		{fault.Result(`{"contents":7,` + aMinute + `}`)}, {fault.Result(`{"contents":[{"uri":"a:b","text":"${n}"}],` + aMinute + `}`)},
	}}), func(t *testing.T, s *scripted) {
		c := s.connected(t, caching(newStill()))
		if _, err := read(t.Context(), c, "a:b"); kindOf(err) != "resources/read unusable" {
			t.Errorf("got %v", err)
		}
		got, err := read(t.Context(), c, "a:b")
		want(t, "the next", "2", got, err)
	})
}

func TestCallersAndMiddlewareChangeOnlyTheirOwn(t *testing.T) {
	overBoth(t, kept(aMinute), func(t *testing.T, s *scripted) {
		cache := caching(newStill())
		seen := 0
		shouting := client.WithMiddleware(func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				seen++
				raw, err := next(ctx, call)
				if i := bytes.Index(raw, []byte(`"text":"1"`)); i >= 0 {
					raw[i+len(`"text":"`)] = '9' // in place
				}
				return raw, err
			}
		})
		loud, quiet := s.connected(t, cache, shouting), s.connected(t, cache)
		got, err := read(t.Context(), loud, "a:b")
		want(t, "through the middleware", "9", got, err)
		got, err = read(t.Context(), quiet, "a:b")
		want(t, "without it", "1", got, err)
		got, err = read(t.Context(), loud, "a:b")
		want(t, "through it, from the cache", "9", got, err)
		if seen != 2 {
			t.Errorf("the middleware saw %d calls, want both", seen)
		}
		first, err := quiet.ListTools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first.Tools.Items[0].Name = "spoilt"
		first.Tools.Items[0].InputSchema[0] = 'X'
		again, err := quiet.ListTools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if tool := again.Tools.Items[0]; tool.Name != "1" || string(tool.InputSchema) != `{"type":"object"}` {
			t.Errorf("one caller changed the answer of another: %+v", tool)
		}
	})
}

func TestMiddlewareThatAnswersInputIsNotKept(t *testing.T) {
	s := overHTTP(t, kept(aMinute))
	resuming := client.WithMiddleware(func(next client.Invoker) client.Invoker {
		return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
			call.Params = jsontext.Value(`{"uri":"a:b","requestState":"s"}`)
			return next(ctx, call)
		}
	})
	c := s.connected(t, caching(newStill()), resuming)
	for _, n := range []string{"1", "2"} {
		got, err := read(t.Context(), c, "a:b")
		want(t, "with a state", n, got, err)
	}
}

// Tools that come from the cache count as listed: their headers are mirrored,
// their output is checked.
func TestToolsFromTheCacheAreKnown(t *testing.T) {
	s := overHTTP(t, kept(aMinute).With(fault.Script{
		protocol.MethodListTools: {{fault.Result(`{"tools":[{"name":"t",
			"inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}},
			"outputSchema":{"type":"object","required":["sum"]}}],` + aMinute + `}`)}},
		protocol.MethodCallTool: {{fault.Result(`{"content":[],"structuredContent":{}}`)}},
	}))
	cache := caching(newStill())
	if _, err := s.connected(t, cache).ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := s.connected(t, cache)
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.Count(protocol.MethodListTools); n != 1 {
		t.Fatalf("the list was sent %d times: this test is about one from the cache", n)
	}
	_, err := c.CallTool(t.Context(), "t", map[string]string{"region": "eu"})
	if !errors.As(err, new(*client.OutputError)) {
		t.Errorf("the output was not checked: %v", err)
	}
	if got := s.await(t, protocol.MethodCallTool, 1).Header.Get("Mcp-Param-Region"); got != "eu" {
		t.Errorf("Mcp-Param-Region is %q", got)
	}
}

func TestAHeaderMismatchListsTheToolsAnew(t *testing.T) {
	list := func(header string) fault.Answer {
		return fault.Answer{fault.Result(`{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"` +
			header + `"}}}}],` + aMinute + `}`)}
	}
	s := overHTTP(t, kept(aMinute).With(fault.Script{
		protocol.MethodListTools: {list("Old"), list("New")},
		protocol.MethodCallTool:  {{fault.Status(400), fault.Error(-32020, "header mismatch")}, {fault.Content("done")}},
	}))
	c := s.connected(t, caching(newStill()))
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(t.Context(), "t", map[string]string{"region": "eu"}); err != nil {
		t.Fatal(err)
	}
	if got := s.await(t, protocol.MethodCallTool, 2).Header.Get("Mcp-Param-New"); got != "eu" {
		t.Errorf("Mcp-Param-New is %q: the old list came from the cache", got)
	}
}

func TestACallerThatGaveUpGetsNothing(t *testing.T) {
	overBoth(t, kept(aMinute), func(t *testing.T, s *scripted) {
		c := s.connected(t, caching(newStill()))
		if _, err := read(t.Context(), c, "a:b"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := read(ctx, c, "a:b"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// minding is a Store that does nothing for a context that has ended.
type minding struct{ responsecache.Store }

func (m minding) Load(ctx context.Context, key responsecache.Key) (responsecache.Entry, bool, error) {
	if ctx.Err() != nil {
		return responsecache.Entry{}, false, ctx.Err()
	}
	return m.Store.Load(ctx, key)
}

func TestAStaleAnswerStandsInAfterTheDeadline(t *testing.T) {
	s := overHTTP(t, kept(aMinute).With(fault.Script{protocol.MethodReadResource: {
		{fault.Result(`{"contents":[{"uri":"a:b","text":"${n}"}],` + aMinute + `}`)}, {fault.Silence()},
	}}))
	now := newStill()
	c := s.connected(t, client.WithStaleOnError(time.Hour),
		caching(now, responsecache.WithStore(minding{responsecache.NewMemory(0, 0)})))
	if _, err := read(t.Context(), c, "a:b"); err != nil {
		t.Fatal(err)
	}
	now.advance(time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	got, err := read(ctx, c, "a:b")
	want(t, "after the caller's deadline", "1", got, err)
}

func TestADiscoverResultOfOtherVersionsIsNotTaken(t *testing.T) {
	s := overHTTP(t, kept(aMinute))
	cache := caching(newStill(), responsecache.WithStore(failing{
		Store: responsecache.NewMemory(0, 0), corrupt: `{"supportedVersions":["2027-01-01"],"capabilities":{}}`,
	}))
	for _, n := range []string{"1", "2"} {
		if c := s.connected(t, cache); c.Instructions() != n {
			t.Errorf("instructions %q, want %q", c.Instructions(), n)
		}
	}
}

func TestClientsWithEqualExtensionsShare(t *testing.T) {
	s := overHTTP(t, kept(aMinute))
	var opts []client.Option
	for i := range 8 {
		opts = append(opts, client.WithExtension(fmt.Sprintf("com.example/e%d", i), map[string]int{"a": 1}))
	}
	opts = append(opts, caching(newStill()))
	for range 8 {
		got, err := read(t.Context(), s.connected(t, opts...), "a:b")
		want(t, "an equal client", "1", got, err)
	}
}

func TestAClosedClientGivesOutNothing(t *testing.T) {
	overBoth(t, kept(aMinute), func(t *testing.T, s *scripted) {
		c := s.connected(t, caching(newStill()))
		if _, err := read(t.Context(), c, "a:b"); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := read(t.Context(), c, "a:b"); !errors.Is(err, client.ErrClosed) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhichCacheAClientHas(t *testing.T) {
	mine := caching(newStill())
	for name, tc := range map[string]struct {
		opts []client.Option
		n    []string // the answers of two clients that ask twice each
	}{
		"the process's":                         {nil, []string{"1", "1", "1", "1"}},
		"none beside an era cache of one's own": {[]client.Option{client.WithEraCache(nil)}, []string{"1", "2", "3", "4"}},
		"one's own beside it, before":           {[]client.Option{mine, client.WithEraCache(nil)}, []string{"1", "1", "1", "1"}},
		"one's own beside it, after":            {[]client.Option{client.WithEraCache(nil), mine}, []string{"1", "1", "1", "1"}},
		"none":                                  {[]client.Option{client.WithResponseCache(nil)}, []string{"1", "2", "3", "4"}},
	} {
		t.Run(name, func(t *testing.T) {
			srv := fault.NewHTTP(kept(aMinute))
			defer srv.Close()
			var got []string
			for range 2 {
				c, err := client.Connect(t.Context(), httpTransport(t, srv.URL), tc.opts...)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				for range 2 {
					n, err := read(t.Context(), c, "a:b")
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, n)
				}
			}
			if !slices.Equal(got, tc.n) {
				t.Errorf("answers %v, want %v", got, tc.n)
			}
		})
	}
}

func TestTheTraceTellsOfTheCache(t *testing.T) {
	s := overHTTP(t, kept(aMinute).With(fault.Script{protocol.MethodListPrompts: {
		kept(aMinute)[protocol.MethodListPrompts][0], {fault.Status(503)},
	}}), mcphttp.WithRetries(0))
	now := newStill()
	var mu sync.Mutex
	var told []string
	c := s.connected(t, caching(now), client.WithStaleOnError(time.Hour), client.WithTrace(func(e client.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == client.Cached {
			told = append(told, e.String())
		}
	}))
	ask := asking[protocol.MethodListPrompts]
	for range 2 {
		if _, err := ask(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	now.advance(time.Minute)
	if _, err := ask(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	want := []string{"had a fresh answer to prompts/list", "had a stale answer to prompts/list"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
