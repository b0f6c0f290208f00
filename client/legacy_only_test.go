package client_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// L-VER-03: a method of the other era says so, and what to do instead.
func TestWhatOneEraLacksIsATypedError(t *testing.T) {
	c := overHTTP(t, fault.Modern()).connected(t)
	for name, err := range map[string]error{
		"ping": c.Ping(t.Context()), "logging/setLevel": c.SetLogLevel(t.Context(), protocol.LogInfo),
	} {
		if e, ok := errors.AsType[*client.EraError](err); !ok || e.Method != name || e.Instead == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.RootsChanged(t.Context()); err != nil {
		t.Errorf("RootsChanged: %v", err)
	}
}

// L-PNG-02, B099, B100, B087: any answer to a ping is a sign of life, whatever
// it says. When to ping is the program's choice.
func TestAnyAnswerToAPingProvesLife(t *testing.T) {
	for name, step := range map[string]fault.Step{
		"a result": fault.Result(`{}`), "a list": fault.Result(`[]`),
		"-32601": fault.Error(-32601, "no"), "-32600": fault.Error(-32600, "ping is not available"), "-32603": fault.Error(-32603, "no"),
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodPing: {{step}}}), func(t *testing.T, s *scripted) {
				if err := s.connected(t).Ping(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
	s := overStdio(t, fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodPing: {{fault.Exit(1)}}}))
	if err := s.connected(t).Ping(t.Context()); err == nil {
		t.Error("a dead server answered")
	}
}

// L-ROT-05: a change of roots is told where that was declared.
func TestAChangeOfRootsIsTold(t *testing.T) {
	lists := rooter(func(ctx context.Context) ([]protocol.Root, error) { return nil, nil })
	for name, tc := range map[string]struct {
		opts []client.Option
		told int
	}{
		"declared":            {[]client.Option{client.WithHandler(lists), client.WithRootsListChanged()}, 1},
		"not declared":        {[]client.Option{client.WithHandler(lists)}, 0},
		"without any handler": {[]client.Option{client.WithRootsListChanged()}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fault.Legacy("2025-11-25"), func(t *testing.T, s *scripted) {
				c := s.connected(t, tc.opts...)
				if err := errors.Join(c.RootsChanged(t.Context()), c.Ping(t.Context())); err != nil {
					t.Error(err)
				}
				if n := s.Count(protocol.MethodRootsListChanged); n != tc.told {
					t.Errorf("told %d times, want %d", n, tc.told)
				}
				declared := member(t, s.await(t, protocol.MethodInitialize, 1).Body, "params", "capabilities", "roots")
				if (declared == `{"listChanged":true}`) != (tc.told == 1) {
					t.Errorf("declared %s", declared)
				}
			})
		})
	}
}
