package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// M-MRT-01, M-MRT-02, M-MRT-03, M-MRT-04, M-MRT-05, B108: what a retry carries
// is what the last result asked for.
func TestEachRoundCarriesTheAnswersAndStateOfTheLastResultAlone(t *testing.T) {
	script := modernCalls(
		inputRequired(`"s1 \u00e9\/"`, "a", asksForm, "b", asksModel),
		inputRequired("", "c", asksRoots),
		inputRequired(`{"n": 9007199254740993}`),
		inputRequired(`null`, "d", asksForm),
		fault.Answer{fault.Content("done")},
	)
	handler := struct {
		elicitor
		sampler
		rooter
	}{
		accepts(map[string]any{"name": "Ada", "big": int64(9007199254740993)}), says("yes"),
		func(context.Context) ([]protocol.Root, error) { return []protocol.Root{{URI: "file:///r"}}, nil },
	}
	overBoth(t, script, func(t *testing.T, s *scripted) {
		c := s.connected(t, client.WithHandler(handler))
		r, err := c.CallTool(t.Context(), "echo", map[string]any{"k": 1})
		if err != nil || r.Text() != "done" {
			t.Fatalf("CallTool: %v, %v", r, err)
		}
		type leg struct{ Answers, State string }
		const form = `{"action":"accept","content":{"big":9007199254740993,"name":"Ada"}}`
		want := []leg{
			{},
			{`{"a":` + form + `,"b":{"role":"assistant","content":[{"type":"text","text":"yes"}],"model":"m"}}`, `"s1 \u00e9\/"`},
			{`{"c":{"roots":[{"uri":"file:///r"}]}}`, ""},
			{"", `{"n": 9007199254740993}`},
			{`{"d":` + form + `}`, ""},
		}
		var got []leg
		ids := map[string]bool{}
		for n := range want {
			record := s.await(t, protocol.MethodCallTool, n+1)
			ids[record.ID] = true
			got = append(got, leg{member(t, record.Body, "params", "inputResponses"), member(t, record.Body, "params", "requestState")})
			if args := member(t, record.Body, "params", "arguments"); args != `{"k":1}` {
				t.Errorf("round %d has arguments %s", n, args)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rounds (-want +got):\n%s", diff)
		}
		if len(ids) != len(want) {
			t.Errorf("%d ids for %d requests (M-MRT-05)", len(ids), len(want))
		}
	})
}

// M-MRT-06: what one call is asked never shows in another.
func TestRoundsDoNotLeakIntoCallsBesideThem(t *testing.T) {
	script := fault.Modern().With(fault.Script{
		protocol.MethodCallTool: {
			inputRequired(`"secret"`, "a", asksForm),
			{fault.Content("beside")},
			{fault.Content("done")},
		},
	})
	overBoth(t, script, func(t *testing.T, s *scripted) {
		var c *client.Client
		c = s.connected(t, client.WithHandler(elicitor(
			func(ctx context.Context, _ *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
				if r, err := c.CallTool(ctx, "other", nil); err != nil || r.Text() != "beside" {
					return nil, fmt.Errorf("the call beside: %v, %w", r, err)
				}
				return &protocol.ElicitResult{Action: protocol.ElicitDecline}, nil
			})))
		if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
			t.Fatal(err)
		}
		if beside := s.await(t, protocol.MethodCallTool, 2).Body; containsAny(beside, "secret", "inputResponses", "requestState") {
			t.Errorf("the call beside: %s", beside)
		}
		if last := s.await(t, protocol.MethodCallTool, 3).Body; !containsAll(last, `"requestState":"secret"`, `"a":{"action":"decline"}`) {
			t.Errorf("the retry: %s", last)
		}
	})
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// Several inputs are answered side by side, but not without bound: once nothing
// moves any more, that many are at work.
func TestInputsOfOneRoundAreServedConcurrentlyAndBounded(t *testing.T) {
	const inputs, together = 20, 8
	var asked []string
	for i := range inputs {
		asked = append(asked, fmt.Sprintf(`"k%d":%s`, i, asksForm))
	}
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet(negotiation.HTTP, func(_ context.Context, _ *puppet, req *transport.Request) (string, error) {
			if strings.Contains(string(req.Body), "inputResponses") {
				return doneResult, nil
			}
			return `{"resultType":"input_required","inputRequests":{` + strings.Join(asked, ",") + `}}`, nil
		})
		var working, total atomic.Int64
		leave := make(chan struct{})
		c := p.connect(t, negotiation.EraModern, client.WithHandler(elicitor(func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
			working.Add(1)
			defer working.Add(-1)
			total.Add(1)
			<-leave
			return &protocol.ElicitResult{Action: protocol.ElicitCancel}, nil
		})))
		defer c.Close()
		done := make(chan error, 1)
		go func() { done <- callEcho(t.Context(), c) }()
		synctest.Wait()
		if n := working.Load(); n != together {
			t.Errorf("%d handlers at work, want %d", n, together)
		}
		close(leave)
		if err := <-done; err != nil || total.Load() != inputs {
			t.Errorf("%v after %d handlers", err, total.Load())
		}
	})
}

