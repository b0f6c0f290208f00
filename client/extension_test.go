package client_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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

// M-DSC-01: what the server declares is there to read.
func TestTheServersExtensionsCanBeRead(t *testing.T) {
	c := connectTo(t, referenceJSON(t, conformance.Modern))
	if _, ok := c.Capabilities().Extensions[protocol.ExtensionTasks]; !ok {
		t.Errorf("extensions: %v", c.Capabilities().Extensions)
	}
}

// X-APP-01, X-APP-02: a program that renders apps declares what it can render,
// finds a tool's page, and reads it with the rules for its sandbox.
func TestAnAppsPageCanBeFoundAndRead(t *testing.T) {
	const ui = `"_meta":{"ui":{"resourceUri":"ui://weather/map"}}`
	const rules = `{"ui":{"csp":{"connectDomains":["https://tiles.example.com"]},"permissions":{"geolocation":{}}}}`
	overBoth(t, fault.Modern().With(fault.Script{
		protocol.MethodListTools: {{fault.Result(`{"resultType":"complete","tools":[{"name":"map","inputSchema":{"type":"object"},` + ui + `}]}`)}},
		protocol.MethodReadResource: {{fault.Result(`{"resultType":"complete","contents":[{"uri":"ui://weather/map",` +
			`"mimeType":"text/html;profile=mcp-app","text":"<html>","_meta":` + rules + `}]}`)}},
	}), func(t *testing.T, s *scripted) {
		c := s.connected(t, client.WithExtension("io.modelcontextprotocol/ui", map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}}))
		list, err := c.ListTools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		declared := member(t, s.await(t, protocol.MethodListTools, 1).Body, "params", "_meta", protocol.MetaClientCapabilities, "extensions")
		if declared != `{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}` {
			t.Errorf("declared %s", declared)
		}
		var page struct {
			ResourceURI string `json:"resourceUri"`
		}
		if !list.Tools.Items[0].Meta.Decode("ui", &page) {
			t.Fatalf("the tool names no page: %+v", list.Tools)
		}
		read, err := c.ReadResource(t.Context(), page.ResourceURI)
		if err != nil {
			t.Fatal(err)
		}
		got := read.Contents.Items[0]
		if got.Text != "<html>" || got.MIMEType != "text/html;profile=mcp-app" || string(got.Meta) != rules {
			t.Errorf("the page is %+v", got)
		}
	})
}

// X-SKL-02, X-SKL-03: a skill is a resource like any other. It is read from its
// own server by its URI alone, whatever that names, and though no list has it.
// X-SKL-01: no method of that extension is called.
func TestASkillIsReadByItsURIAlone(t *testing.T) {
	const uri = "skill://elsewhere.example.com/refunds/SKILL.md"
	overBoth(t, fault.Modern().With(fault.Script{
		protocol.MethodListResources: {{fault.Result(`{"resultType":"complete","resources":[]}`)}},
		protocol.MethodReadResource:  {{fault.Result(`{"resultType":"complete","contents":[{"uri":"` + uri + `","text":"# Refunds"}]}`)}},
	}), func(t *testing.T, s *scripted) {
		c := s.connected(t)
		if _, err := c.ListResources(t.Context()); err != nil {
			t.Fatal(err)
		}
		read, err := c.ReadResource(t.Context(), uri)
		if err != nil || read.Contents.Items[0].Text != "# Refunds" {
			t.Fatalf("ReadResource: %+v, %v", read, err)
		}
		if got := member(t, s.await(t, protocol.MethodReadResource, 1).Body, "params", "uri"); got != `"`+uri+`"` {
			t.Errorf("asked for %s", got)
		}
		if diff := cmp.Diff([]string{"server/discover", "resources/list", "resources/read"}, s.Methods()); diff != "" {
			t.Errorf("methods (-want +got):\n%s", diff)
		}
	})
}
