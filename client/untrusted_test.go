package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// What a server names in its lists and results (icons, links, websites, resources)
// is the program's to fetch, or not: the client asks for nothing of it.
func TestNothingThatAServerNamesIsFetched(t *testing.T) {
	var hits atomic.Int64
	spy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer spy.Close()
	icons := `"icons":[{"src":"` + spy.URL + `/icon.png"}]`
	s := overHTTP(t, fault.Modern().With(fault.Script{
		"server/discover": {{fault.Result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{}},
			"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1","websiteUrl":"` + spy.URL + `/site",` + icons + `}}}`)}},
		"tools/list": {{fault.Result(`{"resultType":"complete","tools":[{"name":"echo","inputSchema":{"type":"object"},` + icons + `}]}`)}},
		"tools/call": {{fault.Result(`{"resultType":"complete","content":[
			{"type":"resource_link","uri":"` + spy.URL + `/link","name":"l",` + icons + `},
			{"type":"resource","resource":{"uri":"` + spy.URL + `/embedded","text":"t"}},
			{"type":"text","text":"![](` + spy.URL + `/image.png)"}]}`)}},
		"resources/list": {{fault.Result(`{"resultType":"complete","resources":[{"uri":"` + spy.URL + `/resource","name":"r",` + icons + `}]}`)}},
		"resources/read": {{fault.Result(`{"resultType":"complete","contents":[{"uri":"` + spy.URL + `/resource","text":"t"}]}`)}},
	}))
	c := s.connected(t)
	if got := c.ServerInfo().Icons; len(got) != 1 {
		t.Errorf("icons of the server: %v", got)
	}
	tools, err := c.ListTools(t.Context())
	if err != nil || len(tools.Tools.Items) != 1 || len(tools.Tools.Items[0].Icons) != 1 {
		t.Errorf("ListTools: %v, %v", tools, err)
	}
	if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || len(r.Content) != 3 {
		t.Errorf("CallTool: %v, %v", r, err)
	}
	if _, err := c.ListResources(t.Context()); err != nil {
		t.Error(err)
	}
	// A resource is read by asking the server for it, whatever its URI says.
	if _, err := c.ReadResource(t.Context(), spy.URL+"/resource"); err != nil {
		t.Error(err)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// The answer to a probe is bounded lower than others: whoever answers is not known
// yet. Too much of it is an error, and no era.
func TestAnAnswerToTheProbeIsBounded(t *testing.T) {
	for name, tc := range map[string]struct {
		fill string
		fits bool
	}{
		"half a MiB": {"500000", true},
		"above":      {"1100000", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, fault.Dual().With(fault.Script{
				"server/discover": {{fault.Result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"${fill:` + tc.fill + `}"}`)}},
			}))
			c, err := s.connect(t)
			if tc.fits {
				if err != nil || c.Era() != negotiation.EraModern {
					t.Errorf("Connect: %v", err)
				}
				return
			}
			var limit *transport.LimitError
			if !errors.As(err, new(*client.ConnectError)) || !errors.As(err, &limit) || limit.Limit != 1<<20 {
				t.Errorf("Connect: %v", err)
			}
			if got := s.Methods(); slices.Contains(got, protocol.MethodInitialize) {
				t.Errorf("the client sent %s", got)
			}
		})
	}
}
