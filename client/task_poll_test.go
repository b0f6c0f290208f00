package client_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// X-TSK-04: the server is asked no more often than it wants, which may change.
func TestATaskIsPolledAsOftenAsItsServerWants(t *testing.T) {
	for name, tc := range map[string]struct {
		intervals []string // of the task and then of each state
		want      []time.Duration
	}{
		"as told, and as told anew":  {[]string{`5000`, `30000`, `7000`}, []time.Duration{5 * time.Second, 30 * time.Second, 7 * time.Second}},
		"long ones, too":             {[]string{`600000`}, []time.Duration{10 * time.Minute}},
		"a second when it says none": {[]string{`null`, `0`, `-5`}, []time.Duration{time.Second, time.Second, time.Second}},
		"not without any pause":      {[]string{`1`}, []time.Duration{20 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				p := newPuppet(negotiation.HTTP, func(_ context.Context, _ *puppet, req *transport.Request) (string, error) {
					if req.Method == protocol.MethodListen {
						return "", &protocol.Error{Code: protocol.CodeMethodNotFound}
					}
					switch n := len(at); {
					case req.Method == protocol.MethodCallTool, n < len(tc.intervals):
						at = append(at, time.Now())
						return `{"resultType":"` + map[bool]string{true: "task", false: "complete"}[n == 0] +
							`","taskId":"t","status":"working","pollIntervalMs":` + tc.intervals[n] + `}`, nil
					default:
						at = append(at, time.Now())
						return taskDone, nil
					}
				})
				c := p.connect(t, negotiation.EraModern, client.WithTasks())
				defer c.Close()
				if _, err := c.CallTool(t.Context(), "a", nil); err != nil {
					t.Fatal(err)
				}
				var got []time.Duration
				for i := 1; i < len(at); i++ {
					got = append(got, at[i].Sub(at[i-1]))
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("pauses (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// X-TSK-12: a server that tells of the task is asked when it does.
func TestATaskThatIsToldOfIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told atomic.Bool
		p := newPuppet(negotiation.HTTP, func(ctx context.Context, p *puppet, req *transport.Request) (string, error) {
			switch req.Method {
			case protocol.MethodListen:
				meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + req.ID.String() + `}`
				p.say("", protocol.MethodAcknowledged, `{`+meta+`,"notifications":{"taskIds":["t"]}}`)
				if err := pass(ctx, 5*time.Second); err != nil {
					return "", err
				}
				told.Store(true)
				p.say("", protocol.MethodTaskChanged, `{`+meta+`,"taskId":"t","status":"completed"}`)
				<-ctx.Done()
				return "", ctx.Err()
			case protocol.MethodGetTask:
				if told.Load() {
					return taskDone, nil
				}
				fallthrough // the acknowledgement is a reason to look, too
			default:
				return `{"resultType":"` + map[bool]string{true: "task", false: "complete"}[req.Method == protocol.MethodCallTool] +
					`","taskId":"t","status":"working","pollIntervalMs":3600000}`, nil
			}
		})
		c := p.connect(t, negotiation.EraModern, client.WithTasks())
		defer c.Close()
		began := time.Now()
		if _, err := c.CallTool(t.Context(), "a", nil); err != nil || time.Since(began) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
