package http

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// M-HTTP-01, M-HTTP-02, M-HTTP-05, M-HTTP-07, M-HTTP-08, M-HTTP-09, L-HTTP-01,
// L-HTTP-02, L-HTTP-03, L-SES-01, O-HTTP-02, B009, B031, B032, B102: a message is one
// POST to the one endpoint, with the headers of its era and no others.
func TestHeadersOfEachEra(t *testing.T) {
	for name, tc := range map[string]struct {
		req  transport.Request
		want http.Header
	}{
		"modern carries version, method and name": {
			transport.Request{Method: "tools/call", Name: "add", Era: negotiation.EraModern, Version: "2026-07-28"},
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"add"}},
		},
		"modern without a name has no name header": {
			transport.Request{Method: "server/discover", Era: negotiation.EraModern, Version: "2026-07-28"},
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"server/discover"}},
		},
		"modern has no session": {
			transport.Request{Method: "tools/list", Era: negotiation.EraModern, Version: "2026-07-28", Session: "s1"},
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/list"}},
		},
		"a name beyond ASCII is encoded": {
			transport.Request{Method: "tools/call", Name: "Grüße 世界", Era: negotiation.EraModern, Version: "2026-07-28"},
			http.Header{
				"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"},
				"Mcp-Name": {"=?base64?R3LDvMOfZSDkuJbnlYw=?="},
			},
		},
		"a URI with a blank stays readable": {
			transport.Request{Method: "resources/read", Name: "file:///my file", Era: negotiation.EraModern, Version: "2026-07-28"},
			http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"resources/read"}, "Mcp-Name": {"file:///my file"}},
		},
		"mirrored parameters go as they are": {
			transport.Request{
				Method: "tools/call", Name: "add", Era: negotiation.EraModern, Version: "2026-07-28",
				Params: map[string]string{"Mcp-Param-Region": "us-west1"},
			},
			http.Header{
				"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"add"},
				"Mcp-Param-Region": {"us-west1"},
			},
		},
		"a legacy initialize carries neither version nor session": {
			transport.Request{Method: "initialize", Era: negotiation.EraLegacy},
			http.Header{},
		},
		"legacy afterwards carries both, and no method": {
			transport.Request{Method: "tools/call", Name: "add", Era: negotiation.EraLegacy, Version: "2025-06-18", Session: "s1"},
			http.Header{"Mcp-Protocol-Version": {"2025-06-18"}, "Mcp-Session-Id": {"s1"}},
		},
		"a version that knows no such header is named all the same": {
			transport.Request{Method: "tools/list", Era: negotiation.EraLegacy, Version: "2025-03-26"},
			http.Header{"Mcp-Protocol-Version": {"2025-03-26"}},
		},
		"a legacy server without sessions": {
			transport.Request{Method: "tools/list", Era: negotiation.EraLegacy, Version: "2025-11-25"},
			http.Header{"Mcp-Protocol-Version": {"2025-11-25"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, answer(200, "application/json", result))
			tr := open(t, s.URL, WithHeader("authorization", "Bearer x"))
			req := tc.req
			req.ID, req.Body = protocol.NumberID(1), []byte(`{"jsonrpc":"2.0","id":1,"method":"m"}`)
			if _, err := exchange(t.Context(), tr, &req); err != nil {
				t.Fatalf("Exchange: %v", err)
			}
			got := s.seen()[0]
			for _, name := range []string{"Accept-Encoding", "Content-Length", "User-Agent"} {
				got.Header.Del(name) // net/http's
			}
			want := tc.want.Clone()
			// The exact value, and JSON first: some servers look no further.
			want["Content-Type"] = []string{"application/json"}
			want["Accept"] = []string{"application/json, text/event-stream"}
			want["Authorization"] = []string{"Bearer x"}
			if diff := cmp.Diff(recorded{"POST", "/", want, string(req.Body)}, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// B107: what no header can carry, and what is the protocol's, is refused when
// it is set.
func TestWithHeaderNamesTheHeaderAndNotItsValue(t *testing.T) {
	const secret = "SECRET"
	for name, tc := range map[string]struct {
		name, value string
		want        string
	}{
		"text beyond ASCII":          {"X-Team", secret + "Żółw", "http: the value of header X-Team has characters that a header can't carry"},
		"CR and LF":                  {"x-team", secret + "\r\nX-Evil: 1", "http: the value of header X-Team has characters that a header can't carry"},
		"NUL":                        {"X-Team", secret + "\x00", "http: the value of header X-Team has characters that a header can't carry"},
		"DEL":                        {"X-Team", secret + "\x7f", "http: the value of header X-Team has characters that a header can't carry"},
		"no name":                    {"", secret, "http: a header needs a name"},
		"a name with the value":      {"Authorization: Bearer " + secret, "", `http: a header name can't go on after "Authorization"`},
		"a name with a line break":   {"X-A\r\n", secret, `http: a header name can't go on after "X-A"`},
		"a name beyond ASCII":        {"Grüße", secret, `http: a header name can't go on after "Gr"`},
		"the content type":           {"content-type", secret, "http: header Content-Type is set by the protocol"},
		"the version":                {"MCP-Protocol-Version", secret, "http: header Mcp-Protocol-Version is set by the protocol"},
		"the method":                 {"Mcp-Method", secret, "http: header Mcp-Method is set by the protocol"},
		"the name":                   {"Mcp-Name", secret, "http: header Mcp-Name is set by the protocol"},
		"the session":                {"MCP-SESSION-ID", secret, "http: header Mcp-Session-Id is set by the protocol"},
		"what may be answered":       {"Accept", secret, "http: header Accept is set by the protocol"},
		"where a stream goes on":     {"Last-Event-ID", secret, "http: header Last-Event-Id is set by the protocol"},
		"the length":                 {"Content-Length", secret, "http: header Content-Length is set by the protocol"},
		"what net/http would ignore": {"Host", secret, "http: header Host is set by the protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New("http://h/mcp", WithHeader(tc.name, tc.value))
			if err == nil || err.Error() != tc.want {
				t.Errorf("error %q, want %q", err, tc.want)
			}
		})
	}
}

func TestWithHeaderTakesWhatAHeaderCanCarry(t *testing.T) {
	s := serve(t, answer(200, "application/json", result))
	tr := open(t, s.URL, WithHeader("x-a", "one\ttwo ~"), WithHeader("X-A", "three"), WithHeader("!#$%&'*+-.^_`|~9", ""))
	if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
		t.Fatalf("Exchange: %v", err)
	}
	got := s.seen()[0].Header
	if diff := cmp.Diff([]string{"one\ttwo ~", "three"}, got["X-A"]); diff != "" {
		t.Errorf("X-A (-want +got):\n%s", diff)
	}
	if _, ok := got["!#$%&'*+-.^_`|~9"]; !ok {
		t.Errorf("the odd name is missing: %v", got)
	}
}

func TestOptionsRefuseWhatMakesNoSense(t *testing.T) {
	for name, opt := range map[string]Option{
		"no client":           WithClient(nil),
		"retries below zero":  WithRetries(-1),
		"Min below zero":      WithBackoff(transport.Backoff{Min: -1}),
		"Max below Min":       WithBackoff(transport.Backoff{Min: 2, Max: 1}),
		"MaxAfter below zero": WithBackoff(transport.Backoff{MaxAfter: -1}),
		"a limit of zero":     WithMaxMessage(0),
		"less than none":      WithMaxRedirects(-1),
		"an error of theirs":  func(*options) error { return errors.New("http: no") },
	} {
		if _, err := New("http://h", opt); err == nil || !strings.HasPrefix(err.Error(), "http: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
