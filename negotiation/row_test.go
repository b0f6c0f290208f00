package negotiation_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
)

func TestRows(t *testing.T) {
	want := []string{
		"valid DiscoverResult with a mutual modern version",
		"DiscoverResult-shaped but invalid",
		"DiscoverResult without a mutual modern version",
		"a result that is not DiscoverResult-shaped",
		"-32022 with a mutual modern version",
		"-32022 without a mutual modern version",
		"-32021 or -32020",
		"a modern error under another request's id",
		"stdio: any other JSON-RPC error",
		"stdio: timeout",
		"stdio: the process exited during the probe",
		"HTTP 401 or 403",
		"HTTP 408, 429 or 5xx",
		"HTTP: network error or timeout",
		"HTTP 400, 404 or 405 with a non-modern body",
		"HTTP: any status with JSON-RPC -32601",
		"any other status or answer",
		"canceled by the caller",
		"narrow rule: -32601, or HTTP 404, 405 or 501",
		"narrow rule: no evidence of an era",
	}
	var got []string
	for _, row := range negotiation.Rows() {
		got = append(got, row.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}

	clear(negotiation.Rows()) // the slice is the caller's
	if got := negotiation.Rows()[0]; got != negotiation.RowDiscover {
		t.Errorf("the first row is %v", got)
	}
	for _, r := range []negotiation.Row{negotiation.NoRow, negotiation.RowNarrowRefused + 1, 255} {
		if r.String() != "none" {
			t.Errorf("Row(%d) is %q, want none", r, r)
		}
	}
}

func TestOutcomeNames(t *testing.T) {
	got := fmt.Sprint(negotiation.Stdio, ", ", negotiation.HTTP)
	for f := range negotiation.Failure(6) {
		got += fmt.Sprint(", ", f)
	}
	want := "stdio, HTTP, none, timeout, network error, server process exited, canceled by the caller, unknown failure"
	if got != want {
		t.Errorf("names are %q, want %q", got, want)
	}
}
