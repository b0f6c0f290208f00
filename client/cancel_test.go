package client_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// silentCall makes tools/call of a script wait for ever, the first time.
func silentCall(s fault.Script) fault.Script {
	return s.With(fault.Script{protocol.MethodCallTool: {{fault.Silence()}, {fault.Content("done")}}})
}

// eachWay runs f for each era and transport.
func eachWay(t *testing.T, change func(fault.Script) fault.Script, f func(t *testing.T, s *scripted, modernHTTP bool)) {
	t.Helper()
	modern, legacy := change(fault.Modern()), change(fault.Legacy("2025-11-25"))
	t.Run("modern HTTP", func(t *testing.T) { f(t, overHTTP(t, modern), true) })
	t.Run("modern stdio", func(t *testing.T) { f(t, overStdio(t, modern), false) })
	t.Run("legacy HTTP", func(t *testing.T) { f(t, overHTTP(t, legacy), false) })
	t.Run("legacy stdio", func(t *testing.T) { f(t, overStdio(t, legacy), false) })
}

// B060, B-CAN-01, M-HTTP-21, M-STD-05, L-HTTP-08: the end of a context closes a
// modern stream, and is told everywhere else, with the id of the call.
func TestTheEndOfAContextCancelsAtTheServer(t *testing.T) {
	eachWay(t, silentCall, func(t *testing.T, s *scripted, modernHTTP bool) {
		c := s.connected(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, "echo", nil)
			done <- err
		}()
		called := s.await(t, protocol.MethodCallTool, 1)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("CallTool: %v", err)
		}
		if modernHTTP {
			s.await(t, fault.Left, 1)
		} else if told := s.await(t, protocol.MethodCancelled, 1).Body; member(t, told, "params", "requestId") != called.ID {
			t.Errorf("told %s of request %s", told, called.ID)
		}
		if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
			t.Errorf("the next call: %v, %v", r, err)
		}
		if n := s.Count(protocol.MethodCancelled); modernHTTP && n != 0 {
			t.Errorf("told of a cancellation %d times over modern HTTP", n)
		}
	})
}

// B-CAN-02: what was never sent, or has been answered, is not canceled.
func TestACallWithAnEndedContextIsNotSent(t *testing.T) {
	eachWay(t, silentCall, func(t *testing.T, s *scripted, _ bool) {
		c := s.connected(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.CallTool(ctx, "echo", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("CallTool: %v", err)
		}
		if n := s.Count(protocol.MethodCallTool); n != 0 {
			t.Errorf("%d requests", n)
		}
		ctx, cancel = context.WithCancel(t.Context())
		if _, err := c.ListTools(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		for _, r := range s.Records() {
			if r.Key == protocol.MethodCancelled || r.Key == fault.Left && r.Body != "" {
				t.Errorf("canceled: %s", r)
			}
		}
	})
}

// B061, B-CAN-03, B-CAN-04: an answer that crosses the cancellation is nobody's.
func TestALateAnswerIsIgnored(t *testing.T) {
	for era, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
		t.Run(era, func(t *testing.T) {
			s := overStdio(t, script.With(fault.Script{protocol.MethodCallTool: {
				{fault.After(protocol.MethodCancelled), fault.Content("too late")},
				{fault.Content("fresh")},
			}}))
			c := s.connected(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := c.CallTool(ctx, "echo", nil)
				done <- err
			}()
			s.await(t, protocol.MethodCallTool, 1)
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("CallTool: %v", err)
			}
			for range 3 {
				if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "fresh" {
					t.Errorf("the next call: %v, %v", r, err)
				}
			}
		})
	}
}

// L-CAN-08: initialize is never canceled, however Connect ends.
func TestInitializeIsNeverCanceled(t *testing.T) {
	overBoth(t, fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodInitialize: {{fault.Silence()}}}), func(t *testing.T, s *scripted) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			c, err := client.Connect(ctx, s.transport(t), s.options(nil)...)
			if err == nil {
				_ = c.Close()
			}
			done <- err
		}()
		s.await(t, protocol.MethodInitialize, 1)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Connect: %v", err)
		}
		if n := s.Count(protocol.MethodCancelled); n != 0 {
			t.Errorf("told of a cancellation %d times", n)
		}
	})
}

// B056: the context given to Connect bounds Connect alone.
func TestConnectsContextBoundsConnectAlone(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c, err := client.Connect(ctx, p.open(t, p.era), client.WithEraCache(erecache.New(time.Now)), client.WithProbeTimeout(never))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			cancel()
			if r, err := c.CallTool(t.Context(), "test_simple_text", nil); err != nil || r.Text() == "" {
				t.Errorf("CallTool: %v, %v", r, err)
			}
			for change, err := range c.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}) {
				if err != nil || change.Kind != client.Acknowledged {
					t.Errorf("Subscribe: %v, %v", change, err)
				}
				break
			}
		})
	}
}

// Promise 6: Close ends what is under way, calls and handlers alike, and what
// comes later fails at once.
func TestCloseEndsCallsUnderWay(t *testing.T) {
	eachWay(t, silentCall, func(t *testing.T, s *scripted, _ bool) {
		c := s.connected(t)
		const calls = 5
		done := make(chan error, calls)
		go func() {
			_, err := c.CallTool(context.WithoutCancel(t.Context()), "echo", nil)
			done <- err
		}()
		s.await(t, protocol.MethodCallTool, 1)
		var closing sync.WaitGroup
		for range 3 {
			closing.Go(func() {
				if err := c.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
		}
		if err := <-done; !errors.Is(err, client.ErrClosed) {
			t.Errorf("the call under way: %v", err)
		}
		closing.Wait()
		if _, err := c.CallTool(t.Context(), "echo", nil); !errors.Is(err, client.ErrClosed) {
			t.Errorf("a later call: %v", err)
		}
		for _, err := range c.Tools(t.Context()) {
			if !errors.Is(err, client.ErrClosed) {
				t.Errorf("a later list: %v", err)
			}
		}
		for _, err := range c.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}) {
			if !errors.Is(err, client.ErrClosed) && !errors.Is(err, client.ErrNoSubscriptions) {
				t.Errorf("a later subscription: %v", err)
			}
		}
	})
}

// A handler at work sees the end of its context when the client is closed.
func TestCloseEndsHandlersAtWork(t *testing.T) {
	overBoth(t, legacyAsks(protocol.MethodListRoots, `{}`), func(t *testing.T, s *scripted) {
		working, ended := make(chan struct{}), make(chan struct{})
		c := s.connected(t, client.WithHandler(rooter(func(ctx context.Context) ([]protocol.Root, error) {
			close(working)
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		})))
		go func() { _, _ = c.CallTool(context.WithoutCancel(t.Context()), "echo", nil) }()
		<-working
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		select {
		case <-ended:
		default:
			t.Error("Close returned while a handler was at work")
		}
	})
}

// A server that dies fails the calls under way at once.
func TestTheEndOfAServerFailsItsCalls(t *testing.T) {
	for era, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
		t.Run(era, func(t *testing.T) {
			s := overStdio(t, script.With(fault.Script{protocol.MethodCallTool: {{fault.Stderr("no disk\n"), fault.Exit(3)}}}))
			_, err := s.connected(t).CallTool(t.Context(), "echo", nil)
			if !errors.Is(err, transport.ErrClosed) || !containsAll(err.Error(), "no disk") {
				t.Errorf("CallTool: %v", err)
			}
		})
	}
}
