package client_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A login is a transport that takes its time with each request of one method, for
// the user or for itself.
type login struct {
	*puppet
	method string
	takes  time.Duration
	hold   bool // the user is asked
}

func (l *login) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	if req.Method != l.method {
		return l.puppet.Exchange(ctx, req)
	}
	release := func() {}
	if l.hold {
		release = transport.Hold(ctx)
	}
	timer := time.NewTimer(l.takes)
	defer timer.Stop()
	select {
	case <-timer.C:
		release()
		return l.puppet.Exchange(ctx, req)
	case <-ctx.Done():
		release()
		o := negotiation.Outcome{Failure: negotiation.Canceled, Err: ctx.Err(), RequestID: req.ID}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			o.Failure = negotiation.TimedOut
		}
		return o
	}
}

// What a user takes to log in is not held against the server.
func TestTheTimeOfTheUserDoesNotCount(t *testing.T) {
	for name, tc := range map[string]struct {
		method string
		takes  time.Duration
		hold   bool
		late   bool
	}{
		"a login on the probe":             {protocol.MethodDiscover, 9 * time.Minute, true, false},
		"a probe that takes as long":       {protocol.MethodDiscover, 9 * time.Minute, false, true},
		"a login on a call":                {protocol.MethodCallTool, 9 * time.Minute, true, false},
		"a call that takes as long":        {protocol.MethodCallTool, 9 * time.Minute, false, true},
		"the limit stands above the login": {protocol.MethodCallTool, 11 * time.Minute, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPuppet(negotiation.HTTP, func(context.Context, *puppet, *transport.Request) (string, error) {
					return `{"resultType":"complete","content":[]}`, nil
				})
				c, err := client.Connect(t.Context(), &login{p, tc.method, tc.takes, tc.hold},
					client.WithEraCache(erecache.New(time.Now)), client.WithRetries(0, transport.DefaultBackoff()))
				if err == nil {
					defer c.Close()
					_, err = c.CallTool(t.Context(), "a", nil)
				}
				if tc.late != (err != nil) || err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the error is %v", err)
				}
			})
		})
	}
}

// The caller's own context is not held.
func TestTheCallersDeadlineStandsAboveTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		_, err := client.Connect(ctx, &login{newPuppet(negotiation.HTTP, nil), protocol.MethodDiscover, time.Hour, true}, client.WithEraCache(erecache.New(time.Now)))
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// B-CAN-02: a call that ends while the user logs in was never sent, and is not
// canceled.
func TestACallThatOnlyWaitedIsNotCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet(negotiation.HTTP, nil)
		c, err := client.Connect(t.Context(), &login{p, protocol.MethodCallTool, time.Hour, true},
			client.WithEra(negotiation.EraLegacy), client.WithEraCache(nil))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := c.CallTool(ctx, "a", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("CallTool: %v", err)
		}
		synctest.Wait()
		if p.said(protocol.MethodCancelled) {
			t.Error("the server was told of a cancellation")
		}
	})
}
