package client_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// M-CCH-03, M-CCH-04, M-CCH-05: an answer is fresh for its time; then the next
// use, and nothing else, asks again.
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

// M-DSC-01.
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
