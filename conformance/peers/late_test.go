package peers_test

import (
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/interop"
)

func TestASlowStartDoesNotMakeAModernServerLegacy(t *testing.T) {
	for _, name := range []string{"go-sdk", "mcp-go"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overStdio(t, name)
			opts := append(interop.Caches(), client.WithProbeTimeout(time.Nanosecond))
			for range 2 {
				t.Logf("%+v", interop.Visit(t, s, greet, opts...))
			}
		})
	}
}
