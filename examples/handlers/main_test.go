package main

import (
	"bufio"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// B-ELI-03, B-ELI-06, B-ELI-08, B-ELI-09, B-ELI-12, B-SAM-08: the user sees who
// asks and for what, and a page's host and whole address, nowhere but there;
// nothing is sent, and no page visited, before a yes.
func TestTheUserIsAsked(t *testing.T) {
	for name, tc := range map[string]struct{ tool, arguments, typed, want string }{
		"a form": {
			"test_elicitation", `{"message":"Who are you?"}`, "ada@example.com\nada\nyes\n",
			"SERVER asks: Who are you?\nemail (string: User's email address)> username (string: User's response)> send this? yes or no> " +
				"User response: action=accept, content={\"email\":\"ada@example.com\",\"username\":\"ada\"}\n",
		},
		"a form with defaults and numbers": {
			"test_elicitation_sep1034_defaults", `{}`, "42\n\n\n\nfalse\nyes\n",
			"SERVER asks: Please check the defaults.\nage (integer: Age)> name (string: Name)> score (number: Score)> " +
				"status (string: Status)> verified (boolean: Verified)> send this? yes or no> Elicitation completed: action=accept, " +
				"content={\"age\":42,\"name\":\"John Doe\",\"score\":95.5,\"status\":\"active\",\"verified\":false}\n",
		},
		"a form that is not sent": {
			"test_elicitation", `{"message":"Who are you?"}`, "a\nb\nno\n",
			"SERVER asks: Who are you?\nemail (string: User's email address)> username (string: User's response)> send this? yes or no> " +
				"User response: action=decline, content={}\n",
		},
		"a form that is left": {
			"test_elicitation", `{"message":"Who are you?"}`, "",
			"SERVER asks: Who are you?\nemail (string: User's email address)> User response: action=cancel, content={}\n",
		},
		"a page": {
			"test_elicitation_url", `{}`, "yes\n",
			"SERVER asks: Please sign in.\nat example.com: https://example.com/sign-in\nvisit it? yes or no> Visit: accept\n",
		},
		"a page that is not visited": {
			"test_elicitation_url", `{}`, "no\n",
			"SERVER asks: Please sign in.\nat example.com: https://example.com/sign-in\nvisit it? yes or no> Visit: decline\n",
		},
		"a message": {
			"test_sampling", `{"prompt":"Say hello."}`, "Hello.\nyes\n",
			"user: Say hello.\nassistant> send this to SERVER? yes or no> LLM response: Hello.\n",
		},
	} {
		for _, era := range []conformance.Era{conformance.Modern, conformance.Legacy} {
			t.Run(name+", "+era.String(), func(t *testing.T) {
				srv := conformance.New(conformance.WithEra(era))
				defer srv.Close()
				web := httptest.NewServer(srv)
				defer web.Close()
				var out strings.Builder
				user := &terminal{server: web.URL, in: bufio.NewScanner(strings.NewReader(tc.typed)), out: &out}
				if err := run(t.Context(), user, tc.tool, tc.arguments); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.ReplaceAll(tc.want, "SERVER", web.URL), out.String()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}
