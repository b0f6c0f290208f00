package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// pass lets time pass, in a bubble.
func pass(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tokenOf returns the progress token of a request, "" when it has none.
func tokenOf(t *testing.T, req *transport.Request) string {
	return member(t, string(req.Body), "params", "_meta", "progressToken")
}

const doneResult = `{"content":[{"type":"text","text":"done"}]}`

// B-TIM-01, B-TIM-02, B-TIM-03, B042, B058: how long a call may take. Time is
// that of a bubble, so that it can be compared to the nanosecond.
func TestACallsTime(t *testing.T) {
	progressing := func(every time.Duration, times int) func(*testing.T) func(context.Context, *puppet, *transport.Request) (string, error) {
		return func(t *testing.T) func(context.Context, *puppet, *transport.Request) (string, error) {
			return func(ctx context.Context, p *puppet, req *transport.Request) (string, error) {
				for n := range times {
					if err := pass(ctx, every); err != nil {
						return "", err
					}
					p.say("", protocol.MethodProgress, fmt.Sprintf(`{"progressToken":%s,"progress":%d}`, tokenOf(t, req), n))
				}
				return doneResult, pass(ctx, every)
			}
		}
	}
	for name, tc := range map[string]struct {
		play  func(*testing.T) func(context.Context, *puppet, *transport.Request) (string, error)
		opts  []client.Option
		call  []client.CallOption
		takes time.Duration
		late  bool
	}{
		"just in time":                                        {progressing(time.Minute-1, 0), nil, nil, time.Minute - 1, false},
		"a nanosecond late":                                   {progressing(time.Minute+1, 0), nil, nil, time.Minute, true},
		"progress starts the time anew":                       {progressing(50*time.Second, 8), nil, nil, 450 * time.Second, false},
		"progress that comes too late":                        {progressing(61*time.Second, 8), nil, nil, time.Minute, true},
		"a hard maximum stands above progress":                {progressing(50*time.Second, 100), nil, nil, 10 * time.Minute, true},
		"the maximum is the option's":                         {progressing(50*time.Second, 100), []client.Option{client.WithCallLimit(2 * time.Minute)}, nil, 2 * time.Minute, true},
		"the time is the option's":                            {progressing(2*time.Second, 0), []client.Option{client.WithCallTimeout(time.Second)}, nil, time.Second, true},
		"one call's own time is longer":                       {progressing(2*time.Second, 0), []client.Option{client.WithCallTimeout(time.Second)}, []client.CallOption{client.Timeout(3 * time.Second)}, 2 * time.Second, false},
		"one call's own time is shorter":                      {progressing(2*time.Second, 0), nil, []client.CallOption{client.Timeout(time.Second)}, time.Second, true},
		"one call's own time is the maximum":                  {progressing(5*time.Second, 100), []client.Option{client.WithCallLimit(time.Minute)}, nil, time.Minute, true},
		"progress does not lengthen a time above the maximum": {progressing(5*time.Minute, 100), nil, []client.CallOption{client.Timeout(20 * time.Minute)}, 20 * time.Minute, true},
		"one call's own time is above the maximum":            {progressing(15*time.Minute, 0), nil, []client.CallOption{client.Timeout(20 * time.Minute)}, 15 * time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, era := range []negotiation.Era{negotiation.EraModern, negotiation.EraLegacy} {
				synctest.Test(t, func(t *testing.T) {
					p := newPuppet(negotiation.Stdio, tc.play(t))
					c := p.connect(t, era, tc.opts...)
					defer c.Close()
					began := time.Now()
					_, err := c.CallTool(t.Context(), "a", nil, tc.call...)
					if took := time.Since(began); took != tc.takes {
						t.Errorf("%s: it took %v, want %v", era, took, tc.takes)
					}
					timeout, _ := errors.AsType[*transport.TimeoutError](err)
					if tc.late != (timeout != nil) || !tc.late && err != nil {
						t.Errorf("%s: %v", era, err)
					}
					if tc.late && !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%s: %v is no deadline", era, err)
					}
					synctest.Wait()
					if tc.late != p.said(protocol.MethodCancelled) {
						t.Errorf("%s: the server was told of a cancellation: %v", era, !tc.late)
					}
				})
			}
		})
	}
}

// Progress gives more time to calls that ask for it, whatever their method, and
// a deadline of the caller's stands above all.
func TestTheContextsDeadlineStandsAboveProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet(negotiation.Stdio, func(ctx context.Context, p *puppet, req *transport.Request) (string, error) {
			for pass(ctx, time.Second) == nil {
				p.say("", protocol.MethodProgress, `{"progressToken":`+tokenOf(t, req)+`,"progress":1}`)
			}
			return "", ctx.Err()
		})
		c := p.connect(t, negotiation.EraModern)
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.ReadResource(ctx, "a:b", client.OnProgress(func(protocol.Progress) {}))
		if !errors.As(err, new(*transport.TimeoutError)) || time.Since(began) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// The time in which a legacy server waits for the program's handler does not
