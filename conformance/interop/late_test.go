package interop_test

import (
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/interop"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

func TestASlowStartIsNotTakenForAnEra(t *testing.T) {
	refused := []string{protocol.MethodDiscover, protocol.MethodInitialize}
	type opened struct {
		era     negotiation.Era
		opening []string
	}
	for name, tc := range map[string]struct {
		mode        string
		first, next opened
	}{
		"a modern server refuses initialize, and is modern": {
			"modern", opened{negotiation.EraModern, refused}, opened{negotiation.EraModern, interop.Discover},
		},
		"a dual-era server accepts both, is legacy, and modern the next time": {
			"dual", opened{negotiation.EraLegacy, interop.Fallback}, opened{negotiation.EraModern, interop.Discover},
		},
		"a legacy server is legacy": {
			"legacy", opened{negotiation.EraLegacy, interop.Fallback}, opened{negotiation.EraLegacy, interop.Handshake},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The server starts once the probe has timed out and initialize is sent.
			command := stdioCommand(npmServers(t), "server.mjs", tc.mode, "stdio")
			s := interop.SlowStdio(t, len(refused), command...)
			opts := append(interop.Caches(), client.WithProbeTimeout(time.Second))
			for _, want := range []opened{tc.first, tc.next} {
				got := interop.Visit(t, s, greetAda, opts...)
				interop.CheckOpening(t, got, want.era, want.opening)
				if text := greeting(want.era); got.Text != text {
					t.Errorf("the call returned %q, want %q", got.Text, text)
				}
			}
		})
	}
}
