package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

const (
	formParams = `{"message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}`
	hiParams   = `{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":10}`
)

// B-MSG-05, B-MSG-06, B-SAM-02, B-ELI-02, B-ROT-04, L-MSG-13, L-PNG-01,
// L-ROT-06, L-SAM-11, L-ELI-14, L-VER-03, M-ERR-05: what a legacy server is
// told, whatever the transport. An answer has the id of its request, byte for
// byte (B078), and nothing is given that no handler offers.
func TestALegacyServersRequestIsAnswered(t *testing.T) {
	refuses := errors.New("secret of the program")
	for name, tc := range map[string]struct {
		handler        any
		opts           []client.Option
		method, params string
		want           string // without jsonrpc and id
	}{
		"ping without any handler (L-PNG-01)": {nil, nil, "ping", `{}`, `"result":{}`},
		"a form (B-ELI-02)":                   {accepts(map[string]any{"name": "Ada"}), nil, "elicitation/create", formParams, `"result":{"action":"accept","content":{"name":"Ada"}}`},
		"sampling":                            {says("yes"), nil, "sampling/createMessage", hiParams, `"result":{"role":"assistant","content":[{"type":"text","text":"yes"}],"model":"m"}`},
		"roots": {rooter(func(context.Context) ([]protocol.Root, error) { return nil, nil }), nil, "roots/list", `{}`,
			`"result":{"roots":[]}`},
		"an unknown method": {accepts(nil), nil, "vendor/ask", `{}`, `"error":{"code":-32601,"message":"method not found"}`},
		"sampling, undeclared": {accepts(nil), nil, "sampling/createMessage", hiParams,
			`"error":{"code":-32601,"message":"method not found"}`},
		"roots, undeclared (L-ROT-06)": {accepts(nil), nil, "roots/list", `{}`, `"error":{"code":-32601,"message":"method not found"}`},
		"a visit, undeclared (L-ELI-14)": {accepts(nil), nil, "elicitation/create", `{"mode":"url","message":"m","url":"https://a.example/"}`,
			`"error":{"code":-32602,"message":"the client did not declare elicitation by URL"}`},
		"an unknown mode (L-ELI-14)": {accepts(nil), nil, "elicitation/create", `{"mode":"smell","message":"m"}`,
			`"error":{"code":-32602,"message":"the client did not declare elicitation mode \"smell\""}`},
		"tools in sampling, undeclared (B-SAM-02)": {says("x"), nil, "sampling/createMessage",
			`{"messages":[],"maxTokens":1,"toolChoice":{"mode":"auto"}}`,
			`"error":{"code":-32602,"message":"the client did not declare tools in sampling"}`},
		"mixed tool results (L-SAM-11)": {says("x"), []client.Option{client.WithSamplingTools()}, "sampling/createMessage",
			`{"messages":[{"role":"assistant","content":{"type":"tool_use","id":"u","name":"a","input":{}}},{"role":"user","content":[{"type":"tool_result","toolUseId":"u","content":[]},{"type":"text","text":"x"}]}],"maxTokens":1}`,
			`"error":{"code":-32602,"message":"message 1 mixes tool results with other content"}`},
		"a refusal of the user's (L-SAM-11)": {sampler(func(context.Context, *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
			return nil, &protocol.Error{Code: -1, Message: "the user refused"}
		}), nil, "sampling/createMessage", hiParams, `"error":{"code":-1,"message":"the user refused"}`},
		"an error of the program's own stays in it (L-ROT-06)": {rooter(func(context.Context) ([]protocol.Root, error) { return nil, refuses }), nil,
			"roots/list", `{}`, `"error":{"code":-32603,"message":"the client could not answer"}`},
		"another server's error stays in the program": {rooter(func(context.Context) ([]protocol.Root, error) {
			return nil, &transport.ServerError{Origin: "other", Err: &protocol.Error{Code: 7, Message: "secret of another server"}}
		}), nil, "roots/list", `{}`, `"error":{"code":-32603,"message":"the client could not answer"}`},
		"a panic": {rooter(func(context.Context) ([]protocol.Root, error) { panic("secret") }), nil,
			"roots/list", `{}`, `"error":{"code":-32603,"message":"the client could not answer"}`},
		"no answer": {sampler(func(context.Context, *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
			return nil, nil
		}), nil,
			"sampling/createMessage", hiParams, `"error":{"code":-32603,"message":"the client could not answer"}`},
		"params of a wrong shape": {accepts(nil), nil, "elicitation/create", `{"message":7}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, legacyAsks(tc.method, tc.params), func(t *testing.T, s *scripted) {
				c := s.connected(t, append(tc.opts, client.WithHandler(tc.handler))...)
				if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
					t.Errorf("the call itself: %v, %v", r, err)
				}
				got := s.await(t, fault.Response, 1).Body
				if tc.want == "" {
					if !containsAll(got, `"id":"asked-1"`, `"code":-32602`) {
						t.Errorf("answered %s", got)
					}
					return
				}
				if diff := cmp.Diff(`{"jsonrpc":"2.0","id":"asked-1",`+tc.want+`}`, got); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// B-MSG-02, B078: whatever the server uses as an id comes back as it was.
func TestAServersIDsAreEchoedByteForByte(t *testing.T) {
	for _, id := range []string{`"srv-1"`, `1.0`, `900719925474099300001`, `"7"`, `-0`, `"é\u00e9"`} {
		overStdioScript := fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodCallTool: {{
			fault.Message(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`), fault.After(fault.Response), fault.Content("done"),
		}}})
		s := overStdio(t, overStdioScript)
		if _, err := s.connected(t).CallTool(t.Context(), "echo", nil); err != nil {
			t.Error(err)
		}
		if got, want := s.await(t, fault.Response, 1).Body, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`; got != want {
			t.Errorf("answered %s, want %s", got, want)
		}
	}
}

// B098: pings are answered in any state.
func TestAPingBeforeTheHandshakeIsAnswered(t *testing.T) {
	ping := fault.Message(`{"jsonrpc":"2.0","id":"early","method":"ping"}`)
	s := overStdio(t, fault.Legacy("2025-11-25").With(fault.Script{
		protocol.MethodInitialize: {{ping, fault.After(fault.Response), fault.Initialize("2025-11-25")}},
	}))
	s.connected(t)
	if got := s.await(t, fault.Response, 1).Body; got != `{"jsonrpc":"2.0","id":"early","result":{}}` {
		t.Errorf("answered %s", got)
	}
}

// L-PRG-03: no progress is reported of what a server asks, token or not.
func TestAServersRequestIsAnsweredWithoutProgress(t *testing.T) {
	overBoth(t, legacyAsks(protocol.MethodListRoots, `{"_meta":{"progressToken":"p"}}`), func(t *testing.T, s *scripted) {
		c := s.connected(t, client.WithHandler(rooter(func(context.Context) ([]protocol.Root, error) { return nil, nil })))
		if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if answers, told := s.Count(fault.Response), s.Count(protocol.MethodProgress); answers != 1 || told != 0 {
			t.Errorf("%d answers, and %d notifications of progress", answers, told)
		}
	})
}

// M-MSG-10, M-ERR-02, M-ERR-03, M-ERR-04: a modern server's requests are not
// answered, neither with an error.
func TestAModernServersRequestsAreNotAnswered(t *testing.T) {
	s := overStdio(t, modernCalls(fault.Answer{
		fault.Message(`{"jsonrpc":"2.0","id":"asked-1","method":"ping"}`),
		fault.Message(`{"jsonrpc":"2.0","id":"asked-2","method":"roots/list"}`),
		fault.Content("done"),
	}))
	c := s.connected(t, client.WithHandler(rooter(func(context.Context) ([]protocol.Root, error) {
		t.Error("the handler was asked")
		return nil, nil
	})))
	if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if n := s.Count(fault.Response); n != 0 {
		t.Errorf("%d answers", n)
	}
}

// B097: handlers run off the reader, so that they may call the client.
func TestAHandlerMayCallTheClient(t *testing.T) {
	script := legacyAsks("elicitation/create", formParams).With(fault.Script{
		protocol.MethodListTools: {{fault.Tools("a", "b")}},
	})
	overBoth(t, script, func(t *testing.T, s *scripted) {
		var c *client.Client
		var ready sync.WaitGroup
		ready.Add(1)
		c = s.connected(t, client.WithHandler(elicitor(func(ctx context.Context, _ *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
			ready.Wait()
			r, err := c.ListTools(ctx)
			if err != nil {
				return nil, err
			}
			return &protocol.ElicitResult{Action: protocol.ElicitAccept, Content: map[string]any{"name": fmt.Sprint(len(r.Tools.Items))}}, nil
		})))
		ready.Done()
		if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
			t.Error(err)
		}
		if got := s.await(t, fault.Response, 1).Body; !containsAll(got, `"name":"2"`) {
			t.Errorf("answered %s", got)
		}
	})
}

// L-CAN-10: a request that the server cancels ends its handler's context, and
// is not answered. B-CAN-05: cancellations that make no sense are ignored.
// B-CAN-06: a reason is kept in the log.
func TestAServersCancellationEndsTheHandlerAndIsNotAnswered(t *testing.T) {
	cancel := func(params string) fault.Step {
		return fault.Message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + `}`)
	}
	overBoth(t, fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodCallTool: {
		{
			fault.Stream(),
			fault.Message(`{"jsonrpc":"2.0","id":"a","method":"roots/list"}`), fault.Hold("at work"),
			cancel(`{"requestId":"unknown"}`), cancel(`{}`), cancel(`7`),
			cancel(`{"requestId":"a","reason":"enough"}`), fault.Hold("canceled"),
			cancel(`{"requestId":"a"}`), // over
			fault.Content("done"),
		},
		{fault.Stream(), fault.Message(`{"jsonrpc":"2.0","id":"b","method":"ping"}`), fault.After(fault.Response), fault.Content("done")},
	}}), func(t *testing.T, s *scripted) {
		log := new(output)
		logger := client.WithLogger(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
		c := s.connected(t, logger, client.WithHandler(rooter(func(ctx context.Context) ([]protocol.Root, error) {
			s.Release("at work")
			<-ctx.Done()
			s.Release("canceled")
			return nil, nil
		})))
		for range 2 {
			if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
				t.Errorf("CallTool: %v, %v", r, err)
			}
		}
		if got := s.await(t, fault.Response, 1).Body; !containsAll(got, `"id":"b"`) {
			t.Errorf("the first answer is %s, want that of the ping", got)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if !containsAll(log.text.String(), "enough") {
			t.Errorf("the log lacks the reason:\n%s", log.text.String())
		}
	})
}

// B-SAM-08: a flood of requests is served within a bound: the rest is refused,
// and pings are answered all the same.
func TestAFloodOfRequestsIsBounded(t *testing.T) {
	const flood, bound = 200, 64
	steps := fault.Answer{fault.Stream()}
	for i := range flood {
		steps = append(steps, fault.Message(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, i%70)))
	}
	steps = append(steps, fault.Hold("refused"), fault.Message(`{"jsonrpc":"2.0","id":"p","method":"ping"}`), fault.Hold("ponged"), fault.Content("done"))
	s := overStdio(t, fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodCallTool: {steps}}))
	var mu sync.Mutex
	working := 0
	leave := make(chan struct{})
	c := s.connected(t, client.WithHandler(rooter(func(context.Context) ([]protocol.Root, error) {
		mu.Lock()
		working++
		mu.Unlock()
		<-leave
		return nil, nil
	})))
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), "echo", nil)
		done <- err
	}()
	if got := s.await(t, fault.Response, 1).Body; !containsAll(got, `"code":-32603`, "busy") {
		t.Errorf("a request too many was answered %s", got)
	}
	s.Release("refused")
	for n := 1; ; n++ {
		if got := s.await(t, fault.Response, n).Body; containsAll(got, `"id":"p"`) {
			if !containsAll(got, `"result":{}`) {
				t.Errorf("the ping was answered %s", got)
			}
			break
		}
	}
	mu.Lock()
	if working > bound {
		t.Errorf("%d handlers at work, want at most %d", working, bound)
	}
	mu.Unlock()
	close(leave)
	s.Release("ponged")
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// B091, B092, L-ELI-15: notifications that nobody knows, or that are about what
// nobody waits for, reach the program, in order, and harm nothing. The receiver
// may call the client.
func TestUnknownNotificationsReachTheProgram(t *testing.T) {
	note := func(method, params string) fault.Step {
		return fault.Message(`{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`)
	}
	for era, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
		t.Run(era, func(t *testing.T) {
			overBoth(t, script.With(fault.Script{protocol.MethodCallTool: {{
				fault.Stream(), note("editor/logLine", `{"type":3}`), note("notifications/tools/list_changed", `{}`),
				note("notifications/progress", `[]`), note("notifications/elicitation/complete", `{"elicitationId":"nobody's"}`),
				note("last", `{}`), fault.Content("done"),
			}}}), func(t *testing.T, s *scripted) {
				var c *client.Client
				got := make(chan string, 10)
				ready := make(chan struct{})
				c = s.connected(t, client.WithHandler(hearer(func(method, params string) {
					<-ready
					if _, err := c.ListTools(context.Background()); err != nil {
						t.Error(err)
					}
					got <- method + " " + params
				})))
				close(ready)
				if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
					t.Error(err)
				}
				want := []string{
					`editor/logLine {"type":3}`, `notifications/tools/list_changed {}`, `notifications/progress []`,
					`notifications/elicitation/complete {"elicitationId":"nobody's"}`, `last {}`,
				}
				for _, want := range want {
					if heard := <-got; heard != want {
						t.Errorf("heard %s, want %s", heard, want)
					}
				}
			})
		})
	}
}
