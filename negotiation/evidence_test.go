package negotiation_test

import (
	"fmt"
	"testing"

	"github.com/mcpera/mcpera/negotiation"
)

func TestEvidenceOfEveryStatus(t *testing.T) {
	want := map[int]negotiation.Finding{
		400: negotiation.Health,
		401: negotiation.Health,
		403: negotiation.Health,
		404: negotiation.Demote,
		405: negotiation.Demote,
		408: negotiation.Health,
		429: negotiation.Health,
	}
	for status := 500; status <= 599; status++ {
		want[status] = negotiation.Health
	}
	want[501] = negotiation.Demote
	for status := 0; status <= 700; status++ {
		if got := negotiation.Evidence(negotiation.Outcome{Status: status}); got != want[status] {
			t.Errorf("status %d is %v, want %v", status, got, want[status])
		}
	}
}

func TestEvidenceOfEveryCode(t *testing.T) {
	for code := -32768; code <= -31999; code++ {
		want := negotiation.None
		if code == -32601 {
			want = negotiation.Demote
		}
		if got := negotiation.Evidence(line(rpcError("1", code))); got != want {
			t.Errorf("code %d is %v, want %v", code, got, want)
		}
	}
}

func TestEvidence(t *testing.T) {
	for name, tc := range map[string]struct {
		o    negotiation.Outcome
		want negotiation.Finding
	}{
		"-32601 demotes at 200":                       {answered(200, rpcError("1", -32601)), negotiation.Demote},
		"-32601 demotes at 400":                       {answered(400, rpcError("null", -32601)), negotiation.Demote},
		"-32601 demotes at 503":                       {answered(503, rpcError("1", -32601)), negotiation.Demote},
		"-32601 demotes inside an event stream":       {typed(200, "text/event-stream", "data: "+rpcError("1", -32601)+"\n\n"), negotiation.Demote},
		"-32601 for another request is no evidence":   {answered(200, rpcError("2", -32601)), negotiation.None},
		"-32601 for another request leaves 503":       {answered(503, rpcError("2", -32601)), negotiation.Health},
		"any other code leaves it to the status":      {answered(400, rpcError("1", -32600)), negotiation.Health},
		"any other code leaves 404 to the status":     {answered(404, rpcError("1", -32000)), negotiation.Demote},
		"a result leaves it to the status":            {answered(500, rpcResult("1", "{}")), negotiation.Health},
		"a request leaves it to the status":           {answered(404, `{"jsonrpc":"2.0","id":1,"method":"ping"}`), negotiation.Demote},
		"-32020 never demotes":                        {answered(404, rpcError("1", -32020)), negotiation.None},
		"-32021 never demotes":                        {answered(405, rpcError("1", -32021)), negotiation.None},
		"-32022 never demotes":                        {answered(501, unsupported("1", "")), negotiation.None},
		"-32022 for another request does not either":  {answered(404, unsupported("2", "")), negotiation.None},
		"a network error is no evidence":              {failed(negotiation.NetworkError), negotiation.None},
		"a timeout is no evidence":                    {failed(negotiation.TimedOut), negotiation.None},
		"a failure after a 404 is no evidence":        {negotiation.Outcome{Failure: negotiation.NetworkError, Status: 404}, negotiation.None},
		"a process that exits is no evidence":         {failed(negotiation.Closed), negotiation.None},
		"a 404 with HTML demotes, whoever sent it":    {typed(404, "text/html", "<html>"), negotiation.Demote},
		"a 200 without JSON-RPC is no evidence":       {typed(200, "text/html", "<html>"), negotiation.None},
		"a DiscoverResult is no evidence of a legacy": {answered(200, rpcResult("1", discover(discoverModern))), negotiation.None},
	} {
		t.Run(name, func(t *testing.T) {
			if got := negotiation.Evidence(tc.o); got != tc.want {
				t.Errorf("Evidence is %v, want %v", got, tc.want)
			}
		})
	}
}

// Under the narrow rule nothing but Evidence leads to initialize, whatever the
// status.
func TestNarrowRuleFollowsEvidence(t *testing.T) {
	for status := 100; status <= 599; status++ {
		for _, body := range []string{"", "text", rpcError("1", -32601), rpcError("1", -32000), rpcError("2", -32601), rpcResult("1", "{}")} {
			o := answered(status, body)
			v, row := negotiation.Explain(http, o, negotiation.Options{Rule: negotiation.RuleNarrow})
			_, legacy := v.(negotiation.Legacy)
			if demotes := negotiation.Evidence(o) == negotiation.Demote; legacy != demotes {
				t.Errorf("%d %q: verdict is %v (%s), Evidence %v", status, body, v, row, negotiation.Evidence(o))
			}
		}
	}
}

func TestFindingString(t *testing.T) {
	got := fmt.Sprint(negotiation.None, negotiation.Demote, negotiation.Health, negotiation.Finding(9))
	if want := "none demote health none"; got != want {
		t.Errorf("findings are %q, want %q", got, want)
	}
}
