package peers_test

import (
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/interop"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// These servers work at both messages at the same time: whether initialize is
// accepted or refused differs from run to run. Either way the connection works
// and does not mix eras, and the next one is modern.
func TestASlowStartDoesNotMakeAServerLegacyForGood(t *testing.T) {
	for _, name := range []string{"go-sdk", "mcp-go"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The server starts once the probe has timed out and initialize is sent.
			s := interop.SlowStdio(t, 2, stdioCommand(t, name)...)
			opts := append(interop.Caches(), client.WithProbeTimeout(time.Second))

			got := interop.Visit(t, s, greet, opts...)
			opening := interop.Fallback
			if got.Era == negotiation.EraModern {
				opening = []string{protocol.MethodDiscover, protocol.MethodInitialize}
			}
			interop.CheckOpening(t, got, got.Era, opening)
			if got.Text != "Hello, Ada" {
				t.Errorf("the call returned %q", got.Text)
			}

			got = interop.Visit(t, s, greet, opts...)
			interop.CheckOpening(t, got, negotiation.EraModern, interop.Discover)
		})
	}
}
