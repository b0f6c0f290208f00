package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/inmemory"
)

// M-VER-05, M-VER-06.
func TestARememberedEraIsUsed(t *testing.T) {
	overBoth(t, fault.Dual(), func(t *testing.T, s *scripted) {
		s.remember(t, negotiation.EraModern, "2026-07-28")
		if diff := cmp.Diff(becomesModern, s.open(t)); diff != "" {
			t.Errorf("modern (-want +got):\n%s", diff)
		}
		s.remember(t, negotiation.EraLegacy, "2025-11-25")
		want := opening{Methods: initOnly, Opened: "legacy 2025-11-25", Remembered: "legacy 2025-11-25"}
		if diff := cmp.Diff(want, s.open(t)); diff != "" {
			t.Errorf("legacy (-want +got):\n%s", diff)
		}
	})
}

func TestNegotiationTellsWhereTheEraCameFrom(t *testing.T) {
	s := overHTTP(t, fault.Dual())
	want := client.Negotiation{Verdict: "modern 2026-07-28", Row: "valid DiscoverResult with a mutual modern version", RoundTrips: 1}
	if diff := cmp.Diff(want, s.connected(t).Negotiation()); diff != "" {
		t.Errorf("first (-want +got):\n%s", diff)
	}
	again := s.connected(t).Negotiation()
	if !again.FromCache || again.RoundTrips != 1 {
		t.Errorf("second: %+v, want it from the cache", again)
	}
}

