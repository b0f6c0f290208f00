package client

import (
	"fmt"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpera/mcpera/protocol"
)

// ExpandTemplate returns the URI that a resource template gives for values: a
// string for each variable, or a []string for one that takes a list. A variable
// without a value expands to nothing, as RFC 6570 has it; a value without a
// variable is an error, since it is most often a misspelling.
//
// Source: MCP 2026-07-28, server/resources, "Resource Templates"; RFC 6570.
func ExpandTemplate(t *protocol.ResourceTemplate, values map[string]any) (string, error) {
	template, err := uritemplate.New(t.URITemplate)
	if err != nil {
		return "", fmt.Errorf("resource template %s: %w", protocol.Quote(t.Name), err)
	}
	known := make(map[string]bool)
	for _, name := range template.Varnames() {
		known[name] = true
	}
	expanded := make(uritemplate.Values, len(values))
	for name, value := range values {
		if !known[name] {
			return "", fmt.Errorf("resource template %s has no variable %s", protocol.Quote(t.Name), protocol.Quote(name))
		}
		switch v := value.(type) {
		case string:
			expanded.Set(name, uritemplate.String(v))
		case []string:
			expanded.Set(name, uritemplate.List(v...))
		default:
			return "", fmt.Errorf("resource template %s: variable %s is a %T, not a string or a []string",
				protocol.Quote(t.Name), protocol.Quote(name), value)
		}
	}
	return template.Expand(expanded)
}
