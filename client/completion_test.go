package client_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// O-FEA-05: a server is sent what its version has, and no more. B-CMP-01: a
// completion that is not all there is says so.
func TestACompletionIsAskedForAsTheVersionHasIt(t *testing.T) {
	answer := fault.Script{protocol.MethodComplete: {{fault.Result(`{"completion":{"values":["park","party"],"total":9,"hasMore":true}}`)}}}
	for version, context := range map[string]string{
		"2026-07-28": `{"arguments":{"country":"fr"}}`,
		"2025-11-25": `{"arguments":{"country":"fr"}}`,
		"2025-06-18": `{"arguments":{"country":"fr"}}`,
		"2025-03-26": "",
		"2024-11-05": "",
	} {
		t.Run(version, func(t *testing.T) {
			script := fault.Legacy(version)
			if version == "2026-07-28" {
				script = fault.Modern()
			}
			overBoth(t, script.With(answer), func(t *testing.T, s *scripted) {
				got, err := s.connected(t).Complete(t.Context(), protocol.PromptRef("visit"), "city", "par", map[string]string{"country": "fr"})
				if err != nil {
					t.Fatal(err)
				}
				total := int64(9)
				if diff := cmp.Diff(&protocol.Completion{Values: []string{"park", "party"}, Total: &total, HasMore: true}, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				body := s.await(t, protocol.MethodComplete, 1).Body
				if got := member(t, body, "params", "context"); got != context {
					t.Errorf("the context is %q, want %q", got, context)
				}
				if got := member(t, body, "params", "argument"); got != `{"name":"city","value":"par"}` {
					t.Errorf("the argument is %s", got)
				}
			})
		})
	}
}