// count, and it does not count against a limit of nothing: that one holds.
func TestTheTimeOfHandlersDoesNotCount(t *testing.T) {
	for name, tc := range map[string]struct {
		handler, then time.Duration // how long the handler takes, and the server afterwards
		takes         time.Duration
		late          bool
	}{
		"a long dialogue":                   {5 * time.Minute, time.Second, 5*time.Minute + time.Second, false},
		"a short one, then almost too long": {50 * time.Second, 59 * time.Second, 109 * time.Second, false},
		"a short one, then too long":        {50 * time.Second, 70 * time.Second, 110 * time.Second, true},
		"a long one, then too long":         {5 * time.Minute, 2 * time.Minute, 6 * time.Minute, true},
		"longer than the limit":             {20 * time.Minute, 0, 10 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPuppet(negotiation.Stdio, func(ctx context.Context, p *puppet, _ *transport.Request) (string, error) {
					p.say("asked", protocol.MethodListRoots, `{}`)
					p.answered("asked")
					return doneResult, pass(ctx, tc.then)
				})
				c := p.connect(t, negotiation.EraLegacy, client.WithHandler(rooter(func(ctx context.Context) ([]protocol.Root, error) {
					return nil, pass(ctx, tc.handler)
				})))
				defer c.Close()
				began := time.Now()
				_, err := c.CallTool(t.Context(), "a", nil)
				if took := time.Since(began); took != tc.takes || tc.late != errors.As(err, new(*transport.TimeoutError)) {
					t.Errorf("%v after %v", err, took)
				}
			})
		})
	}
}

// In the modern era no server waits for a handler: what one call asks the user
// holds no other call's time.
func TestAHandlersTimeIsNotThatOfACallBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet(negotiation.HTTP, func(ctx context.Context, _ *puppet, req *transport.Request) (string, error) {
			switch {
			case req.Method == protocol.MethodListTools:
				<-ctx.Done()
				return "", ctx.Err()
			case member(t, string(req.Body), "params", "inputResponses") == "":
				return `{"resultType":"input_required","inputRequests":{"k":` + asksRoots + `}}`, nil
			default:
				return doneResult, nil
			}
		})
		c := p.connect(t, negotiation.EraModern, client.WithHandler(rooter(func(ctx context.Context) ([]protocol.Root, error) {
			return nil, pass(ctx, time.Hour)
		})))
		defer c.Close()
		began := time.Now()
		call := make(chan error, 1)
		go func() {
			_, err := c.CallTool(t.Context(), "a", nil)
			call <- err
		}()
		_, err := c.ListTools(t.Context())
		if took := time.Since(began); took != time.Minute || !errors.As(err, new(*transport.TimeoutError)) {
			t.Errorf("the list: %v after %v", err, took)
		}
		if err := <-call; err != nil || time.Since(began) != time.Hour {
			t.Errorf("the call: %v after %v", err, time.Since(began))
		}
	})
}

// B109: the pauses between states alone grow.
func TestStateAloneIsAskedForWithGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		p := newPuppet(negotiation.HTTP, func(context.Context, *puppet, *transport.Request) (string, error) {
			at = append(at, time.Now())
			return `{"resultType":"input_required","requestState":"busy"}`, nil
		})
		c := p.connect(t, negotiation.EraModern)
		defer c.Close()
		if _, err := c.CallTool(t.Context(), "a", nil); !errors.Is(err, client.ErrTooManyRounds) {
			t.Errorf("CallTool: %v", err)
		}
		if len(at) != 11 || !at[1].Equal(at[0]) {
			t.Fatalf("%d requests, the second after %v", len(at), at[1].Sub(at[0]))
		}
		least := 100 * time.Millisecond // half of 200 ms, doubling up to half of 5 s
		for i := 2; i < len(at); i++ {
			if pause := at[i].Sub(at[i-1]); pause < least || pause > 2*least {
				t.Errorf("pause %d is %v, want %v to %v", i-1, pause, least, 2*least)
			}
			least = min(2*least, 2500*time.Millisecond)
		}
	})
}

func TestTimesMustBeAboveZero(t *testing.T) {
	for name, opt := range map[string]client.Option{
		"call timeout": client.WithCallTimeout(0), "call limit": client.WithCallLimit(-1), "rounds": client.WithMaxRounds(-1),
		"pages": client.WithMaxPages(0), "probe answer": client.WithMaxProbeAnswer(0), "inputs": client.WithMaxInputs(0),
	} {
		if _, err := client.Connect(t.Context(), newPuppet(negotiation.Stdio, nil), opt); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet(negotiation.Stdio, func(context.Context, *puppet, *transport.Request) (string, error) { return doneResult, nil })
		c := p.connect(t, negotiation.EraModern)
		defer c.Close()
		if _, err := c.CallTool(t.Context(), "a", nil, client.Timeout(0)); err == nil {
			t.Error("Timeout(0): no error")
		}
	})
}
