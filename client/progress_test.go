package client_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// progressing are steps that report progress for a token.
func progressing(token string, values ...int) []fault.Step {
	var steps []fault.Step
	for _, v := range values {
		steps = append(steps, fault.Message(fmt.Sprintf(
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token, v)))
	}
	return steps
}

// either runs f on a server of each era, over each transport. Its tools/call has
// the steps before its result.
func either(t *testing.T, steps []fault.Step, f func(*testing.T, *scripted)) {
	t.Helper()
	answer := append(append(fault.Answer{fault.Stream()}, steps...), fault.Content("done"))
	for era, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
		t.Run(era, func(t *testing.T) {
			overBoth(t, script.With(fault.Script{protocol.MethodCallTool: {answer}}), f)
		})
	}
}

// B-PRG-01, B-PRG-02, B059: the token is the call's, in either spelling; what is
// for no call, or unreadable, is dropped. In ids and tokens the first call of a
// connection is the second request, after its opening.
func TestProgressFindsItsCallByItsToken(t *testing.T) {
	const token = "${id}"
	var steps []fault.Step
	steps = append(steps, progressing(token, 1)...)
	steps = append(steps, progressing(`"${id}"`, 2)...)
	steps = append(steps, progressing(`"tool-call-4"`, 90)...)
	steps = append(steps, progressing(`4711`, 91)...)
	steps = append(steps, progressing(`0`, 92)...)
	steps = append(steps, progressing(`null`, 93)...)
	steps = append(steps, fault.Message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"progress":"much"}}`))
	steps = append(steps, progressing(token, 3)...)
	either(t, steps, func(t *testing.T, s *scripted) {
		c := s.connected(t)
		var got []float64
		for range 2 {
			got = nil
			if _, err := c.CallTool(t.Context(), "echo", nil, client.OnProgress(func(p protocol.Progress) { got = append(got, p.Progress) })); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]float64{1, 2, 3}, got); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
		first, second := s.await(t, protocol.MethodCallTool, 1).Body, s.await(t, protocol.MethodCallTool, 2).Body
		a, b := member(t, first, "params", "_meta", "progressToken"), member(t, second, "params", "_meta", "progressToken")
		if a == "" || a == b {
			t.Errorf("tokens %q and %q", a, b)
		}
	})
}

// B058: a tool call asks for progress even when the program does not, since it
// gives the call more time. Other calls ask when the program does.
func TestWhoAsksForProgress(t *testing.T) {
	either(t, nil, func(t *testing.T, s *scripted) {
		c := s.connected(t)
		if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
			t.Fatal(err)
		}
		if member(t, s.await(t, protocol.MethodCallTool, 1).Body, "params", "_meta", "progressToken") == "" {
			t.Error("the call has no token")
		}
		for n, opts := range [][]client.CallOption{nil, {client.OnProgress(func(protocol.Progress) {})}} {
			if _, err := c.ListTools(t.Context(), opts...); err != nil {
				t.Fatal(err)
			}
			params := s.await(t, protocol.MethodListTools, n+1).Body
			if has := containsAll(params, "progressToken"); has != (n == 1) {
				t.Errorf("list %d: %s", n, params)
			}
		}
	})
}

// Progress of a call that is over, or arrives between two, reaches nobody.
func TestProgressAfterTheEndIsDropped(t *testing.T) {
	s := overStdio(t, modernCalls(
		append(append(fault.Answer{fault.Content("done")}, progressing("${id}", 9)...), fault.Answered(protocol.MethodListTools)),
	))
	c := s.connected(t)
	over := false
	if _, err := c.CallTool(t.Context(), "echo", nil, client.OnProgress(func(protocol.Progress) {
		if over {
			t.Error("progress after the call")
		}
	})); err != nil {
		t.Fatal(err)
	}
	over = true
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The rounds of a call share its token, so that a server may go on counting.
func TestRoundsShareTheTokenOfTheirCall(t *testing.T) {
	s := overHTTP(t, modernCalls(
		inputRequired(`"s"`),
		append(append(fault.Answer{fault.Stream()}, progressing("2", 5)...), fault.Content("done")),
	))
	c := s.connected(t)
	var got []float64
	if _, err := c.CallTool(t.Context(), "echo", nil, client.OnProgress(func(p protocol.Progress) { got = append(got, p.Progress) })); err != nil {
		t.Fatal(err)
	}
	first, second := s.await(t, protocol.MethodCallTool, 1), s.await(t, protocol.MethodCallTool, 2)
	a, b := member(t, first.Body, "params", "_meta", "progressToken"), member(t, second.Body, "params", "_meta", "progressToken")
	if a != b || first.ID == second.ID {
		t.Errorf("tokens %s and %s, ids %s and %s", a, b, first.ID, second.ID)
	}
	if a != "2" || len(got) != 1 {
		t.Errorf("token %s; the second round's progress: %v", a, got)
	}
}

// B-PRG-02, B-LOG-02: a flood costs no more memory than a bound, and never the
// last one. What is taken comes in order, and before the call returns.
func TestAFloodOfProgressIsBoundedAndKeepsTheLast(t *testing.T) {
	const flood, bound = 5000, 1024
	values := make([]int, flood)
	for i := range values {
		values[i] = i + 1
	}
	first := progressing("${id}", 0)
	steps := append(first, fault.Hold("first taken"))
	steps = append(steps, progressing("${id}", values...)...)
	steps = append(steps, fault.Hold("flood sent"))
	either(t, steps, func(t *testing.T, s *scripted) {
		var got []float64
		flooded := make(chan struct{})
		c := s.connected(t, client.WithIncoming(func(m *protocol.Message) {
			if containsAll(string(m.Params), fmt.Sprintf(`"progress":%d}`, flood)) {
				s.Release("flood sent")
				close(flooded)
			}
		}))
		_, err := c.CallTool(t.Context(), "echo", nil, client.OnProgress(func(p protocol.Progress) {
			if got = append(got, p.Progress); len(got) == 1 {
				s.Release("first taken")
				<-flooded // the reader is not held up by that
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		// The first, and one that may be taken before the last has its place.
		if len(got) > bound+2 || got[len(got)-1] != flood {
			t.Errorf("%d taken, the last is %v", len(got), got[len(got)-1])
		}
		for i := 1; i < len(got); i++ {
			if got[i] <= got[i-1] {
				t.Fatalf("%v comes after %v", got[i], got[i-1])
			}
		}
	})
}

// Two calls at once: each hears of its own progress alone.
func TestConcurrentCallsHearTheirOwnProgress(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			c := p.connect(t)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					var got []float64
					_, err := c.CallTool(t.Context(), "test_tool_with_progress", nil, client.OnProgress(func(p protocol.Progress) { got = append(got, p.Progress) }))
					if diff := cmp.Diff([]float64{0, 50, 100}, got); err != nil || diff != "" {
						t.Errorf("%v, progress (-want +got):\n%s", err, diff)
					}
				})
			}
			wg.Wait()
		})
	}
}
