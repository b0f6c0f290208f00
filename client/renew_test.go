package client_test

import (
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// Promise 4: a server that has become another, and refuses the opening of its era,
// is asked anew by the next Connect. The connection itself keeps its era.
func TestAnOpeningThatIsRefusedLaterForgetsTheEra(t *testing.T) {
	refused := fault.Answer{fault.Status(400), fault.Error(-32601, "method not found")}
	crashed := overStdio(t, crashing("legacy").With(fault.Script{
		protocol.MethodInitialize: {{fault.Initialize("2025-11-25")}, refused},
	}))
	forgotten := overHTTP(t, sessions(fault.Script{
		protocol.MethodInitialize: {{fault.Header("Mcp-Session-Id", "s-1"), fault.Initialize("2025-11-25")}, refused},
		protocol.MethodListTools:  {{fault.Status(404)}},
	}))
	down := overHTTP(t, sessions(fault.Script{
		protocol.MethodInitialize: {{fault.Header("Mcp-Session-Id", "s-1"), fault.Initialize("2025-11-25")}, {fault.Status(503)}},
		protocol.MethodListTools:  {{fault.Status(404)}},
	}))
	for name, tc := range map[string]struct {
		s    *scripted
		lose func(*testing.T, *client.Client)
		kept bool
	}{
		"after a restart":            {crashed, crash, false},
		"in place of a lost session": {forgotten, func(*testing.T, *client.Client) {}, false},
		"but not in an outage":       {down, func(*testing.T, *client.Client) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := tc.s.connected(t)
			tc.lose(t, c)
			if _, err := c.ListTools(t.Context()); err == nil {
				t.Error("the call that met it: no error")
			}
			if _, kept, err := tc.s.eras.Verdict(t.Context(), tc.s.key); kept != tc.kept || err != nil {
				t.Errorf("remembered: %v, %v; want %v", kept, err, tc.kept)
			}
			if got := c.Era(); got != negotiation.EraLegacy {
				t.Errorf("the connection is %v", got)
			}
		})
	}
}