func TestAnEraIsRememberedForItsServerOnly(t *testing.T) {
	modern, legacy := overHTTP(t, fault.Dual()), overHTTP(t, fault.Legacy("2025-11-25"))
	legacy.eras = modern.eras
	if diff := cmp.Diff(becomesModern, modern.open(t)); diff != "" {
		t.Errorf("one server (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(becomesLegacy, legacy.open(t)); diff != "" {
		t.Errorf("another (-want +got):\n%s", diff)
	}
}

// M-VER-06: a remembered legacy server has become modern, or the address is
// another's.
func TestARefutedLegacyVerdictIsForgottenAndTheServerProbedOnce(t *testing.T) {
	want := opening{
		Methods: "initialize server/discover",
		Opened:  "modern 2026-07-28", Remembered: "modern 2026-07-28",
	}
	for name, answer := range map[string]fault.Answer{
		"-32601":         {fault.Status(404), fault.Error(-32601, "method not found")},
		"-32022":         {fault.Status(400), fault.Unsupported("2026-07-28")},
		"-32602":         {fault.Error(-32602, "no _meta")},
		"modern version": {fault.Initialize("2026-07-28")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, fault.Modern().With(fault.Script{protocol.MethodInitialize: {answer}}), func(t *testing.T, s *scripted) {
				s.remember(t, negotiation.EraLegacy, "2025-11-25")
				if diff := cmp.Diff(want, s.open(t)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
	for _, status := range []int{400, 404, 405} {
		t.Run(fmt.Sprint("HTTP ", status), func(t *testing.T) {
			t.Parallel()
			s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodInitialize: {{fault.Status(status)}}}))
			s.remember(t, negotiation.EraLegacy, "2025-11-25")
			if diff := cmp.Diff(want, s.open(t)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// M-VER-06.
func TestARefutedModernVerdictIsForgottenAndTheServerProbedOnce(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"-32601":                {fault.Error(-32601, "method not found")},
		"legacy versions only":  {fault.Discover("2025-11-25")},
		"-32022 of legacy only": {fault.Status(400), fault.Unsupported("2025-11-25")},
		"another result":        {fault.Result(`{}`)},
		"an error of old":       {fault.Status(400), fault.Error(-32000, "session required")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, answering(answer), func(t *testing.T, s *scripted) {
				s.remember(t, negotiation.EraModern, "2026-07-28")
				want := opening{
					Methods: "server/discover " + probeThenInit,
					Opened:  "legacy 2025-11-25", Remembered: "legacy 2025-11-25",
				}
				if diff := cmp.Diff(want, s.open(t)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// What an opened process says proves nothing, so the new probe has its own.
func TestARefutedProcessIsReplaced(t *testing.T) {
	s := overStdio(t, fault.Legacy("2025-11-25"))
	s.remember(t, negotiation.EraModern, "2026-07-28")
	s.connected(t)
	if n := s.Count(fault.Start); n != 2 {
		t.Errorf("%d starts, want 2", n)
	}
}

// M-VER-06: after the one new probe its error stands, whatever it is.
func TestAServerThatRefutesEverythingIsProbedNoMoreThanOnce(t *testing.T) {
	script := fault.Script{
		protocol.MethodDiscover:   {{fault.Status(400), fault.Error(-32020, "no")}},
		protocol.MethodInitialize: {{fault.Status(404), fault.Error(-32601, "no")}},
	}
	overBoth(t, script, func(t *testing.T, s *scripted) {
		s.remember(t, negotiation.EraLegacy, "2025-11-25")
		want := opening{Methods: "initialize server/discover", Failed: "verdict header_mismatch", Remembered: "nothing"}
		if diff := cmp.Diff(want, s.open(t)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// B004: a refusal or an outage says nothing against a verdict.
func TestARefusalLeavesTheRememberedEraAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		want   string // attempts left out
	}{
		"401":     {fault.Answer{fault.Status(401)}, "auth 401"},
		"403":     {fault.Answer{fault.Status(403), fault.Error(-32600, "no")}, "auth 403"},
		"429":     {fault.Answer{fault.Status(429)}, "unavailable 429"},
		"503":     {fault.Answer{fault.Status(503)}, "unavailable 503"},
		"a reset": {fault.Answer{fault.Reset()}, "unavailable 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overHTTP(t, fault.Script{fault.Any: {tc.answer}})
			s.remember(t, negotiation.EraModern, "2026-07-28")
			got := s.open(t)
			if !strings.HasPrefix(got.Failed, tc.want) || got.Remembered != "modern 2026-07-28" || strings.Contains(got.Methods, "initialize") {
				t.Errorf("a modern verdict: %+v, want %s and no initialize", got, tc.want)
			}
			s.remember(t, negotiation.EraLegacy, "2025-11-25")
			got = s.open(t)
			if !strings.HasPrefix(got.Failed, tc.want) || got.Remembered != "legacy 2025-11-25" || strings.Contains(got.Methods, "discover") {
				t.Errorf("a legacy verdict: %+v, want %s and no probe", got, tc.want)
			}
		})
	}
}

// A modern error is what a modern server says.
func TestAModernErrorLeavesARememberedModernVerdictAlone(t *testing.T) {
	overBoth(t, answering(fault.Answer{fault.Status(400), fault.Error(-32020, "no")}), func(t *testing.T, s *scripted) {
		s.remember(t, negotiation.EraModern, "2026-07-28")
		want := opening{Methods: probeOnly, Failed: "verdict header_mismatch", Remembered: "modern 2026-07-28"}
		if diff := cmp.Diff(want, s.open(t)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A connection that is modern stays so, but the next one asks anew.
func TestACallThatMeetsLegacyVersionsOnlyForgetsTheVerdict(t *testing.T) {
	overBoth(t, fault.Dual().With(fault.Script{
		protocol.MethodListTools: {{fault.Status(400), fault.Unsupported("2025-11-25", "2025-06-18")}},
	}), func(t *testing.T, s *scripted) {
		c := s.connected(t)
		if _, err := c.ListTools(t.Context()); kindOf(err) != "tools/list server error -32022" {
			t.Errorf("ListTools: %v", err)
		}
		if c.Era() != negotiation.EraModern {
			t.Errorf("the connection became %s", c.Era())
		}
		if got := s.remembered(t); got != "nothing" {
			t.Errorf("remembered %s, want nothing", got)
		}
		if diff := cmp.Diff([]string{"server/discover", "tools/list"}, s.Methods()); diff != "" {
			t.Errorf("methods (-want +got):\n%s", diff)
		}
	})
}

// B008: nor does an unrelated refusal of a call start the detection again.
func TestACallThatFailsIsNoNegotiation(t *testing.T) {
	for name, base := range map[string]fault.Script{"modern": fault.Dual(), "legacy": fault.Legacy("2025-11-25")} {
		for _, status := range []int{400, 401, 404, 405, 422, 500, 503} {
			t.Run(fmt.Sprint(name, " ", status), func(t *testing.T) {
				t.Parallel()
				s := overHTTP(t, base.With(fault.Script{
					protocol.MethodCallTool: {{fault.Status(status), fault.Raw("no")}},
				}))
				c := s.connected(t)
				before, opened := s.remembered(t), len(s.Methods())
				if _, err := c.CallTool(t.Context(), "echo", nil); err == nil {
					t.Error("the call succeeded")
				}
				if diff := cmp.Diff([]string{"tools/call"}, s.Methods()[opened:]); diff != "" {
					t.Errorf("methods (-want +got):\n%s", diff)
				}
				if got := s.remembered(t); got != before || c.Era().String() != name {
					t.Errorf("remembered %s, before %s; the connection is %s", got, before, c.Era())
				}
			})
		}
	}
}

func TestAnExpiredVerdictIsProbedAnew(t *testing.T) {
	s := overHTTP(t, fault.Dual())
	now := newStill()
	s.eras = erecache.New(now.Now, erecache.WithTTL(time.Hour))
	s.remember(t, negotiation.EraLegacy, "2025-11-25")
	now.advance(time.Hour)
	if got := s.open(t).Methods; got != initOnly {
		t.Errorf("at its limit: %s, want %s", got, initOnly)
	}
	now.advance(time.Nanosecond)
	if diff := cmp.Diff(becomesModern, s.open(t)); diff != "" {
		t.Errorf("past its limit (-want +got):\n%s", diff)
	}
}

func TestATTLOfZeroTrustsNothing(t *testing.T) {
	s := overHTTP(t, fault.Dual())
	s.remember(t, negotiation.EraLegacy, "2025-11-25")
	for range 2 {
		if got := s.open(t, client.WithEraTTL(0)).Methods; got != probeOnly {
			t.Errorf("the server saw %s, want %s", got, probeOnly)
		}
	}
}

// A brokenStore fails always.
type brokenStore struct{}

var errBroken = errors.New("the disk is full")

func (brokenStore) Load(context.Context, erecache.Key) (erecache.Entry, bool, error) {
	return erecache.Entry{}, false, errBroken
}

func (brokenStore) Save(context.Context, erecache.Key, erecache.Entry) error { return errBroken }

func (brokenStore) CompareAndDelete(context.Context, erecache.Key, erecache.Entry) error {
	return errBroken
}

func TestAFailingStoreCostsAProbeOnly(t *testing.T) {
	overBoth(t, fault.Dual(), func(t *testing.T, s *scripted) {
		broken := client.WithEraCache(erecache.New(time.Now, erecache.WithStore(brokenStore{})))
		want := becomesModern
		want.Remembered = "nothing"
		for range 2 {
			if diff := cmp.Diff(want, s.open(t, broken)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
}

// publicly answers the probe so that everyone may keep the answer for an hour;
// privately, so that the same credentials may.
func publicly() fault.Step  { return keepable("public") }
func privately() fault.Step { return keepable("private") }

func keepable(scope string) fault.Step {
	return fault.Result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},` +
		`"ttlMs":3600000,"cacheScope":"` + scope + `","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"kept","version":"1"}}}`)
}

func TestADiscoverResultIsKeptForThoseWhoMayHaveIt(t *testing.T) {
	alice, bob := mcphttp.WithHeader("Authorization", "Bearer alice"), mcphttp.WithHeader("Authorization", "Bearer bob")
	for name, tc := range map[string]struct {
		discover fault.Step
		of       []mcphttp.Option // the principals that connect one after another
		pass     time.Duration    // between them
		want     int              // how many asked the server
	}{
		"a public one, of one principal":      {publicly(), []mcphttp.Option{alice, alice}, 0, 1},
		"a public one, of another principal":  {publicly(), []mcphttp.Option{alice, bob}, 0, 1},
		"a private one, of one principal":     {privately(), []mcphttp.Option{alice, alice}, 0, 1},
		"a private one, of another principal": {privately(), []mcphttp.Option{alice, bob}, 0, 2},
		"a private one, of both again":        {privately(), []mcphttp.Option{alice, bob, alice, bob}, 0, 2},
		"not one that expired":                {publicly(), []mcphttp.Option{alice, alice}, time.Hour, 2},
		"not one that may not be kept":        {fault.Discover("2026-07-28"), []mcphttp.Option{alice, alice}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodDiscover: {{tc.discover}}}))
			now := newStill()
			answers := client.WithResponseCache(responsecache.New(now.Now))
			var names []string
			for _, principal := range tc.of {
				c, err := client.Connect(t.Context(), s.transportAs(t, principal), s.options([]client.Option{answers})...)
				if err != nil {
					t.Fatal(err)
				}
				if c.Era() != negotiation.EraModern {
					t.Errorf("connected in the %s era", c.Era())
				}
				names = append(names, c.ServerInfo().Name)
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				now.advance(tc.pass)
			}
			if n := s.Count(protocol.MethodDiscover); n != tc.want {
				t.Errorf("asked %d times, want %d", n, tc.want)
			}
			for _, name := range names {
				if name != names[0] {
					t.Errorf("server infos differ: %q", names)
				}
			}
		})
	}
}

func TestAKeptDiscoverResultIsNoEra(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodDiscover: {{publicly()}}}))
	answers := client.WithResponseCache(responsecache.New(time.Now))
	s.open(t, answers)
	s.eras = erecache.New(time.Now) // another process, say, or a verdict that expired
	if diff := cmp.Diff(becomesModern, s.open(t, answers)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Nothing tells one server in memory from another.
func TestATransportThatNamesNoServerSharesNoEra(t *testing.T) {
	eras := erecache.New(time.Now)
	for _, era := range []conformance.Era{conformance.Legacy, conformance.Legacy, conformance.Modern} {
		tr, err := inmemory.New(conformance.New(conformance.WithEra(era)).ServeStdio)
		if err != nil {
			t.Fatal(err)
		}
		c, err := client.Connect(t.Context(), tr, client.WithEraCache(eras))
		if err != nil {
			t.Fatal(err)
		}
		if c.Era().String() != era.String() || c.Negotiation().FromCache {
			t.Errorf("%v: %v, %+v", era, c.Era(), c.Negotiation())
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
