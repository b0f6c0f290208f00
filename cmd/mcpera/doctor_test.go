package main

import (
	"strings"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// Every row that can end in a connection is explained with its own text.
func TestExplainRow(t *testing.T) {
	for _, row := range negotiation.Rows() {
		got := explainRow(client.Negotiation{Verdict: "legacy", Row: row.String()})
		if !strings.HasPrefix(got, "legacy: it") || !strings.HasSuffix(got, "("+row.String()+")") {
			t.Errorf("explainRow(%s) = %q", row, got)
		}
	}
	if got := explainRow(client.Negotiation{Verdict: "legacy, pinned"}); got != "legacy, pinned" {
		t.Errorf("pinned: %q", got)
	}
}

// What a server says of its challenge can't steer a terminal.
func TestExplainChallenge(t *testing.T) {
	for challenge, want := range map[string]string{
		"": "HTTP 401 without a word on what to send",
		`Bearer scope="a b", error="invalid_token"`: `HTTP 401: the server asks for Bearer, scope "a b", error "invalid_token"`,
		`Basic realm="x"`: "HTTP 401: the server asks for Basic",
	} {
		if got := explainChallenge(&transport.AuthError{Status: 401, Challenge: challenge}); got != want {
			t.Errorf("explainChallenge(%s) = %q, want %q", challenge, got, want)
		}
	}
	if got := explainChallenge(&transport.AuthError{Status: 401, Challenge: "Bearer scope=\"\x1b[2J\""}); strings.Contains(got, "\x1b") {
		t.Errorf("explainChallenge lets through %q", got)
	}
}

func TestDuration(t *testing.T) {
	for ms, want := range map[float64]string{0.2: "under 1 ms", 12.4: "12 ms", 1500: "1.5 s"} {
		if got := duration(ms); got != want {
			t.Errorf("duration(%v) = %q, want %q", ms, got, want)
		}
	}
}
