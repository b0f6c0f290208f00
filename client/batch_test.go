package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

const (
	anyNote      = `{"jsonrpc":"2.0","method":"notifications/any"}`
	listedInTurn = `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`
)

// O-BAT-01, B040: a server of 2025-03-26 may answer with a batch.
func TestBatchesOf20250326AreReceived(t *testing.T) {
	script := fault.Legacy("2025-03-26").With(fault.Script{
		protocol.MethodListTools: {{fault.Message("[" + anyNote + "," + listedInTurn + "," + anyNote + "]")}},
	})
	overBoth(t, script, func(t *testing.T, s *scripted) {
		notes := make(chan struct{}, 8)
		c := s.connected(t, client.WithIncoming(func(m *protocol.Message) {
			if m.Method == "notifications/any" {
				notes <- struct{}{}
			}
		}))
		page, err := c.ListTools(t.Context())
		if err != nil || len(page.Tools.Items) != 1 {
			t.Fatalf("listed %+v, %v", page, err)
		}
		for range 2 {
			receiveSoon(t, notes)
		}
	})
}

func receiveSoon[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), never)
	defer cancel()
	select {
	case v := <-from:
		return v
	case <-ctx.Done():
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// B040: what stands where a response is due fails the call that it belongs to,
// at once, and nothing else.
func TestAnUnusableResponseFailsItsCall(t *testing.T) {
	for name, tc := range map[string]struct{ text, says string }{
		"a batch in a version without": {"[" + listedInTurn + "]", "a batch, which only protocol version 2025-03-26 has"},
		"a result in another case":     {`{"jsonrpc":"2.0","id":${id},"Result":{}}`, "no method, result or error"},
		"a result said twice":          {`{"jsonrpc":"2.0","id":${id},"result":{},"result":{}}`, "duplicate"},
		"neither UTF-8 nor well":       {"{\"jsonrpc\":\"2.0\",\"id\":${id},\"result\":\"\xff\"}", "UTF-8"},
		"brackets 100,000 deep":        {`{"jsonrpc":"2.0","id":${id},"result":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}", "exceeded max depth"},
		"objects 100,000 deep":         {`{"jsonrpc":"2.0","id":${id},"result":` + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000) + "}", "exceeded max depth"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for era, base := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
				script := base.With(fault.Script{protocol.MethodListTools: {{fault.Message(tc.text)}, {fault.Tools("echo")}}})
				t.Run(era, func(t *testing.T) {
					overBoth(t, script, func(t *testing.T, s *scripted) {
						c := s.connected(t, client.WithCallTimeout(never))
						_, err := c.ListTools(t.Context())
						if !errors.As(err, new(*transport.MessageError)) || !strings.Contains(err.Error(), tc.says) {
							t.Errorf("the call: %v, want a *MessageError that says %q", err, tc.says)
						}
						if _, err := c.ListTools(t.Context()); err != nil {
							t.Errorf("the call after it: %v", err)
						}
					})
				})
			}
		})
	}
}
