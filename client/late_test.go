package client_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// The servers of this file answer the probe after its time, which soonLate
// makes very short; all order between their answers is the script's.

func TestALateDiscoverResultAndARefusedInitializeAreModern(t *testing.T) {
	refused := fault.Error(0, "duplicate initialize")
	for name, script := range map[string]fault.Script{
		"the DiscoverResult first": {
			protocol.MethodDiscover:   {{fault.After("initialize"), fault.Discover("2026-07-28")}},
			protocol.MethodInitialize: {{fault.Answered("server/discover"), refused}},
		},
		"the refusal first": {
			protocol.MethodDiscover:   {{fault.Answered("initialize"), fault.Discover("2026-07-28")}},
			protocol.MethodInitialize: {{refused}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overStdio(t, fault.Modern().With(script))
			want := opening{
				Methods: "server/discover initialize",
				Opened:  "modern 2026-07-28", Remembered: "modern 2026-07-28",
			}
			if diff := cmp.Diff(want, s.open(t, soonLate)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := s.Count(fault.Start); n != 1 {
				t.Errorf("%d starts, want 1", n)
			}
		})
	}
}

// The process is legacy from then on, but the server is not.
func TestALateDiscoverResultAndAnAcceptedInitializeAreLegacyNowAndModernLater(t *testing.T) {
	for name, script := range map[string]fault.Script{
		"the DiscoverResult first": {
			protocol.MethodDiscover:   {{fault.After("initialize"), fault.Discover("2026-07-28")}, {fault.Discover("2026-07-28")}},
			protocol.MethodInitialize: {{fault.Answered("server/discover"), fault.Initialize("2025-06-18")}},
		},
		"the DiscoverResult during the handshake": {
			protocol.MethodDiscover: {{fault.After("notifications/initialized"), fault.Discover("2026-07-28")}, {fault.Discover("2026-07-28")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overStdio(t, fault.Dual().With(script).With(fault.Script{
				protocol.MethodListTools: {{fault.Answered("server/discover"), fault.Tools("echo")}},
			}))
			c := s.connected(t, soonLate)
			if c.Era() != negotiation.EraLegacy {
				t.Errorf("the connection is %s, want legacy", c.Era())
			}
			if _, err := c.ListTools(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			want := []string{"server/discover", "initialize", "notifications/initialized", "tools/list"}
			if diff := cmp.Diff(want, s.Methods()); diff != "" {
				t.Errorf("methods (-want +got):\n%s", diff)
			}
			next := opening{Methods: probeOnly, Opened: "modern 2026-07-28", Remembered: "modern 2026-07-28"}
			if diff := cmp.Diff(next, s.open(t)); diff != "" {
				t.Errorf("next Connect (-want +got):\n%s", diff)
			}
		})
	}
}

func TestADiscoverResultAfterConnectIsRemembered(t *testing.T) {
	s := overStdio(t, fault.Dual().With(fault.Script{
		protocol.MethodDiscover: {{fault.Hold("connected"), fault.Discover("2026-07-28")}},
	}))
	decided := make(chan struct{})
	received := client.WithTrace(func(e client.Event) {
		if e.Kind == client.Received && e.Method == protocol.MethodDiscover {
			close(decided)
		}
	})
	c := s.connected(t, soonLate, received)
	if got := s.remembered(t); got != "legacy 2025-11-25" || c.Era() != negotiation.EraLegacy {
		t.Errorf("connected in the %s era, remembered is %s", c.Era(), got)
	}
	s.Release("connected")
	<-decided
	if err := c.Close(); err != nil { // waits for what the client still does
		t.Fatal(err)
	}
	if got := s.remembered(t); got != "modern 2026-07-28" {
		t.Errorf("remembered %s, want modern", got)
	}
}

func TestALateAnswerThatIsNotModernChangesNothing(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"-32601":           {fault.After("initialize"), fault.Error(-32601, "no")},
		"-32022":           {fault.After("initialize"), fault.Unsupported("2027-01-01")},
		"another result":   {fault.After("initialize"), fault.Result(`{}`)},
		"never":            {fault.Silence()},
		"after the answer": {fault.Answered("initialize"), fault.Error(-32601, "no")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(becomesLegacy, overStdio(t, answering(answer)).open(t, soonLate)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnInitializeThatIsNeverAnsweredLeavesTheLateDiscoverResult(t *testing.T) {
	s := overStdio(t, fault.Modern().With(fault.Script{
		protocol.MethodDiscover:   {{fault.After("initialize"), fault.Discover("2026-07-28")}},
		protocol.MethodInitialize: {{}},
	}))
	want := opening{
		Methods: "server/discover initialize",
		Opened:  "modern 2026-07-28", Remembered: "modern 2026-07-28",
	}
	if diff := cmp.Diff(want, s.open(t, soonLate, client.WithSlowStart(time.Millisecond))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := s.Count(fault.Start); n != 2 {
		t.Errorf("%d starts, want a fresh process for the modern era", n)
	}
}

func TestALateErrorStandsBesideThatOfInitialize(t *testing.T) {
	s := overStdio(t, fault.Script{
		protocol.MethodDiscover: {{fault.After("initialize"), fault.Error(-32020, "no")}},
	})
	want := opening{
		Methods:    "server/discover initialize",
		Failed:     "initialize server error -32601, also server/discover server error -32020",
		Remembered: "nothing",
	}
	if diff := cmp.Diff(want, s.open(t, soonLate)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARefusedInitializeDoesNotWaitLongForTheProbe(t *testing.T) {
	s := overStdio(t, fault.Script{
		protocol.MethodDiscover:   {{}},
		protocol.MethodInitialize: {{fault.Error(-32603, "db down")}},
	})
	got := s.open(t, soonLate, client.WithSlowStart(time.Millisecond))
	want := opening{
		Methods:    "server/discover initialize",
		Failed:     "initialize server error -32603, also timeout",
		Remembered: "nothing",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAProcessThatLeavesAfterALateInitializeReportsBoth(t *testing.T) {
	s := overStdio(t, fault.Script{
		protocol.MethodDiscover:   {{}},
		protocol.MethodInitialize: {{fault.Stderr("gone\n"), fault.Exit(2)}},
	})
	got := s.open(t, soonLate)
	if got.Failed != "exit exit status 2, also timeout" || got.Remembered != "nothing" {
		t.Errorf("Connect left %+v", got)
	}
	if n := s.Count(fault.Start); n != 1 {
		t.Errorf("%d starts, want 1", n)
	}
}

// A server that is known to be modern is not given up on for being slow.
func TestARememberedModernServerMayBeSlow(t *testing.T) {
	s := overStdio(t, fault.Dual().With(fault.Script{
		protocol.MethodDiscover: {{fault.Hold("booted"), fault.Discover("2026-07-28")}},
	}))
	s.remember(t, negotiation.EraModern, "2026-07-28")
	opened := make(chan opening, 1)
	go func() { opened <- s.open(t, soonLate) }()
	s.await(t, protocol.MethodDiscover, 1)
	s.Release("booted")
	want := opening{Methods: probeOnly, Opened: "modern 2026-07-28", Remembered: "modern 2026-07-28"}
	if diff := cmp.Diff(want, <-opened); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
