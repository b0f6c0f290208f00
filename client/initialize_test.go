package client_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// B007, L-VER-03: the version that the server answers with is the one from
// then on.
func TestTheServersLegacyVersionIsUsed(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			overBoth(t, fault.Legacy(version), func(t *testing.T, s *scripted) {
				want := opening{Methods: probeThenInit, Opened: "legacy " + version, Remembered: "legacy " + version}
				if diff := cmp.Diff(want, s.open(t)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// B007, L-VER-02: the connection is given up, and no era remembered.
func TestAnInitializeThatIsNotValidIsNoLegacyServer(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		failed string
	}{
		"an unknown version":  {fault.Answer{fault.Initialize("1900-01-01")}, "version 1900-01-01"},
		"a modern version":    {fault.Answer{fault.Initialize("2026-07-28")}, "version 2026-07-28"},
		"no version":          {fault.Answer{fault.Result(`{"capabilities":{},"serverInfo":{"name":"a","version":"1"}}`)}, "initialize unusable"},
		"a version by number": {fault.Answer{fault.Result(`{"protocolVersion":20251125}`)}, "initialize unusable"},
		"a list":              {fault.Answer{fault.Result(`[]`)}, "initialize unusable"},
		"null":                {fault.Answer{fault.Result(`null`)}, "initialize unusable"},
		"an error":            {fault.Answer{fault.Error(-32603, "db down")}, "initialize server error -32603"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodInitialize: {tc.answer}})
			overBoth(t, script, func(t *testing.T, s *scripted) {
				want := opening{
					Methods: "server/discover initialize", Remembered: "nothing",
					Failed: tc.failed + ", also server/discover server error -32601",
				}
				if diff := cmp.Diff(want, s.open(t)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// B007, L-VER-02.
func TestAnUnknownVersionIsNamedBesideTheOfferedOne(t *testing.T) {
	_, err := overHTTP(t, fault.Legacy("1900-01-01")).connect(t)
	if err == nil || !containsAll(err.Error(), "1900-01-01", "2025-11-25") {
		t.Errorf("Connect: %v", err)
	}
}

// B008: when the fallback fails too, both attempts are told.
func TestBothAttemptsStandInTheError(t *testing.T) {
	s := overHTTP(t, fault.Script{
		protocol.MethodDiscover:   {{fault.Status(400), fault.Raw("strictly no")}},
		protocol.MethodInitialize: {{fault.Status(500), fault.Header("Content-Type", "application/json"), fault.Raw(`{"error":"db down"}`)}},
	})
	_, err := s.connect(t)
	if err == nil || !containsAll(err.Error(), "server/discover", "HTTP 400", "strictly no", "initialize", "HTTP 500", "db down") {
		t.Errorf("Connect: %v", err)
	}
}

// L-INI-01, L-VER-01.
func TestInitializeOffersTheNewestLegacyVersion(t *testing.T) {
	overBoth(t, fault.Legacy("2025-06-18"), func(t *testing.T, s *scripted) {
		s.connected(t)
		body := s.await(t, protocol.MethodInitialize, 1).Body
		if !containsAll(body, `"protocolVersion":"2025-11-25"`, `"capabilities":{}`, `"clientInfo":{"name":"mcpera"`) {
			t.Errorf("initialize is %s", body)
		}
		if strings.Contains(body, "_meta") {
			t.Errorf("initialize carries modern metadata: %s", body)
		}
	})
}

// withSession is a legacy server that issues a session and speaks 2025-06-18.
func withSession(overlay fault.Script) fault.Script {
	return fault.Legacy("2025-06-18").With(fault.Script{
		protocol.MethodInitialize: {{fault.Header("Mcp-Session-Id", "s-1"), fault.Initialize("2025-06-18")}},
	}).With(overlay)
}

// B003, B009, L-HTTP-03, L-SES-01, L-SES-03, L-SES-04: initialize has neither
// session nor version, and all that follows has both, as they were agreed on.
func TestSessionAndVersionHeadersFollowInitialize(t *testing.T) {
	s := overHTTP(t, withSession(fault.Script{fault.DELETE: {{fault.Status(204)}}}))
	c := s.connected(t)
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	type headers struct{ Session, Version, Method string }
	want := map[string]headers{
		protocol.MethodDiscover:    {Version: "2026-07-28", Method: "server/discover"},
		protocol.MethodInitialize:  {},
		protocol.MethodInitialized: {Session: "s-1", Version: "2025-06-18"},
		protocol.MethodListTools:   {Session: "s-1", Version: "2025-06-18"},
		fault.DELETE:               {Session: "s-1", Version: "2025-06-18"},
	}
	got := make(map[string]headers)
	for _, r := range s.Records() {
		if r.Header == nil || r.Key == fault.GET {
			continue
		}
		got[r.Key] = headers{r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version"), r.Header.Get("Mcp-Method")}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestAServerWithoutSessionsGetsNoSessionHeader(t *testing.T) {
	s := overHTTP(t, fault.Legacy("2025-11-25"))
	c := s.connected(t)
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.await(t, protocol.MethodListTools, 1).Header["Mcp-Session-Id"]; ok {
		t.Errorf("tools/list carries session %q", got)
	}
	if n := s.Count(fault.DELETE); n != 0 {
		t.Errorf("%d DELETEs, want none", n)
	}
}

// B026, B027, L-SES-04.
func TestCloseIsANormalEndWhateverTheServerSaysToDelete(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"200":       {fault.Status(200)},
		"404":       {fault.Status(404)},
		"405":       {fault.Status(405)},
		"501":       {fault.Status(501)},
		"a reset":   {fault.Reset()},
		"a listing": {fault.Header("Content-Type", "text/html"), fault.Raw("<html>")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overHTTP(t, withSession(fault.Script{fault.DELETE: {answer}}))
			if err := s.connected(t).Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if diff := cmp.Diff(strings.Fields(probeThenInit), s.Methods()); diff != "" {
				t.Errorf("methods (-want +got):\n%s", diff)
			}
			if n := s.Count(fault.DELETE); n != 1 {
				t.Errorf("%d DELETEs, want 1", n)
			}
		})
	}
}

// B011, L-INI-01, L-INI-02, L-INI-03.
func TestInitializedComesBeforeAnythingElse(t *testing.T) {
	overBoth(t, fault.Legacy("2025-11-25"), func(t *testing.T, s *scripted) {
		c := s.connected(t)
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{"server/discover", "initialize", "notifications/initialized", "tools/list"}
		if diff := cmp.Diff(want, s.Methods()); diff != "" {
			t.Errorf("methods (-want +got):\n%s", diff)
		}
	})
}

// B028, B029, B030, B031, M-HTTP-26.
func TestAnySuccessAcceptsANotification(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"200 {}":              {fault.Status(200), fault.Header("Content-Type", "application/json"), fault.Raw("{}")},
		"200 with nothing":    {fault.Status(200)},
		"200 of no type":      {fault.Status(200), fault.Header("Content-Type", "application/json")},
		"204":                 {fault.Status(204)},
		"202 with a text":     {fault.Status(202), fault.Header("Content-Type", "text/plain; charset=utf-8"), fault.Raw("Accepted")},
		"202 with a type":     {fault.Status(202), fault.Header("Content-Type", "application/octet-stream")},
		"200 with a response": {fault.Status(200), fault.Message(`{"jsonrpc":"2.0","result":null}`)},
		"an empty stream":     {fault.Stream()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overHTTP(t, fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodInitialized: {answer}}))
			if diff := cmp.Diff(becomesLegacy, s.open(t)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An InitializeResult proves the era, but a session whose opening was refused
// is no use.
func TestARefusedInitializedFailsConnect(t *testing.T) {
	s := overHTTP(t, fault.Legacy("2025-11-25").With(fault.Script{
		protocol.MethodInitialized: {{fault.Status(403), fault.Raw("no")}},
	}))
	got := s.open(t)
	if got.Failed != "auth 403, also server/discover server error -32601" || got.Remembered != "nothing" {
		t.Errorf("Connect left %+v", got)
	}
}

func TestAPinnedEraIsNeitherProbedNorRemembered(t *testing.T) {
	overBoth(t, fault.Dual(), func(t *testing.T, s *scripted) {
		legacy := opening{Methods: initOnly, Opened: "legacy 2025-11-25", Remembered: "nothing"}
		if diff := cmp.Diff(legacy, s.open(t, client.WithEra(negotiation.EraLegacy))); diff != "" {
			t.Errorf("pinned legacy (-want +got):\n%s", diff)
		}
		modern := opening{Methods: probeOnly, Opened: "modern 2026-07-28", Remembered: "nothing"}
		if diff := cmp.Diff(modern, s.open(t, client.WithEra(negotiation.EraModern))); diff != "" {
			t.Errorf("pinned modern (-want +got):\n%s", diff)
		}
	})
}

// M-VER-03, M-VER-13: who wants modern alone is told what the server is
// instead.
func TestAPinnedModernEraNeverInitializes(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		want   opening
	}{
		"-32601": {fault.Answer{fault.Error(-32601, "no")}, failsWith("server/discover server error -32601")},
		"-32022 with legacy versions": {
			fault.Answer{fault.Status(400), fault.Unsupported("2025-11-25")}, failsWith("verdict no_common_version"),
		},
		"a DiscoverResult with legacy versions": {
			fault.Answer{fault.Discover("2025-11-25")}, failsWith("verdict no_common_version"),
		},
		"another result": {fault.Answer{fault.Result(`{}`)}, failsWith("server/discover unusable")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, answering(tc.answer), func(t *testing.T, s *scripted) {
				if diff := cmp.Diff(tc.want, s.open(t, client.WithEra(negotiation.EraModern))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
	t.Run("an inconclusive answer", func(t *testing.T) {
		s := overHTTP(t, answering(fault.Answer{fault.Status(406)}))
		if diff := cmp.Diff(failsWith("verdict inconclusive"), s.open(t, client.WithEra(negotiation.EraModern))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// B005.
func TestAPinnedLegacyEraReachesAServerThatRefusesTheProbe(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"with 401": {fault.Status(401)},
		"with 403": {fault.Status(403)},
		"with 500": {fault.Status(500), fault.Message(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overHTTP(t, answering(answer))
			want := opening{Methods: initOnly, Opened: "legacy 2025-11-25", Remembered: "nothing"}
			if diff := cmp.Diff(want, s.open(t, client.WithEra(negotiation.EraLegacy))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyErasCanBePinned(t *testing.T) {
	s := overHTTP(t, fault.Dual())
	if _, err := client.Connect(t.Context(), s.transport(t), client.WithEra(negotiation.EraUnknown)); err == nil {
		t.Error("an unknown era was pinned")
	}
	if got := s.Methods(); len(got) != 0 {
		t.Errorf("the server saw %v", got)
	}
}

// B098: a ping that comes with the answer to initialize is answered, although
// there is no session yet.
func TestAPingOnTheStreamOfInitializeIsAnswered(t *testing.T) {
	s := overHTTP(t, withSession(fault.Script{protocol.MethodInitialize: {{
		fault.Header("Mcp-Session-Id", "s-1"), fault.Stream(),
		fault.Message(`{"jsonrpc":"2.0","id":"early","method":"ping"}`),
		fault.After(fault.Response), fault.Initialize("2025-06-18"),
	}}}))
	s.connected(t)
	if got := s.await(t, fault.Response, 1).Body; got != `{"jsonrpc":"2.0","id":"early","result":{}}` {
		t.Errorf("answered %s", got)
	}
}

// B057: something that is not MCP is named by its address, status and type.
func TestWhatIsNoMCPServerIsNamed(t *testing.T) {
	s := overHTTP(t, fault.Script{fault.Any: {{fault.Header("Content-Type", "text/html"), fault.Raw("<html>Welcome</html>")}}})
	_, err := s.connect(t)
	if err == nil || !containsAll(err.Error(), s.key.Origin, "HTTP 200", "text/html", "Welcome") {
		t.Errorf("Connect: %v", err)
	}
}
