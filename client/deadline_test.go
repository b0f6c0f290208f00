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

// A mutePuppet answers nothing, not even what opens a connection.
type mutePuppet struct{ *puppet }

func (p mutePuppet) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	if req.Sent != nil {
		req.Sent()
	}
	<-ctx.Done()
	failure := negotiation.Canceled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		failure = negotiation.TimedOut
	}
	return negotiation.Outcome{Failure: failure, Err: ctx.Err(), RequestID: req.ID}
}

// Silence refutes nothing: a remembered modern verdict outlives it, and the error is
// that of the probe, whichever limit passes first.
func TestSilenceLeavesTheRememberedEraAlone(t *testing.T) {
	for range 20 { // limits that pass in the same moment would do so in any order
		synctest.Test(t, func(t *testing.T) {
			eras := erecache.New(time.Now)
			key := erecache.CommandKey("puppet")
			if err := eras.Remember(t.Context(), key, negotiation.EraModern, "2026-07-28"); err != nil {
				t.Fatal(err)
			}
			p := mutePuppet{newPuppet(negotiation.Stdio, silentPlay)}
			_, err := client.Connect(t.Context(), p, client.WithEraCache(eras), client.WithConnectTimeout(time.Second))
			if late, ok := errors.AsType[*transport.TimeoutError](err); !ok || late.Method != protocol.MethodDiscover {
				t.Errorf("Connect: %v", err)
			}
			if _, kept, err := eras.Verdict(t.Context(), key); !kept || err != nil {
				t.Errorf("remembered: %v, %v", kept, err)
			}
		})
	}
}

// Time that passes between requests is a timeout like any other: here in the wait
// for the probe of another client.
func TestTheWaitForAnothersProbeEndsInATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eras := erecache.New(time.Now)
		connect := func(limit time.Duration) error {
			_, err := client.Connect(t.Context(), mutePuppet{newPuppet(negotiation.HTTP, silentPlay)},
				client.WithEraCache(eras), client.WithConnectTimeout(limit), client.WithProbeTimeout(time.Hour))
			return err
		}
		first := make(chan error)
		go func() { first <- connect(time.Minute) }()
		synctest.Wait()
		err := connect(time.Second)
		if !errors.As(err, new(*client.ConnectError)) || !errors.As(err, new(*transport.TimeoutError)) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who waited: %v", err)
		}
		if err := <-first; !errors.As(err, new(*transport.TimeoutError)) {
			t.Errorf("who probed: %v", err)
		}
	})
}
