package client_test

import (
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// M-EXT-01, M-EXT-03: extensions are declared in the modern era alone, by an id
// with a prefix, and none by default.
func TestExtensionsAreDeclaredInTheModernEraAlone(t *testing.T) {
	opts := []client.Option{client.WithExtension("com.example/charts", map[string]any{"z": 1, "a": []string{"x"}}), client.WithTasks()}
	const declared = `{"com.example/charts":{"a":["x"],"z":1},"io.modelcontextprotocol/tasks":{}}`
	for name, tc := range map[string]struct {
		script fault.Script
		opts   []client.Option
		path   []string
		method string
		want   string
	}{
		"modern":             {fault.Modern(), opts, []string{"params", "_meta", protocol.MetaClientCapabilities, "extensions"}, protocol.MethodListTools, declared},
		"modern, by default": {fault.Modern(), nil, []string{"params", "_meta", protocol.MetaClientCapabilities, "extensions"}, protocol.MethodListTools, ""},
		"legacy":             {fault.Legacy("2025-11-25"), opts, []string{"params", "capabilities", "extensions"}, protocol.MethodInitialize, ""},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, tc.script, func(t *testing.T, s *scripted) {
				if _, err := s.connected(t, tc.opts...).ListTools(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := member(t, s.await(t, tc.method, 1).Body, tc.path...); got != tc.want {
					t.Errorf("declared %s, want %s", got, tc.want)
				}
			})
		})
	}
	for _, id := range []string{"", "charts", "/charts", "com.example/", "com example/charts", "com.example/a\nb", "-x/charts", "com.example/charts-", "com..example/a"} {
		if _, err := client.Connect(t.Context(), newPuppet(negotiation.Stdio, nil), client.WithExtension(id, nil)); err == nil {
			t.Errorf("%q is taken for an id", id)
		}
	}
	if _, err := client.Connect(t.Context(), newPuppet(negotiation.Stdio, nil), client.WithExtension("com.example/a", []int{1})); err == nil {
		t.Error("settings that are a list are taken")
	}
}

// What the server declares is there to read.
func TestTheServersExtensionsCanBeRead(t *testing.T) {
	c := connectTo(t, referenceJSON(t, conformance.Modern))
	if _, ok := c.Capabilities().Extensions[protocol.ExtensionTasks]; !ok {
		t.Errorf("extensions: %v", c.Capabilities().Extensions)
	}
}
