package faultsuite_test

import (
	"slices"
	"testing"

	"github.com/mcpera/mcpera/conformance/fault"
	kinds "github.com/mcpera/mcpera/conformance/internal/kind"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
)

// A memory is what the client remembers of a server when it connects.
type memory string

const (
	nothing memory = ""
	right   memory = "its era is remembered"
	wrong   memory = "the other era is remembered"
)

var memories = []memory{nothing, right, wrong}

// impossible says why it makes no difference in c.
func (m memory) impossible(c cell) string {
	switch {
	case m == nothing:
		return ""
	case c.phase != probe && c.phase != initialize && c.phase != call:
		return "it is over by then"
	case c.phase == call && !c.fault.over:
		return "how the connection came about matters to what ends it, if to anything"
	case m == right && c.era == negotiation.EraLegacy && c.phase == probe:
		return "a legacy server that is known is not probed"
	default:
		return ""
	}
}

// recalls returns the era that is remembered.
func (c cell) recalls() negotiation.Era {
	switch {
	case c.memory == nothing:
		return negotiation.EraUnknown
	case (c.memory == right) == (c.era == negotiation.EraModern):
		return negotiation.EraModern
	default:
		return negotiation.EraLegacy
	}
}

// remember puts into eras what is remembered.
func (c cell) remember(t *testing.T, eras *erecache.Cache, key erecache.Key) {
	t.Helper()
	era, version := c.recalls(), "2026-07-28"
	switch era {
	case negotiation.EraUnknown:
		return
	case negotiation.EraLegacy:
		version = "2025-11-25"
	}
	if err := eras.Remember(t.Context(), key, era, version); err != nil {
		t.Fatal(err)
	}
}

// alsoRemembered is what else Connect may end in, when it meets the fault in a probe
// of a server whose era is remembered. What leaves the era open refutes no modern
// verdict, so that initialize is not sent; and over stdio a slow server is waited for.
// One that had refuted a legacy verdict refuses initialize again.
func (c cell) alsoRemembered(means kind) []kind {
	switch {
	case c.memory == nothing, c.place == after:
		return nil
	case c.recalls() == negotiation.EraLegacy:
		return []kind{server, undecided}
	case means == timeout, means == canceled:
		return []kind{means}
	default:
		return []kind{undecided}
	}
}

// checkMemory holds promise 4: a verdict that the server refutes is forgotten, and
// the server is probed once more. A refusal or an outage refutes nothing.
func (c cell) checkMemory(t *testing.T, s scripted, v visit, remembered bool) {
	t.Helper()
	// Before the fault is met, or together with it.
	refuted := c.memory == wrong && (c.era == negotiation.EraModern || c.phase != probe || c.place == after)
	spared := slices.Contains([]kind{unavailable, auth, timeout, canceled}, kinds.Of(v.connect))
	switch {
	case v.opened:
	case refuted && remembered:
		t.Error("what the server refuted is still remembered")
	case !refuted && spared && !remembered:
		t.Errorf("forgotten because of %v", v.connect)
	}
	most := 2
	if c.phase == probe { // each is repeated in an outage
		most *= 2
	}
	if n := s.Count("server/discover"); n > most {
		t.Errorf("%d probes", n)
	}
	if n := s.Count("initialize"); n > 4 { // two, each sent again in an outage
		t.Errorf("initialize was sent %d times", n)
	}
	if !c.wire.isHTTP() {
		probes := make(map[int]int)
		for _, r := range s.Records() {
			if r.Key == "server/discover" {
				probes[r.Process]++
			}
			if probes[r.Process] > 1 {
				t.Errorf("process %d was probed twice", r.Process)
			}
		}
		if n := s.Count(fault.Start); n > 3 {
			t.Errorf("%d processes", n)
		}
	}
}
