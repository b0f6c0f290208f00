package interop

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
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
	// Session: the server keeps a session, which ends with a DELETE.
	Session bool

	Tool string
	Args map[string]any
	Text string // what the call must return
}

// The ways in which a connection opens.
var (
	Discover   = []string{protocol.MethodDiscover}
	Handshake  = []string{protocol.MethodInitialize, protocol.MethodInitialized}
	Fallback   = slices.Concat(Discover, Handshake)
	AtOnce     = []string{} // no round trip at all
	afterwards = []string{protocol.MethodListTools, protocol.MethodCallTool}
)

// Check connects to s twice, and uses both connections. The second shares the
// caches of the first.
func Check(t *testing.T, s *Server, want Want, opts ...client.Option) {
	t.Helper()
	opts = append(slices.Clone(opts),
		client.WithEraCache(erecache.New(time.Now)),
		client.WithDiscoverCache(client.NewDiscoverCache(time.Now)))

	first := want.visit(want.Opening)
	if want.Row != negotiation.NoRow {
		first.Row = want.Row.String()
	}
	if diff := cmp.Diff(first, visit(t, s, want, opts)); diff != "" {
		t.Errorf("the first connection (-want +got):\n%s", diff)
	}

	second := want.visit(want.Reopening)
	second.FromCache = want.Row != negotiation.NoRow // a pinned era is not even remembered
	got := visit(t, s, want, opts)
	if second.RoundTrips > 0 && second.Era == negotiation.EraModern {
		second.Row = first.Row // the same answer, judged once more
	}
	if diff := cmp.Diff(second, got); diff != "" {
		t.Errorf("the second connection (-want +got):\n%s", diff)
	}
}

// An outcome is what one connection came to.
type outcome struct {
	Era        negotiation.Era
	Version    string
	Name       string
	Row        string
	FromCache  bool
	RoundTrips int
	Listed     bool // the tool is in the list
	Text       string
	Asked      []string
}

// visit returns what a connection that opens in the given way must come to.
func (w Want) visit(opening []string) outcome {
	v := outcome{
		Era: w.Era, Version: w.Version, Name: w.Name,
		Listed: true, Text: w.Text, Asked: slices.Concat(opening, afterwards),
	}
	if w.Session {
		v.Asked = append(v.Asked, "DELETE")
	}
	for _, method := range opening {
		if !strings.HasPrefix(method, "notifications/") {
			v.RoundTrips++
		}
	}
	return v
}

// visitTime bounds one visit, a cold start of the server included.
const visitTime = time.Minute

// visit connects to s, lists its tools, calls one, and takes leave.
func visit(t *testing.T, s *Server, want Want, opts []client.Option) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), visitTime)
	defer cancel()
	tr, err := s.reach()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(ctx, tr, opts...)
	if err != nil {
		asked, _ := s.asked()
		t.Fatalf("Connect: %v\nthe server was asked %q", err, asked)
	}
	n := c.Negotiation()
	v := outcome{
		Era: c.Era(), Version: c.ProtocolVersion(), Name: c.ServerInfo().Name,
		Row: n.Row, FromCache: n.FromCache, RoundTrips: n.RoundTrips,
		Listed: lists(ctx, t, c, want.Tool),
	}
	if result, err := c.CallTool(ctx, want.Tool, want.Args); err != nil {
		t.Errorf("CallTool(%s): %v", want.Tool, err)
	} else {
		v.Text = result.Text()
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if v.Asked, err = s.asked(); err != nil {
		t.Errorf("no record of what the server was asked: %v", err)
	}
	return v
}

// lists reports whether the server lists a tool by that name.
func lists(ctx context.Context, t *testing.T, c *client.Client, name string) (found bool) {
	t.Helper()
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			t.Errorf("Tools: %v", err)
			return found
		}
		found = found || tool.Name == name
	}
	return found
}
