package client_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// telling is a legacy server that tells of changes, on its own stream over HTTP.
// Its answers to resources/subscribe come one after another.
func telling(subscribes ...fault.Answer) fault.Script {
	if len(subscribes) == 0 {
		subscribes = []fault.Answer{{fault.Result(`{}`)}}
	}
	return fault.Legacy("2025-11-25").With(fault.Script{
		protocol.MethodInitialize: {{fault.Result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},` +
			`"prompts":{},"resources":{"listChanged":true,"subscribe":true}},"serverInfo":{"name":"a","version":"1"}}`)}},
		protocol.MethodSubscribe:   subscribes,
		protocol.MethodUnsubscribe: {{fault.Result(`{}`)}},
		fault.GET:                  {{fault.Stream(), fault.Raw(":\n\n"), fault.Silence()}},
	})
}

// L-SUB-01, B-CAP-01: lists are told of unasked where that was declared,
// resources are subscribed to, and what is granted says so.
func TestALegacySubscriptionIsWhatTheServerDeclared(t *testing.T) {
	overBoth(t, telling(fault.Answer{fault.Result(`{}`)}, fault.Answer{fault.Error(-32602, "no such resource")}), func(t *testing.T, s *scripted) {
		c := s.connected(t)
		filter := everyList
		filter.ResourceSubscriptions = []string{"a:1", "a:2"}
		for change, err := range c.Subscribe(t.Context(), filter) {
			if err != nil {
				t.Fatal(err)
			}
			want := client.Change{Kind: client.Acknowledged, Granted: protocol.SubscriptionFilter{
				ToolsListChanged: true, ResourcesListChanged: true, ResourceSubscriptions: []string{"a:1"},
			}}
			if diff := cmp.Diff(want, change); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			break
		}
		s.await(t, protocol.MethodUnsubscribe, 1)
		if n := s.Count(protocol.MethodSubscribe); n != 2 {
			t.Errorf("subscribed %d times", n)
		}
	})
}

// The server is told of a resource by the first who wants it, and by the last
// who does not any more.
func TestTheLastReaderUnsubscribes(t *testing.T) {
	overBoth(t, telling(), func(t *testing.T, s *scripted) {
		c := s.connected(t)
		filter := protocol.SubscriptionFilter{ResourceSubscriptions: []string{"a:1"}}
		for range c.Subscribe(t.Context(), filter) {
			for range c.Subscribe(t.Context(), filter) {
				break
			}
			if err := c.Ping(t.Context()); err != nil {
				t.Error(err)
			}
			if n := s.Count(protocol.MethodUnsubscribe); n != 0 {
				t.Errorf("unsubscribed %d times while someone reads", n)
			}
			break
		}
		if got := member(t, s.await(t, protocol.MethodUnsubscribe, 1).Body, "params", "uri"); got != `"a:1"` {
			t.Errorf("unsubscribed from %s", got)
		}
		if n := s.Count(protocol.MethodSubscribe); n != 1 {
			t.Errorf("subscribed %d times", n)
		}
	})
}

// Whoever comes as the last one leaves is heard after that: the server never
// ends with less than what is wanted.
func TestLeavingAndComingKeepTheirOrder(t *testing.T) {
	overBoth(t, telling(), func(t *testing.T, s *scripted) {
		c := s.connected(t)
		filter := protocol.SubscriptionFilter{ResourceSubscriptions: []string{"a:1"}}
		for range 20 {
			for range c.Subscribe(t.Context(), filter) {
				break
			}
		}
		for range c.Subscribe(t.Context(), filter) {
			last := ""
			for _, r := range s.Records() {
				if r.Key == protocol.MethodSubscribe || r.Key == protocol.MethodUnsubscribe {
					last = r.Key
				}
			}
			if last != protocol.MethodSubscribe {
				t.Errorf("the server heard %s last", last)
			}
			break
		}
	})
}

// A resource that one reader was refused is not granted to the next unasked.
func TestARefusalIsForOneReader(t *testing.T) {
	s := overHTTP(t, telling(fault.Answer{fault.Error(-32602, "not yet")}, fault.Answer{fault.Result(`{}`)}))
	c := s.connected(t)
	filter := protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:1"}}
	for first, err := range c.Subscribe(t.Context(), filter) {
		if err != nil || len(first.Granted.ResourceSubscriptions) != 0 {
			t.Errorf("the first: %+v, %v", first, err)
		}
		for second, err := range c.Subscribe(t.Context(), filter) {
			if err != nil || len(second.Granted.ResourceSubscriptions) != 1 {
				t.Errorf("the second: %+v, %v", second, err)
			}
			break
		}
		break
	}
	if n := s.Count(protocol.MethodSubscribe); n != 2 {
		t.Errorf("subscribed %d times", n)
	}
}

// A server that can't be asked ends the subscription; what was begun is undone.
func TestALegacySubscriptionThatFailsIsUndone(t *testing.T) {
	s := overHTTP(t, telling(fault.Answer{fault.Result(`{}`)}, fault.Answer{fault.Status(401)}))
	c := s.connected(t)
	_, err := follow(t, c, protocol.SubscriptionFilter{ResourceSubscriptions: []string{"a:1", "a:2"}}, -1)
	if err == nil || errors.Is(err, client.ErrNoSubscriptions) {
		t.Errorf("the end is %v", err)
	}
	if got := member(t, s.await(t, protocol.MethodUnsubscribe, 1).Body, "params", "uri"); got != `"a:1"` {
		t.Errorf("unsubscribed from %s", got)
	}
}

// Each reader hears of what it asked for, and the context ends it.
func TestLegacyReadersHearWhatTheyAskedFor(t *testing.T) {
	note := func(method, params string) fault.Step {
		return fault.Message(`{"jsonrpc":"2.0","method":"notifications/` + method + `","params":` + params + `}`)
	}
	tells := []fault.Step{
		note("prompts/list_changed", `{}`), note("resources/updated", `{"uri":"a:2"}`), note("resources/updated", `{}`),
		note("tools/list_changed", `{}`), note("resources/updated", `{"uri":"a:1"}`),
	}
	script := telling().With(fault.Script{protocol.MethodCallTool: {append(append(fault.Answer{fault.Stream()}, tells...), fault.Content("done"))}})
	overBoth(t, script, func(t *testing.T, s *scripted) {
		c := s.connected(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var got []string
		for change, err := range c.Subscribe(ctx, protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:1"}}) {
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the end is %v", err)
				}
				break
			}
			got = append(got, string(change.Kind)+" "+change.URI)
			switch len(got) {
			case 1:
				if _, err := c.CallTool(ctx, "echo", nil); err != nil {
					t.Error(err)
				}
			case 3:
				cancel()
			}
		}
		if diff := cmp.Diff([]string{"acknowledged ", "tools ", "resource a:1"}, got); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		s.await(t, protocol.MethodUnsubscribe, 1)
	})
}
