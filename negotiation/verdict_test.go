package negotiation_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

func TestVerdictString(t *testing.T) {
	for want, v := range map[string]negotiation.Verdict{
		"modern 2026-07-28":             negotiation.Modern{Version: modern},
		"modern, retry with 2026-07-28": negotiation.ModernRetry{Version: modern},
		"legacy":                        negotiation.Legacy{},
		"reconnect, legacy":             negotiation.Reconnect{},
		"authorize (401)":               negotiation.Authorize{Status: 401},
		"retry (rate_limited)":          negotiation.Retry{Reason: negotiation.RateLimited, After: time.Second},
		"error (header_mismatch)":       protocolError(negotiation.HeaderMismatch, 400),
	} {
		if got := v.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	modernOnly := negotiation.Options{Versions: []string{modern}}
	for name, tc := range map[string]struct {
		on   negotiation.Transport
		o    negotiation.Outcome
		opts negotiation.Options
		want string
	}{
		"a refusal of the version names the server's own": {
			http, answered(400, unsupported("1", `"2025-11-25","2025-06-18"`)), modernOnly,
			`server/discover: no common protocol version (HTTP 400): the server speaks "2025-11-25, 2025-06-18": server error -32022: "unsupported protocol version"`},
		"a list that is missing is not invented": {
			stdio, line(rpcError("1", -32022)), modernOnly,
			`server/discover: no common protocol version: server error -32022: "refused"`},
		"a list of one version is named": {
			stdio, line(rpcResult("1", discover(`"2025-11-25"`))), modernOnly,
			`server/discover: no common protocol version: the server speaks "2025-11-25"`},
		"what a server says is quoted": {
			http, typed(406, "text/plain", "no\nthanks"), modernOnly,
			`server/discover: the answer tells neither era (HTTP 406): the server said "no\nthanks"`},
		"a body of one byte is quoted too": {
			http, typed(406, "text/plain", "?"), modernOnly,
			`server/discover: the answer tells neither era (HTTP 406): the server said "?"`},
		"an answer with nothing in it leaves nothing to quote": {
			http, typed(406, "", ""), modernOnly,
			`server/discover: the answer tells neither era (HTTP 406)`},
		"what could not be read comes before the body": {
			http, negotiation.Outcome{Status: 200, Body: []byte("x"), Err: errors.New("broken gzip")}, modernOnly,
			`server/discover: the answer tells neither era (HTTP 200): broken gzip`},
		"a JSON-RPC error comes before everything": {
			http, negotiation.Outcome{Status: 200, Body: []byte(rpcError("1", -32602)), Err: errors.New("late")}, modernOnly,
			`server/discover: the answer tells neither era (HTTP 200): server error -32602: "refused"`},
		"a foreign answer names both ids": {
			http, answered(400, rpcError(`"x"`, -32020)), modernOnly,
			`server/discover: the answer belongs to another request (HTTP 400): id "\"x\"" instead of 1: server error -32020: "refused"`},
		"an unknown resultType is named": {
			http, answered(200, rpcResult("1", `{"resultType":"later"}`)), modernOnly,
			`server/discover: the answer is not a valid DiscoverResult (HTTP 200): resultType is "later"`},
		"an empty list is named": {
			http, answered(200, rpcResult("1", discover(""))), modernOnly,
			`server/discover: the answer is not a valid DiscoverResult (HTTP 200): supportedVersions is empty`},
		"a refused header has the server's words": {
			http, answered(400, rpcError("1", -32020)), modernOnly,
			`server/discover: the server refused the request's headers (HTTP 400): server error -32020: "refused"`},
		"a missing capability has the server's words": {
			stdio, line(rpcError("1", -32021)), modernOnly,
			`server/discover: the server requires a client capability that was not declared: server error -32021: "refused"`},
		"a canceled probe has its cause": {
			stdio, failed(negotiation.Canceled), modernOnly,
			`server/discover: canceled before an answer came: the cause`},
		"the narrow rule says what it refused": {
			http, answered(400, rpcError("1", -32000)), negotiation.Options{Rule: negotiation.RuleNarrow},
			`server/discover: the answer is no evidence of an era (HTTP 400): server error -32000: "refused"`},
		"the narrow rule keeps the cause of a failure": {
			stdio, failed(negotiation.TimedOut), negotiation.Options{Rule: negotiation.RuleNarrow},
			`server/discover: the answer is no evidence of an era: the cause`},
		"the narrow rule quotes what is no JSON-RPC": {
			http, typed(400, "text/plain", "Bad Request"), negotiation.Options{Rule: negotiation.RuleNarrow},
			`server/discover: the answer is no evidence of an era (HTTP 400): the server said "Bad Request"`},
	} {
		t.Run(name, func(t *testing.T) {
			e, ok := negotiation.ClassifyProbe(tc.on, tc.o, tc.opts).(*negotiation.Error)
			if !ok {
				t.Fatal("the verdict is no *Error")
			}
			if got := e.Error(); got != tc.want {
				t.Errorf("Error() is\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

// Programs log reasons and kinds, and compare them in other languages.
func TestReasonsAndKinds(t *testing.T) {
	for want, got := range map[string]negotiation.Reason{
		"unavailable":        negotiation.Unavailable,
		"rate_limited":       negotiation.RateLimited,
		"network":            negotiation.NetworkFailure,
		"timeout":            negotiation.Timeout,
		"no_common_version":  negotiation.NoCommonVersion,
		"invalid_discover":   negotiation.InvalidDiscover,
		"header_mismatch":    negotiation.HeaderMismatch,
		"missing_capability": negotiation.MissingCapability,
		"foreign_id":         negotiation.ForeignID,
		"inconclusive":       negotiation.Inconclusive,
		"refused":            negotiation.Refused,
		"canceled":           negotiation.GaveUp,
	} {
		if string(got) != want {
			t.Errorf("the reason %s is %q", want, got)
		}
	}
	if negotiation.KindProtocol != "protocol" || negotiation.KindUndecided != "undecided" {
		t.Errorf("the kinds are %q and %q", negotiation.KindProtocol, negotiation.KindUndecided)
	}
}

// Retry carries a Reason too: an Error that reports one must be readable.
func TestErrorTextOfEveryReason(t *testing.T) {
	for reason, want := range map[negotiation.Reason]string{
		negotiation.Unavailable:    "server/discover: the server is unavailable",
		negotiation.RateLimited:    "server/discover: the server asks to slow down",
		negotiation.NetworkFailure: "server/discover: the server could not be reached",
		negotiation.Timeout:        "server/discover: no answer in time",
		"of_your_own":              "server/discover: of_your_own",
	} {
		if got := (&negotiation.Error{Reason: reason}).Error(); got != want {
			t.Errorf("Error() of %s is %q, want %q", reason, got, want)
		}
	}
}

func TestErrorTextIsBounded(t *testing.T) {
	long := strings.Repeat("\x00", 1<<20)
	for name, o := range map[string]negotiation.Outcome{
		"body":     typed(200, "text/html", long),
		"message":  {Status: 200, Message: &protocol.Message{Error: &protocol.Error{Message: long}}},
		"versions": answered(200, rpcResult("1", discover(`"`+strings.Repeat("v", 1<<20)+`"`))),
		"id":       answered(400, rpcError(`"`+strings.Repeat("i", 1<<20)+`"`, -32020)),
	} {
		e, ok := negotiation.ClassifyProbe(http, o, negotiation.Options{}).(*negotiation.Error)
		if !ok {
			t.Errorf("%s: the verdict is no *Error", name)
		} else if n := len(e.Error()); n > 2000 {
			t.Errorf("%s: the error text has %d bytes", name, n)
		}
	}
}

func TestErrorUnwrap(t *testing.T) {
	v := negotiation.ClassifyProbe(http, answered(400, unsupported("1", discoverLegacy)), negotiation.Options{})
	var err error = v.(*negotiation.Error)
	if !errors.Is(err, negotiation.ErrNoCommonVersion) {
		t.Error("a -32022 without a mutual version is not ErrNoCommonVersion")
	}
	var said *protocol.Error
	if !errors.As(err, &said) || said.Code != protocol.CodeUnsupportedVersion {
		t.Errorf("the server's error is %v, want -32022", said)
	}

	v = negotiation.ClassifyProbe(http, answered(200, rpcResult("1", discover(discoverLegacy))), negotiation.Options{})
	if !errors.Is(v.(*negotiation.Error), negotiation.ErrNoCommonVersion) {
		t.Error("a DiscoverResult without a mutual version is not ErrNoCommonVersion")
	}

	for _, code := range []int{-32020, -32021} {
		v = negotiation.ClassifyProbe(http, answered(400, rpcError("1", code)), negotiation.Options{})
		err = v.(*negotiation.Error)
		if errors.Is(err, negotiation.ErrNoCommonVersion) {
			t.Errorf("%d is ErrNoCommonVersion", code)
		}
		if !errors.Is(err, &protocol.Error{Code: int64(code)}) {
			t.Errorf("%d is lost from %v", code, err)
		}
	}

	v = negotiation.ClassifyProbe(http, typed(406, "", ""), negotiation.Options{})
	if causes := v.(*negotiation.Error).Unwrap(); len(causes) != 0 {
		t.Errorf("an error without a cause unwraps to %v", causes)
	}

	cause := errors.New("gone")
	v = negotiation.ClassifyProbe(stdio, negotiation.Outcome{Failure: negotiation.Canceled, Err: cause}, negotiation.Options{})
	if !errors.Is(v.(*negotiation.Error), cause) {
		t.Error("the cause of a canceled probe is lost")
	}
}

func TestModernCarriesTheDiscoverResult(t *testing.T) {
	result := `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},` +
		`"instructions":"Be kind.","ttlMs":60000,"cacheScope":"public",` +
		`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"weather","version":"1.2"}},"later":9007199254740993}`
	v, ok := negotiation.ClassifyProbe(http, answered(200, rpcResult("1", result)), negotiation.Options{}).(negotiation.Modern)
	if !ok {
		t.Fatal("the verdict is not Modern")
	}
	want := &protocol.DiscoverResult{
		ResultType:        protocol.ResultComplete,
		SupportedVersions: []string{modern},
		Capabilities:      protocol.ServerCapabilities{Tools: &protocol.ListCapability{ListChanged: true}},
		Instructions:      "Be kind.",
		TTL:               protocol.TTL(time.Minute),
		CacheScope:        "public",
		Meta:              protocol.Meta(`{"io.modelcontextprotocol/serverInfo":{"name":"weather","version":"1.2"}}`),
		Extra:             []byte(`{"later":9007199254740993}`),
	}
	if diff := cmp.Diff(want, v.Discover); diff != "" {
		t.Errorf("Discover (-want +got):\n%s", diff)
	}
}
