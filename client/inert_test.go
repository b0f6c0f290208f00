package client_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// M-META-07, B-META-04: what a server calls itself, and whatever else stands
// under reserved keys, changes nothing but what ServerInfo shows.
func TestReservedMetadataDecidesNothing(t *testing.T) {
	for name, meta := range map[string]string{
		"a name":                `{"io.modelcontextprotocol/serverInfo":{"name":"github","version":"1"}}`,
		"another":               `{"io.modelcontextprotocol/serverInfo":{"name":"../../etc","version":"\u0000"}}`,
		"a number for a name":   `{"io.modelcontextprotocol/serverInfo":7}`,
		"values of other kinds": `{"io.modelcontextprotocol/protocolVersion":[],"io.modelcontextprotocol/subscriptionId":{},"progressToken":null}`,
		"a key of the future":   `{"io.modelcontextprotocol/later":{"a":[1]},"dev.mcp/x":false}`,
		"none":                  `null`,
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fault.Modern().With(fault.Script{
				protocol.MethodDiscover:  {{fault.Result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":` + meta + `}`)}},
				protocol.MethodListTools: {{fault.Result(`{"resultType":"complete","tools":[{"name":"echo","_meta":` + meta + `}],"_meta":` + meta + `}`)}},
				protocol.MethodCallTool:  {{fault.Result(`{"resultType":"complete","content":[{"type":"text","text":"done","_meta":` + meta + `}],"_meta":` + meta + `}`)}},
			}), func(t *testing.T, s *scripted) {
				c := s.connected(t)
				if r, err := c.ListTools(t.Context()); err != nil || len(r.Tools.Items) != 1 {
					t.Errorf("ListTools: %+v, %v", r, err)
				}
				if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
					t.Errorf("CallTool: %+v, %v", r, err)
				}
				if got := s.remembered(t); got != "modern 2026-07-28" {
					t.Errorf("remembered %s", got)
				}
				if diff := cmp.Diff([]string{"server/discover", "tools/list", "tools/call"}, s.Methods()); diff != "" {
					t.Errorf("methods (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// B-TOL-01: a server's word that a call may be repeated is not taken for it.
func TestAnnotationsDecideNothing(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{
		protocol.MethodListTools: {{fault.Result(`{"resultType":"complete","tools":[{"name":"echo","inputSchema":{"type":"object"},` +
			`"annotations":{"readOnlyHint":true,"idempotentHint":true,"destructiveHint":false}}]}`)}},
		protocol.MethodCallTool: {{fault.Reset()}, {fault.Content("done")}},
	}), mcphttp.WithRetries(3))
	c := s.connected(t)
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := c.CallTool(t.Context(), "echo", nil); err == nil {
		t.Errorf("CallTool: %+v", r)
	}
	if n := s.Count(protocol.MethodCallTool); n != 1 {
		t.Errorf("the tool was called %d times", n)
	}
}

// B-ICO-01, B-ICO-02, B-ICO-03: icons are passed on as they came. Which to show,
// and how to get them, is the program's to decide; the client gets none.
func TestIconsAreNotFetched(t *testing.T) {
	var hits atomic.Int64
	spy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer spy.Close()
	icon := `{"src":"` + spy.URL + `/i.svg","mimeType":"image/svg+xml","sizes":["any"],"theme":"dark"}`
	for era, base := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
		t.Run(era, func(t *testing.T) {
			s := overHTTP(t, base.With(fault.Script{
				protocol.MethodListTools: {{fault.Result(`{"tools":[{"name":"echo","inputSchema":{"type":"object"},"icons":[` + icon + `]}]}`)}},
				protocol.MethodCallTool:  {{fault.Result(`{"content":[{"type":"resource_link","uri":"a:b","name":"b","icons":[` + icon + `]}]}`)}},
			}))
			c := s.connected(t, client.WithHandler(says("x")))
			list, err := c.ListTools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			called, err := c.CallTool(t.Context(), "echo", nil)
			if err != nil {
				t.Fatal(err)
			}
			want := []protocol.Icon{{Src: spy.URL + "/i.svg", MIMEType: "image/svg+xml", Sizes: []string{"any"}, Theme: "dark"}}
			link, _ := called.Content[0].(*protocol.ResourceLink)
			for what, got := range map[string][]protocol.Icon{"the tool": list.Tools.Items[0].Icons, "the link": link.Icons} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("icons of %s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests for icons", n)
	}
}
