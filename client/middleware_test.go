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
		"into two of a name": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				call.Params = jsontext.Value(`{"name":"echo","arguments":{"a":1,"a":2}}`)
				return next(ctx, call)
			}
		}, "", func(_ *protocol.CallToolResult, err error) bool { return err != nil }},
		"into no tool": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				call.Params = jsontext.Value(`{"arguments":{}}`)
				return next(ctx, call)
			}
		}, "", func(_ *protocol.CallToolResult, err error) bool { return err != nil }},
		"into what has a _meta of its own": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				call.Params = jsontext.Value(`{"name":"echo","_meta":{"a/b":1}}`)
				return next(ctx, call)
			}
		}, "", func(_ *protocol.CallToolResult, err error) bool { return err != nil }},
		"by a key of ours in Meta": {func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				call.Meta = map[string]any{protocol.MetaProtocolVersion: "1"}
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

// Middleware adds to a call's own _meta, and each time that it sends one stands for
// itself.
func TestMiddlewareMayAddToMeta(t *testing.T) {
	overBoth(t, fault.Modern(), func(t *testing.T, s *scripted) {
		c := s.connected(t, client.WithMiddleware(func(next client.Invoker) client.Invoker {
			return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
				if _, err := next(ctx, call); err != nil {
					return nil, err
				}
				call.Meta["com.example/try"] = 2
				return next(ctx, call)
			}
		}))
		if _, err := c.CallTool(t.Context(), "echo", nil, client.Meta("com.example/own", 1)); err != nil {
			t.Fatal(err)
		}
		for n, want := range []string{"", "2"} {
			body := s.await(t, protocol.MethodCallTool, n+1).Body
			own, added := member(t, body, "params", "_meta", "com.example/own"), member(t, body, "params", "_meta", "com.example/try")
			if own != "1" || added != want {
				t.Errorf("request %d: %s", n+1, body)
			}
		}
	})
}

// The headers of modern HTTP say what is sent, not what was asked for first: a
// server refuses a request whose headers disagree with its body.
func TestMiddlewareMayChangeWhatHeadersRepeat(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{
		protocol.MethodListTools: {{fault.Result(`{"tools":[` +
			`{"name":"other","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]}`)}},
	}))
	c := s.connected(t, client.WithMiddleware(func(next client.Invoker) client.Invoker {
		return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
			if call.Method == protocol.MethodCallTool {
				call.Params = jsontext.Value(`{"name":"other","arguments":{"region":"north"}}`)
			}
			return next(ctx, call)
		}
	}))
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
		t.Fatal(err)
	}
	header := s.await(t, protocol.MethodCallTool, 1).Header
	if name, region := header.Get("Mcp-Name"), header.Get("Mcp-Param-Region"); name != "other" || region != "north" {
		t.Errorf("Mcp-Name %q, Mcp-Param-Region %q", name, region)
	}
}
