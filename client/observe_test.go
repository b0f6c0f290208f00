package client_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// WithIncoming sees notifications, and in the legacy era requests, before they
// are acted on.
func TestIncomingMessagesAreSeen(t *testing.T) {
	either(t, []fault.Step{
		fault.Message(`{"jsonrpc":"2.0","method":"vendor/note","params":{"n":1}}`),
		fault.Message(`{"jsonrpc":"2.0","id":"r","method":"ping"}`),
	}, func(t *testing.T, s *scripted) {
		var mu sync.Mutex
		var got []string
		c := s.connected(t, client.WithIncoming(func(m *protocol.Message) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, m.Method+" "+m.ID.String())
		}))
		if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if diff := cmp.Diff([]string{"vendor/note ", `ping "r"`}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// M-META-08: trace context is written under its three keys, in its format, into
// every request of the program, whatever its method.
func TestTraceContextTravelsInMeta(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
	for name, tc := range map[string]struct {
		given client.TraceContext
		want  map[string]string
	}{
		"all three":          {client.TraceContext{"traceparent": parent, "tracestate": "v=1", "baggage": "k=v"}, map[string]string{"traceparent": `"` + parent + `"`, "tracestate": `"v=1"`, "baggage": `"k=v"`}},
		"empty ones are not": {client.TraceContext{"traceparent": parent, "tracestate": "", "baggage": ""}, map[string]string{"traceparent": `"` + parent + `"`}},
		"other keys are not": {client.TraceContext{"traceparent": parent, "progressToken": "x", protocol.MetaProtocolVersion: "1", "X": "y"}, map[string]string{"traceparent": `"` + parent + `"`}},
		"baggage alone":      {client.TraceContext{"baggage": "k=v"}, map[string]string{"baggage": `"k=v"`}},
		"malformed":          {client.TraceContext{"traceparent": "mine", "tracestate": "v=1"}, map[string]string{}},
		"none":               {nil, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			either(t, nil, func(t *testing.T, s *scripted) {
				type key struct{}
				c := s.connected(t, client.WithTraceContext(func(ctx context.Context) client.TraceContext {
					if ctx.Value(key{}) == nil {
						return nil
					}
					return tc.given
				}))
				ctx := context.WithValue(t.Context(), key{}, true)
				if _, err := c.CallTool(ctx, "echo", nil); err != nil {
					t.Fatal(err)
				}
				if _, err := c.ListTools(ctx); err != nil {
					t.Fatal(err)
				}
				for _, method := range []string{protocol.MethodCallTool, protocol.MethodListTools} {
					body := s.await(t, method, 1).Body
					got := map[string]string{}
					for _, name := range []string{"traceparent", "tracestate", "baggage", "X"} {
						if value := member(t, body, "params", "_meta", name); value != "" {
							got[name] = value
						}
					}
					if diff := cmp.Diff(tc.want, got); diff != "" {
						t.Errorf("%s (-want +got):\n%s", method, diff)
					}
				}
			})
		})
	}
}

// B-META-05, B-META-06: a program's own keys have a prefix of its own.
func TestMetaKeys(t *testing.T) {
	for key, ok := range map[string]bool{
		"com.example/trace": true,
		"com.example/":      true,
		"example/a.b_c-d":   true,
		"plain":             true,
		"traceparent":       true,
		"io.modelcontextprotocol/protocolVersion": false,
		"dev.mcp/x":      false,
		"progressToken":  false,
		"":               false,
		"/x":             false,
		"1com/x":         false,
		"com.example/-x": false,
		"com example/x":  false,
		"com..example/x": false,
		"a/b/c":          false,
	} {
		t.Run(key, func(t *testing.T) {
			either(t, nil, func(t *testing.T, s *scripted) {
				_, err := s.connected(t).CallTool(t.Context(), "echo", nil, client.Meta(key, map[string]int{"n": 1}))
				if (err == nil) != ok {
					t.Errorf("CallTool: %v", err)
				}
				if n := s.Count(protocol.MethodCallTool); (n == 1) != ok {
					t.Errorf("%d requests", n)
				}
				if ok && member(t, s.await(t, protocol.MethodCallTool, 1).Body, "params", "_meta", key) != `{"n":1}` {
					t.Errorf("sent %s", s.await(t, protocol.MethodCallTool, 1).Body)
				}
			})
		})
	}
	c := overHTTP(t, fault.Modern()).connected(t)
	if _, err := c.CallTool(t.Context(), "echo", nil, client.Meta("a/b", func() {})); err == nil {
		t.Error("what can't be encoded is sent")
	}
}

// Every round and every retry carries the call's own _meta.
func TestEachLegCarriesTheCallsMeta(t *testing.T) {
	s := overHTTP(t, modernCalls(inputRequired(`"s"`), fault.Answer{fault.Content("done")}))
	if _, err := s.connected(t).CallTool(t.Context(), "echo", nil, client.Meta("com.example/k", 1)); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		body := s.await(t, protocol.MethodCallTool, n).Body
		if member(t, body, "params", "_meta", "com.example/k") != "1" || member(t, body, "params", "_meta", protocol.MetaProtocolVersion) != `"2026-07-28"` {
			t.Errorf("leg %d: %s", n, body)
		}
	}
}
