package client_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// L-ELI-16, B-ELI-13: a call that needs a visit first fails, and names the page;
// when to call again is up to the program. B-ELI-11: no page that is unsafe.
func TestARefusalNamesTheVisitsThatItNeeds(t *testing.T) {
	const page = `{"mode":"url","elicitationId":"e1","url":"https://example.com/connect","message":"Allow it."}`
	overBoth(t, fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodCallTool: {
		{fault.Error(-32042, "visit first", `{"elicitations":[`+page+`]}`)},
		{fault.Content("done")},
	}}), func(t *testing.T, s *scripted) {
		c := s.connected(t)
		_, err := c.CallTool(t.Context(), "echo", nil)
		want := []*protocol.ElicitRequest{{Mode: "url", ElicitationID: "e1", URL: "https://example.com/connect", Message: "Allow it."}}
		if diff := cmp.Diff(want, client.RequiredVisits(err)); diff != "" {
			t.Errorf("visits of %v (-want +got):\n%s", err, diff)
		}
		if n := s.Count(protocol.MethodCallTool); n != 1 {
			t.Errorf("called %d times before the user came back", n)
		}
		if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
			t.Errorf("the second call: %v, %v", r, err)
		}
	})
	for name, err := range map[string]error{
		"no error":          nil,
		"another error":     errors.New("broken"),
		"another code":      &protocol.Error{Code: -32602, Data: []byte(`{"elicitations":[` + page + `]}`)},
		"no data":           &protocol.Error{Code: -32042},
		"another shape":     &protocol.Error{Code: -32042, Data: []byte(`{"elicitations":7}`)},
		"no element of use": &protocol.Error{Code: -32042, Data: []byte(`{"elicitations":[7,null,{"mode":"form","message":"m"}]}`)},
		"unsafe URLs":       &protocol.Error{Code: -32042, Data: []byte(`{"elicitations":[{"mode":"url","url":"javascript:alert(1)"},{"mode":"url","url":"http://example.com/"}]}`)},
	} {
		if got := client.RequiredVisits(err); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}