// B109: state without inputs is sent back at once, then with pauses, and no more
// often than the limit.
func TestStateAloneIsRetriedWithinTheLimit(t *testing.T) {
	busy := inputRequired(`"busy"`)
	overBoth(t, modernCalls(busy, busy, busy, fault.Answer{fault.Content("done")}), func(t *testing.T, s *scripted) {
		c := s.connected(t)
		if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
			t.Fatalf("CallTool: %v, %v", r, err)
		}
		for n := 2; n <= 4; n++ {
			body := s.await(t, protocol.MethodCallTool, n).Body
			if member(t, body, "params", "requestState") != `"busy"` || strings.Contains(body, "inputResponses") {
				t.Errorf("retry %d: %s", n-1, body)
			}
		}
	})
}

func TestTheWaitForAStateCanBeCanceled(t *testing.T) {
	s := overHTTP(t, modernCalls(inputRequired(`"busy"`)))
	patient := transport.Backoff{Min: never, Max: never}
	c := s.connected(t, client.WithRetries(0, patient))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, "echo", nil)
		done <- err
	}()
	s.await(t, protocol.MethodCallTool, 2) // at once; the next would come after a pause
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("CallTool: %v", err)
	}
	if n := s.Count(protocol.MethodCallTool); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// M-MRT-08, B-SAM-08: after N rounds the result still counts, and a further
// question does not.
func TestTheRoundsAreLimited(t *testing.T) {
	more := inputRequired("", "a", asksForm)
	for name, tc := range map[string]struct {
		rounds    int
		questions int
		fails     bool
	}{
		"the last round may complete": {3, 3, false},
		"one more is an error":        {3, 4, true},
		"ten by default":              {-1, 10, false},
		"not eleven by default":       {-1, 11, true},
		"none":                        {0, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			var answers []fault.Answer
			for range tc.questions {
				answers = append(answers, more)
			}
			s := overHTTP(t, modernCalls(append(answers, fault.Answer{fault.Content("done")})...))
			opts := []client.Option{client.WithHandler(accepts(nil))}
			if tc.rounds >= 0 {
				opts = append(opts, client.WithMaxRounds(tc.rounds))
			}
			_, err := s.connected(t, opts...).CallTool(t.Context(), "echo", nil)
			if got := errors.Is(err, client.ErrTooManyRounds); got != tc.fails || !tc.fails && err != nil {
				t.Errorf("CallTool: %v", err)
			}
			if want := min(tc.questions+1, max(tc.rounds, 0)+1); tc.rounds >= 0 && s.Count(protocol.MethodCallTool) != want {
				t.Errorf("%d requests, want %d", s.Count(protocol.MethodCallTool), want)
			}
		})
	}
}

// M-MRT-07, M-MSG-08, M-MSG-09: where input_required has no place, and what it
// must hold.
func TestResultTypesThatDoNotFitAreInvalid(t *testing.T) {
	const asking = `{"resultType":"input_required","inputRequests":{"a":` + asksForm + `},"tools":[],"prompts":[],"resources":[],"completion":{"values":[]}}`
	list := func(c *client.Client, ctx context.Context) error { _, err := c.ListTools(ctx); return err }
	call := func(c *client.Client, ctx context.Context) error { _, err := c.CallTool(ctx, "echo", nil); return err }
	for name, tc := range map[string]struct {
		method, result string
		do             func(*client.Client, context.Context) error
	}{
		"tools/list asks": {"tools/list", asking, list},
		"completion/complete asks": {"completion/complete", asking, func(c *client.Client, ctx context.Context) error {
			_, err := c.Complete(ctx, protocol.PromptRef("p"), "a", "", nil)
			return err
		}},
		"neither input nor state":         {"tools/call", `{"resultType":"input_required"}`, call},
		"null for both":                   {"tools/call", `{"resultType":"input_required","inputRequests":null,"requestState":null}`, call},
		"inputs of a wrong shape":         {"tools/call", `{"resultType":"input_required","inputRequests":[1]}`, call},
		"an unknown type":                 {"tools/call", `{"resultType":"partial","content":[]}`, call},
		"a type that is a number":         {"tools/call", `{"resultType":1,"content":[]}`, call},
		"a task unasked (X-TSK-02)":       {"tools/call", `{"resultType":"task","taskId":"t1","status":"working"}`, call},
		"a result that is a list":         {"tools/call", `[]`, call},
		"content of a wrong shape (B038)": {"tools/call", `{"content":"not-a-list"}`, call},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fault.Modern().With(fault.Script{tc.method: {{fault.Result(tc.result)}}}), func(t *testing.T, s *scripted) {
				c := s.connected(t, client.WithHandler(accepts(nil)))
				if err := tc.do(c, t.Context()); !errors.As(err, new(*transport.MessageError)) {
					t.Errorf("got %v, want a *transport.MessageError", err)
				}
				if n := s.Count(tc.method); n != 1 {
					t.Errorf("%d requests, want 1", n)
				}
			})
		})
	}
}

