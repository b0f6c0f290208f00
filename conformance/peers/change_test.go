package peers_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/interop"
	"github.com/mcpera/mcpera/negotiation"
)

// A changing server is one that can be made stateful, and with that legacy,
// between two connections, as by a new release behind the same URL.
type changing struct {
	stateless, stateful http.Handler
	changed             atomic.Bool
}

func newChanging(options *gosdk.ServerOptions) *changing {
	s := goSDK(options)
	get := func(*http.Request) *gosdk.Server { return s }
	return &changing{
		stateless: gosdk.NewStreamableHTTPHandler(get, &gosdk.StreamableHTTPOptions{Stateless: true}),
		stateful:  gosdk.NewStreamableHTTPHandler(get, nil),
	}
}

func (c *changing) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if c.changed.Load() {
		c.stateful.ServeHTTP(w, req)
	} else {
		c.stateless.ServeHTTP(w, req)
	}
}

func TestARememberedModernEraEndsWhenTheServerRefutesIt(t *testing.T) {
	t.Parallel()
	server := newChanging(nil)
	s, caches := interop.OverHTTP(t, server), interop.Caches()
	if got := interop.Visit(t, s, greet, caches...); got.Era != negotiation.EraModern {
		t.Fatalf("the era before the change is %s, want modern", got.Era)
	}
	server.changed.Store(true)

	got := interop.Visit(t, s, greet, caches...)
	opening := slices.Concat(interop.Discover, interop.Fallback) // the remembered era is tried, then one new probe
	interop.CheckOpening(t, got, negotiation.EraLegacy, opening)

	got = interop.Visit(t, s, greet, caches...)
	interop.CheckOpening(t, got, negotiation.EraLegacy, interop.Handshake)
}

func TestAModernConnectionStaysModernAndTheNextOneAsksAgain(t *testing.T) {
	t.Parallel()
	server := newChanging(&gosdk.ServerOptions{SetCacheable: discoverKept})
	s, caches := interop.OverHTTP(t, server), interop.Caches()
	if got := interop.Visit(t, s, greet, caches...); got.Era != negotiation.EraModern {
		t.Fatalf("the era before the change is %s, want modern", got.Era)
	}
	server.changed.Store(true)

	c, err := client.Connect(t.Context(), s.Transport(t), caches...) // asks nothing
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(t.Context(), greet.Tool, greet.Args); err == nil {
		t.Error("CallTool succeeded on a server that no longer is modern")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if asked := s.Asked(t); !slices.Equal(asked, []string{"tools/call"}) {
		t.Errorf("the server was asked %q, want the call alone", asked)
	}

	got := interop.Visit(t, s, greet, caches...)
	interop.CheckOpening(t, got, negotiation.EraLegacy, interop.Fallback)
}
