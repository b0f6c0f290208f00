package client_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// noting is middleware that notes each call on its way there and back.
func noting(name string, notes *[]string) client.Option {
	var mu sync.Mutex
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		*notes = append(*notes, name+" "+text)
	}
	return client.WithMiddleware(func(next client.Invoker) client.Invoker {
		return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
			note(fmt.Sprintf("sends %s %s %s", call.Method, call.Name, call.Params))
			result, err := next(ctx, call)
			note(fmt.Sprintf("gets %.12s %v", result, err))
			return result, err
		}
	})
}

// B-TOL-04, B-TOL-06: the first middleware is the outermost; all rounds of a
// call are one to it.
func TestMiddlewareStandsAroundEachCall(t *testing.T) {
	s := overHTTP(t, modernCalls(inputRequired(`"s"`, "k", asksForm), fault.Answer{fault.Content("done")}).With(fault.Script{
		protocol.MethodReadResource: {{fault.Error(-32602, "none")}},
	}))
	var notes []string
	c := s.connected(t, noting("outer", &notes), noting("inner", &notes), client.WithHandler(accepts(nil)))
	if _, err := c.CallTool(t.Context(), "echo", map[string]int{"a": 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReadResource(t.Context(), "a:b"); !errors.Is(err, client.ErrResourceNotFound) {
		t.Fatal(err)
	}
	refused := fmt.Sprintf("gets null %v", mustFail(c.ReadResource(t.Context(), "a:b")))
	want := []string{
		`outer sends tools/call echo {"name":"echo","arguments":{"a":1}}`, `inner sends tools/call echo {"name":"echo","arguments":{"a":1}}`,
		`inner gets {"resultType <nil>`, `outer gets {"resultType <nil>`,
		`outer sends resources/read a:b {"uri":"a:b"}`, `inner sends resources/read a:b {"uri":"a:b"}`,
		`inner ` + refused, `outer ` + refused,
	}
	if diff := cmp.Diff(want, notes[:len(want)]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func mustFail[T any](_ T, err error) error { return err }

// B-TOL-04, B-PRO-02, B-CMP-02, B-LOG-02: middleware may change what is sent
// and what comes back, or answer itself.
func TestMiddlewareMayChangeACall(t *testing.T) {
	cause := errors.New("not today")
	for name, tc := range map[string]struct {
		change func(next client.Invoker) client.Invoker
		sent   string // the params' arguments; "" when nothing is sent
		check  func(*protocol.CallToolResult, error) bool
	}{
		"the params, line breaks and all": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				call.Params = jsontext.Value("{\n \"name\": \"other\",\n \"arguments\": {\"n\": 9007199254740993}\n}")
				return next(ctx, call)
			}
		}, `{"n":9007199254740993}`, func(r *protocol.CallToolResult, err error) bool { return err == nil && r.Text() == "done" }},
		"the result": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				_, err := next(ctx, call)
				return jsontext.Value(`{"content":[{"type":"text","text":"mine"}]}`), err
			}
		}, `{}`, func(r *protocol.CallToolResult, err error) bool { return err == nil && r.Text() == "mine" }},
		"the error": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				if _, err := next(ctx, call); err != nil {
					return nil, err
				}
				return nil, cause
			}
		}, `{}`, func(_ *protocol.CallToolResult, err error) bool { return errors.Is(err, cause) }},
		"all by itself": {func(client.Invoker) client.Invoker {
			return func(context.Context, client.Invocation) (jsontext.Value, error) { return jsontext.Value(`{}`), nil }
		}, "", func(r *protocol.CallToolResult, err error) bool { return err == nil && len(r.Content) == 0 }},
		"into what can't be sent": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				call.Params = nil
				return next(ctx, call)
			}
		}, "", func(_ *protocol.CallToolResult, err error) bool { return err != nil }},
		"into a list": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				call.Params = jsontext.Value(`[]`)
				return next(ctx, call)
			}
		}, "", func(_ *protocol.CallToolResult, err error) bool { return err != nil }},
		"the context": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				ctx, cancel := context.WithCancelCause(ctx)
				cancel(cause)
				return next(ctx, call)
			}
		}, "", func(_ *protocol.CallToolResult, err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fault.Modern(), func(t *testing.T, s *scripted) {
				c := s.connected(t, client.WithMiddleware(tc.change))
				if r, err := c.CallTool(t.Context(), "echo", nil); !tc.check(r, err) {
					t.Errorf("CallTool: %v, %v", r, err)
				}
				if tc.sent == "" {
					if n := s.Count(protocol.MethodCallTool); n != 0 {
						t.Errorf("%d requests", n)
					}
					return
				}
				if got := member(t, s.await(t, protocol.MethodCallTool, 1).Body, "params", "arguments"); got != tc.sent {
					t.Errorf("sent %s", got)
				}
			})
		})
	}
}

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
