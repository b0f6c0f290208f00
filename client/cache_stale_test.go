package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

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
