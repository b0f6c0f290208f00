package client_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// Every server of this file takes initialize, so that a wrong downgrade
// succeeds: only what the server saw tells.

// answering is a dual server that answers the probe with the given answers.
func answering(answers ...fault.Answer) fault.Script {
	return fault.Dual().With(fault.Script{protocol.MethodDiscover: answers})
}

// Outcomes of one probe, and nothing more.
func failsWith(kind string) opening {
	return opening{Methods: probeOnly, Failed: kind, Remembered: "nothing"}
}

var (
	becomesModern = opening{Methods: probeOnly, Opened: "modern 2026-07-28", Remembered: "modern 2026-07-28"}
	becomesLegacy = opening{Methods: probeThenInit, Opened: "legacy 2025-11-25", Remembered: "legacy 2025-11-25"}
)

// staysDown is an outage that outlasts two retries.
func staysDown(kind string) opening {
	return opening{
		Methods: "server/discover server/discover server/discover",
		Failed:  "unavailable " + kind + " after 3", Remembered: "nothing",
	}
}

// B001, B003, B004, B005, B080, M-VER-03, M-VER-04, M-VER-11: what an answer
// to the probe means. A recognised modern error is never answered by
// initialize, and a refusal is no era.
func TestProbeOverHTTP(t *testing.T) {
	const nullID = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"session header required"}}`
	for name, tc := range map[string]struct {
		answer fault.Answer
		want   opening
	}{
		"a DiscoverResult is modern":              {fault.Answer{fault.Discover("2026-07-28", "2025-11-25")}, becomesModern},
		"a DiscoverResult on a stream is modern":  {fault.Answer{fault.Stream(), fault.Discover("2026-07-28")}, becomesModern},
		"a stream that stays open after it, too":  {fault.Answer{fault.Stream(), fault.Discover("2026-07-28"), fault.Silence()}, becomesModern},
		"an id that became a string is the same":  {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":"${id}","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}`)}, becomesModern},
		"an empty list of versions is no verdict": {fault.Answer{fault.Discover()}, failsWith("verdict invalid_discover")},
		"a list of an unknown type is none":       {fault.Answer{fault.Result(`{"supportedVersions":"2026-07-28"}`)}, failsWith("verdict invalid_discover")},
		"a result that asks for input is none":    {fault.Answer{fault.Result(`{"resultType":"input_required","supportedVersions":["2026-07-28"]}`)}, failsWith("verdict invalid_discover")},
		"other modern versions leave none":        {fault.Answer{fault.Discover("2027-01-01")}, failsWith("verdict no_common_version")},
		"legacy versions only are legacy":         {fault.Answer{fault.Discover("2025-11-25", "2025-06-18")}, becomesLegacy},
		"legacy versions nobody speaks are not":   {fault.Answer{fault.Discover("2023-01-01")}, failsWith("verdict no_common_version")},
		"another result is legacy":                {fault.Answer{fault.Result(`{}`)}, becomesLegacy},

		"-32022 without a common version is an error":  {fault.Answer{fault.Status(400), fault.Unsupported("2027-01-01")}, failsWith("verdict no_common_version")},
		"-32022 without a list is an error":            {fault.Answer{fault.Status(400), fault.Error(-32022, "no")}, failsWith("verdict no_common_version")},
		"-32022 with legacy versions only is legacy":   {fault.Answer{fault.Status(400), fault.Unsupported("2025-06-18")}, becomesLegacy},
		"-32021 is an error":                           {fault.Answer{fault.Status(400), fault.Error(-32021, "no")}, failsWith("verdict missing_capability")},
		"-32020 is an error":                           {fault.Answer{fault.Status(400), fault.Error(-32020, "no")}, failsWith("verdict header_mismatch")},
		"-32020 is an error at any status":             {fault.Answer{fault.Status(404), fault.Error(-32020, "no")}, failsWith("verdict header_mismatch")},
		"a modern error without an id is one":          {fault.Answer{fault.Status(400), fault.Message(`{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"no"}}`)}, failsWith("verdict header_mismatch")},
		"a modern error for another request is no era": {fault.Answer{fault.Status(400), fault.Message(`{"jsonrpc":"2.0","id":99,"error":{"code":-32020,"message":"no"}}`)}, failsWith("verdict foreign_id")},
		"-32601 is legacy":                             {fault.Answer{fault.Error(-32601, "no")}, becomesLegacy},
		"-32601 with 404 is legacy":                    {fault.Answer{fault.Status(404), fault.Error(-32601, "no")}, becomesLegacy},
		"400 -32600 is legacy":                         {fault.Answer{fault.Status(400), fault.Error(-32600, "no")}, becomesLegacy},
		"400 -32602 is legacy":                         {fault.Answer{fault.Status(400), fault.Error(-32602, "no")}, becomesLegacy},
		"400 -32000 is legacy":                         {fault.Answer{fault.Status(400), fault.Error(-32000, "no")}, becomesLegacy},
		"400 -32603 is legacy":                         {fault.Answer{fault.Status(400), fault.Error(-32603, "no")}, becomesLegacy},
		"400 with a null id is legacy":                 {fault.Answer{fault.Status(400), fault.Message(nullID)}, becomesLegacy},
		"400 with a null id and no type is legacy":     {fault.Answer{fault.Status(400), fault.Header("Content-Type", ""), fault.Message(nullID)}, becomesLegacy},
		"400 with an empty id is legacy":               {fault.Answer{fault.Status(400), fault.Message(strings.Replace(nullID, "null", `""`, 1))}, becomesLegacy},
		"400 with text is legacy":                      {fault.Answer{fault.Status(400), fault.Raw("Bad Request")}, becomesLegacy},
		"400 with nothing is legacy":                   {fault.Answer{fault.Status(400)}, becomesLegacy},
		"400 with a batch is legacy":                   {fault.Answer{fault.Status(400), fault.Message("[" + nullID + "]")}, becomesLegacy},
		"404 with text is legacy":                      {fault.Answer{fault.Status(404), fault.Raw("Invalid session ID")}, becomesLegacy},
		"405 with a page is legacy":                    {fault.Answer{fault.Status(405), fault.Header("Content-Type", "text/html"), fault.Raw("<html>")}, becomesLegacy},
		"a wrong-case modern error is none":            {fault.Answer{fault.Status(400), fault.Message(`{"jsonrpc":"2.0","id":${id},"Error":{"code":-32020,"message":"no"}}`)}, becomesLegacy},
		"a modern error said twice is none":            {fault.Answer{fault.Status(400), fault.Message(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32020,"message":"no"},"error":{"code":-32020,"message":"no"}}`)}, becomesLegacy},
		"401 is no era":                                {fault.Answer{fault.Status(401), fault.Header("WWW-Authenticate", "Bearer")}, failsWith("auth 401")},
		"401 with a JSON-RPC error is none":            {fault.Answer{fault.Status(401), fault.Error(-32001, "log in")}, failsWith("auth 401")},
		"403 with text is no era":                      {fault.Answer{fault.Status(403), fault.Raw("host not allowed")}, failsWith("auth 403")},
		"403 with a JSON-RPC error is none":            {fault.Answer{fault.Status(403), fault.Error(-32000, "no")}, failsWith("auth 403")},
		"408 is no era":                                {fault.Answer{fault.Status(408)}, staysDown("408")},
		"429 is no era":                                {fault.Answer{fault.Status(429)}, staysDown("429")},
		"500 is no era":                                {fault.Answer{fault.Status(500)}, staysDown("500")},
		"500 with a JSON-RPC error is none":            {fault.Answer{fault.Status(500), fault.Error(-32603, "broken")}, staysDown("500")},
		"500 with a JSON-RPC error without an id, too": {fault.Answer{fault.Status(500), fault.Message(strings.Replace(nullID, "-32000", "-32603", 1))}, staysDown("500")},
		"501 is no era":                                {fault.Answer{fault.Status(501)}, staysDown("501")},
		"502 with a page is no era":                    {fault.Answer{fault.Status(502), fault.Header("Content-Type", "text/html"), fault.Raw("<html>")}, staysDown("502")},
		"503 is no era":                                {fault.Answer{fault.Status(503), fault.Header("Retry-After", "1"), fault.Raw("down")}, staysDown("503")},
		"504 is no era":                                {fault.Answer{fault.Status(504)}, staysDown("504")},
		"a reset is no era":                            {fault.Answer{fault.Reset()}, staysDown("0")},
		"half a header is no era":                      {fault.Answer{fault.Wire("HTTP/1.1 404 Not Fou")}, staysDown("0")},
		"half a body is no era":                        {fault.Answer{fault.Status(404), fault.Cut(10), fault.Error(-32601, "no")}, staysDown("404")},
		"half a stream is no era":                      {fault.Answer{fault.Stream(), fault.Cut(30), fault.Discover("2026-07-28")}, staysDown("200")},
		"a stream without an answer is no era":         {fault.Answer{fault.Stream(), fault.Raw(": hello\n\n")}, staysDown("200")},
		"what is no HTTP is no era":                    {fault.Answer{fault.Wire("SSH-2.0-OpenSSH_9.9\r\n")}, staysDown("0")},
		"a modern verdict stays although 404 had told": {fault.Answer{fault.Status(404), fault.Discover("2026-07-28")}, becomesModern},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overHTTP(t, answering(tc.answer))
			if diff := cmp.Diff(tc.want, s.open(t)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnInconclusiveAnswerOverHTTPIsConfirmed(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		met    string // what the probe's error is
	}{
		"406":                   {fault.Answer{fault.Status(406), fault.Raw("Not Acceptable")}, "verdict inconclusive"},
		"415":                   {fault.Answer{fault.Status(415)}, "verdict inconclusive"},
		"422":                   {fault.Answer{fault.Status(422), fault.Raw(`{"detail":[]}`)}, "verdict inconclusive"},
		"200 with -32602":       {fault.Answer{fault.Error(-32602, "missing params")}, "verdict inconclusive"},
		"200 with code 0":       {fault.Answer{fault.Error(0, "invalid during session initialization")}, "verdict inconclusive"},
		"200 with a page":       {fault.Answer{fault.Header("Content-Type", "text/html"), fault.Raw("<html>")}, "verdict inconclusive"},
		"200 with nothing":      {fault.Answer{}, "verdict inconclusive"},
		"200 with a foreign id": {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":99,"result":{}}`)}, "verdict inconclusive"},
		"200 with a batch":      {fault.Answer{fault.Message(`[{"jsonrpc":"2.0","id":${id},"result":{}}]`)}, "verdict inconclusive"},
		"a wrong-case result":   {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":${id},"Result":{"supportedVersions":["2026-07-28"]}}`)}, "verdict inconclusive"},
		"302":                   {fault.Answer{fault.Status(302), fault.Header("Location", "https://elsewhere.example.test/login?token=secret")}, "verdict inconclusive"},
		"202":                   {fault.Answer{fault.Status(202)}, "verdict inconclusive"},
		"204":                   {fault.Answer{fault.Status(204)}, "verdict inconclusive"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Run("by initialize", func(t *testing.T) {
				s := overHTTP(t, answering(tc.answer))
				if diff := cmp.Diff(becomesLegacy, s.open(t)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
			t.Run("and stands when initialize fails", func(t *testing.T) {
				s := overHTTP(t, answering(tc.answer).With(fault.Script{"initialize": {{fault.Status(400), fault.Raw("no")}}}))
				want := opening{
					Methods:    "server/discover initialize",
					Failed:     tc.met + ", also initialize status 400",
					Remembered: "nothing",
				}
				if diff := cmp.Diff(want, s.open(t)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
			t.Run("unless that is turned off", func(t *testing.T) {
				s := overHTTP(t, answering(tc.answer))
				if diff := cmp.Diff(failsWith(tc.met), s.open(t, client.WithoutConfirmation())); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestASilentServerOverHTTPIsNoEra(t *testing.T) {
	s := overHTTP(t, answering(fault.Answer{fault.Silence()}))
	got := s.open(t, client.WithProbeTimeout(20*time.Millisecond))
	if diff := cmp.Diff(staysDown("0"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestASlowAnswerOverHTTPIsWaitedFor(t *testing.T) {
	s := overHTTP(t, answering(fault.Answer{fault.Slow(0), fault.Discover("2026-07-28")}))
	if diff := cmp.Diff(becomesModern, s.open(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheNarrowRuleTakesLessForLegacy(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		want   opening
	}{
		"-32601 is legacy":              {fault.Answer{fault.Error(-32601, "no")}, becomesLegacy},
		"404 is legacy":                 {fault.Answer{fault.Status(404)}, becomesLegacy},
		"405 is legacy":                 {fault.Answer{fault.Status(405)}, becomesLegacy},
		"501 is legacy":                 {fault.Answer{fault.Status(501)}, becomesLegacy},
		"400 is no evidence":            {fault.Answer{fault.Status(400)}, failsWith("verdict refused")},
		"400 -32600 is none":            {fault.Answer{fault.Status(400), fault.Error(-32600, "no")}, failsWith("verdict refused")},
		"422 is none":                   {fault.Answer{fault.Status(422)}, failsWith("verdict refused")},
		"401 is a refusal":              {fault.Answer{fault.Status(401)}, failsWith("auth 401")},
		"503 is an outage":              {fault.Answer{fault.Status(503)}, staysDown("503")},
		"a DiscoverResult is modern":    {fault.Answer{fault.Discover("2026-07-28")}, becomesModern},
		"legacy versions only are said": {fault.Answer{fault.Discover("2025-11-25")}, becomesLegacy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := overHTTP(t, answering(tc.answer))
			if diff := cmp.Diff(tc.want, s.open(t, client.WithRule(negotiation.RuleNarrow))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// twoModern are a version that servers of this time don't speak, and theirs.
var twoModern = client.WithVersions("2027-03-01", "2026-07-28")

// M-VER-01.
func TestTheProbeIsRepeatedAtAVersionThatTheServerNames(t *testing.T) {
	script := answering(
		fault.Answer{fault.Status(400), fault.Unsupported("2026-07-28")},
		fault.Answer{fault.Discover("2026-07-28")},
	)
	overBoth(t, script, func(t *testing.T, s *scripted) {
		want := opening{
			Methods: "server/discover server/discover",
			Opened:  "modern 2026-07-28", Remembered: "modern 2026-07-28",
		}
		if diff := cmp.Diff(want, s.open(t, twoModern)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for n, version := range []string{"2027-03-01", "2026-07-28"} {
			probe := s.await(t, protocol.MethodDiscover, n+1)
			if !strings.Contains(probe.Body, `"io.modelcontextprotocol/protocolVersion":"`+version+`"`) {
				t.Errorf("probe %d does not name %s: %s", n+1, version, probe.Body)
			}
			if got := probe.Header.Get("Mcp-Protocol-Version"); probe.Header != nil && got != version {
				t.Errorf("probe %d has version header %q, want %s", n+1, got, version)
			}
		}
	})
}

func TestTheProbeIsRepeatedAtAnotherVersionOnce(t *testing.T) {
	overBoth(t, answering(fault.Answer{fault.Status(400), fault.Unsupported("2026-07-28")}), func(t *testing.T, s *scripted) {
		want := opening{
			Methods: "server/discover server/discover",
			Failed:  "server/discover server error -32022", Remembered: "nothing",
		}
		if diff := cmp.Diff(want, s.open(t, twoModern)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// M-VER-02, M-META-01, M-META-02, M-HTTP-02, M-HTTP-05, M-HTTP-07.
func TestAProbeIsAModernRequest(t *testing.T) {
	s := overHTTP(t, fault.Modern())
	s.connected(t)
	probe := s.await(t, protocol.MethodDiscover, 1)
	for name, want := range map[string]string{
		"Mcp-Protocol-Version": "2026-07-28",
		"Mcp-Method":           "server/discover",
		"Content-Type":         "application/json",
		"Accept":               "application/json, text/event-stream",
	} {
		if diff := cmp.Diff([]string{want}, probe.Header[http.CanonicalHeaderKey(name)]); diff != "" {
			t.Errorf("header %s (-want +got):\n%s", name, diff)
		}
	}
	for _, name := range []string{"Mcp-Session-Id", "Mcp-Name"} {
		if got, ok := probe.Header[name]; ok {
			t.Errorf("the probe has header %s: %q", name, got)
		}
	}
	for _, member := range []string{"protocolVersion", "clientInfo", "clientCapabilities"} {
		if !strings.Contains(probe.Body, `"io.modelcontextprotocol/`+member+`"`) {
			t.Errorf("the probe lacks %s: %s", member, probe.Body)
		}
	}
}
