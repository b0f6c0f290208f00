package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

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

// L-PAG-05: a legacy server has no hints to give; what looks like one means
// nothing. So nothing of a session, cursors neither, is there in another.
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