// M-MSG-07, B012: without a type a result is complete.
func TestAResultWithoutATypeIsComplete(t *testing.T) {
	overBoth(t, modernCalls(fault.Answer{fault.Result(`{"content":[{"type":"text","text":"ok"}]}`)}), func(t *testing.T, s *scripted) {
		if r, err := s.connected(t).CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "ok" {
			t.Errorf("CallTool: %v, %v", r, err)
		}
	})
}

// M-MRT-08: a modern server that asks for what was not declared.
func TestAnUndeclaredInputIsATypedError(t *testing.T) {
	for name, tc := range map[string]struct {
		handler any
		input   string
	}{
		"no handler at all":            {nil, asksForm},
		"sampling":                     {accepts(nil), asksModel},
		"tools in sampling (B-SAM-02)": {says("x"), asksWithTool},
		"a form":                       {visitor(accepts(nil)), asksForm},
		"a visit":                      {accepts(nil), asksToVisit},
		"roots":                        {accepts(nil), asksRoots},
		"an unknown method":            {accepts(nil), asksUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, modernCalls(inputRequired("", "k", tc.input)), func(t *testing.T, s *scripted) {
				_, err := s.connected(t, client.WithHandler(tc.handler)).CallTool(t.Context(), "echo", nil)
				if !errors.Is(err, client.ErrUndeclared) || !strings.Contains(err.Error(), `"k"`) {
					t.Errorf("CallTool: %v", err)
				}
				if n := s.Count(protocol.MethodCallTool); n != 1 {
					t.Errorf("%d requests, want 1", n)
				}
			})
		})
	}
}

// M-SAM-12: a handler that fails ends its call with the cause, and no other.
func TestAFailedHandlerFailsItsCallAlone(t *testing.T) {
	cause := errors.New("the user's screen is broken")
	for name, tc := range map[string]struct {
		handler elicitor
		check   func(*client.HandlerError) bool
	}{
		"an error": {func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) { return nil, cause },
			func(e *client.HandlerError) bool { return errors.Is(e, cause) && e.Stack == nil }},
		"a panic": {func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) { panic("boom") },
			func(e *client.HandlerError) bool { return strings.Contains(e.Error(), "boom") && len(e.Stack) > 0 }},
		"no answer": {func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) { return nil, nil },
			func(e *client.HandlerError) bool {
				return strings.Contains(e.Error(), "neither an answer nor an error")
			}},
		"an unknown action": {func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
			return &protocol.ElicitResult{Action: "maybe"}, nil
		}, func(e *client.HandlerError) bool { return strings.Contains(e.Error(), `"maybe"`) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, modernCalls(inputRequired("", "k", asksForm), fault.Answer{fault.Content("fine")}))
			c := s.connected(t, client.WithHandler(tc.handler))
			_, err := c.CallTool(t.Context(), "echo", nil)
			failed, ok := errors.AsType[*client.HandlerError](err)
			if !ok || !tc.check(failed) || failed.Method != protocol.MethodElicit {
				t.Errorf("CallTool: %v", err)
			}
			if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "fine" {
				t.Errorf("the next call: %v, %v", r, err)
			}
		})
	}
}

// B-ELI-13: the handler's context ends with the call.
func TestAHandlersContextEndsWithItsCall(t *testing.T) {
	s := overHTTP(t, modernCalls(inputRequired("", "k", asksForm)))
	ctx, cancel := context.WithCancel(t.Context())
	c := s.connected(t, client.WithHandler(elicitor(func(ctx context.Context, _ *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})))
	if _, err := c.CallTool(ctx, "echo", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("CallTool: %v", err)
	}
}
