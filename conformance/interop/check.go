package interop

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// A Want is what connecting to a server must come to.
type Want struct {
	Era     negotiation.Era
	Version string
	Name    string // what the server calls itself
	Row     negotiation.Row

	// Opening is what the server is asked by the first Connect, Reopening by one
	// that shares its caches. The round trips follow from them.
	Opening, Reopening []string
	// Shared: HTTP+SSE, whose stream is a round trip that no POST tells of.
	Shared bool
	// Session: the server keeps a session, which ends with a DELETE.
	Session bool

	Call Call
	Text string // what the call must return
}

// The ways in which a connection opens.
var (
	Discover   = []string{protocol.MethodDiscover}
	Handshake  = []string{protocol.MethodInitialize, protocol.MethodInitialized}
	Refused    = []string{protocol.MethodInitialize} // by a server of HTTP+SSE, before the handshake
	Fallback   = slices.Concat(Discover, Handshake)
	AtOnce     = []string{} // no round trip at all
	afterwards = []string{protocol.MethodListTools, protocol.MethodCallTool}
)

// Check connects to s twice, and uses both connections. The second shares the
// caches of the first.
func Check(t *testing.T, s *Server, want Want, opts ...client.Option) {
	t.Helper()
	opts = append(slices.Clone(opts), Caches()...)
	first := want.outcome(want.Opening)
	if want.Row != negotiation.NoRow {
		first.Row = want.Row.String()
	}
	if diff := cmp.Diff(first, Visit(t, s, want.Call, opts...)); diff != "" {
		t.Errorf("the first connection (-want +got):\n%s", diff)
	}
	second := want.outcome(want.Reopening)
	second.FromCache = want.Row != negotiation.NoRow // a pinned era is not even remembered
	if second.RoundTrips > 0 && second.Era == negotiation.EraModern {
		second.Row = first.Row // the same answer, judged once more
	}
	if diff := cmp.Diff(second, Visit(t, s, want.Call, opts...)); diff != "" {
		t.Errorf("the second connection (-want +got):\n%s", diff)
	}
}

// Caches returns options that make those who use them share caches, which are
// empty and not the process's.
func Caches() []client.Option {
	return []client.Option{
		client.WithEraCache(erecache.New(time.Now)),
		client.WithResponseCache(responsecache.New(time.Now)),
	}
}

// outcome returns what a connection that opens in the given way must come to.
func (w Want) outcome(opening []string) Outcome {
	o := Outcome{
		Era: w.Era, Version: w.Version, Name: w.Name,
		Listed: true, Text: w.Text, Asked: slices.Concat(opening, afterwards),
	}
	if w.Session {
		o.Asked = append(o.Asked, "DELETE")
	}
	if w.Shared {
		o.RoundTrips++
	}
	for _, method := range opening {
		if !strings.HasPrefix(method, "notifications/") {
			o.RoundTrips++
		}
	}
	return o
}

// CheckOpening checks the era of a connection, and that nothing but opening was
// asked before the tools.
func CheckOpening(t *testing.T, got Outcome, era negotiation.Era, opening []string) {
	t.Helper()
	if got.Era != era {
		t.Errorf("the era is %s, want %s", got.Era, era)
	}
	want := slices.Concat(opening, afterwards)
	if n := min(len(want), len(got.Asked)); !slices.Equal(got.Asked[:n], want) {
		t.Errorf("the server was asked %q, want %q", got.Asked, want)
	}
}
