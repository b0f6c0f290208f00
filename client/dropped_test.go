package client_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// One bad element costs itself, and the log says so, whatever the list (B082).
func TestWhatIsLeftOutOfAListIsLogged(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{
		protocol.MethodListTools:             {{fault.Result(`{"tools":[null,{"name":"a"}]}`)}},
		protocol.MethodListResources:         {{fault.Result(`{"resources":[null,{"uri":"x:a","name":"a"}]}`)}},
		protocol.MethodListResourceTemplates: {{fault.Result(`{"resourceTemplates":[null,{"uriTemplate":"x:{a}","name":"a"}]}`)}},
		protocol.MethodListPrompts:           {{fault.Result(`{"prompts":[null,{"name":"a"}]}`)}},
	}))
	var log bytes.Buffer
	c := s.connected(t, client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	kept := 0
	for _, err := range c.Tools(t.Context()) {
		kept += one(t, err)
	}
	for _, err := range c.Resources(t.Context()) {
		kept += one(t, err)
	}
	for _, err := range c.ResourceTemplates(t.Context()) {
		kept += one(t, err)
	}
	for _, err := range c.Prompts(t.Context()) {
		kept += one(t, err)
	}
	if kept != 4 {
		t.Errorf("%d elements are left, want one of each list", kept)
	}
	for _, what := range []string{"tool", "resource", "resource template", "prompt"} {
		if !strings.Contains(log.String(), `"left out a `+what+`"`) {
			t.Errorf("the log says nothing of a %s that was left out:\n%s", what, &log)
		}
	}
}

// one counts an element that came without an error.
func one(t *testing.T, err error) int {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return 1
}

// As many as a server likes are not logged one by one, whatever is wrong with them.
func TestOfAListThatIsAllWrongNotAllIsLogged(t *testing.T) {
	const invalid = `{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"object","x-mcp-header":"X"}}}}`
	for name, element := range map[string]string{"what can't be read": `0`, "what can't be used": invalid} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			s := overHTTP(t, fault.Modern().With(fault.Script{
				protocol.MethodListTools: {{fault.Result(`{"tools":[` + strings.Repeat(element+",", 999) + element + `]}`)}},
			}))
			c := s.connected(t, client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			if _, err := c.ListTools(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(log.String(), "level=WARN"); n != 101 {
				t.Errorf("%d lines", n)
			}
		})
	}
}
