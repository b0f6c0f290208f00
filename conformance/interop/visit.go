package interop

import (
	"context"
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
)

// An Outcome is what one connection came to.
type Outcome struct {
	Era        negotiation.Era
	Version    string
	Name       string // what the server calls itself
	Row        string // of the decision table
	FromCache  bool
	RoundTrips int      // of Connect
	Listed     bool     // the tool is in the list
	Text       string   // what the call returned
	Asked      []string // the methods that the server was sent
}

// A Call is one of a tool.
type Call struct {
	Tool string
	Args map[string]any
}

// visitTime bounds one visit, a cold start of the server included.
const visitTime = time.Minute

// Visit connects to s, lists its tools, calls one, and takes leave.
func Visit(t *testing.T, s *Server, call Call, opts ...client.Option) Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), visitTime)
	defer cancel()
	c, err := client.Connect(ctx, s.Transport(t), opts...)
	if err != nil {
		t.Fatalf("Connect: %v\nthe server was asked %q", err, s.Asked(t))
	}
	n := c.Negotiation()
	o := Outcome{
		Era: c.Era(), Version: c.ProtocolVersion(), Name: c.ServerInfo().Name,
		Row: n.Row, FromCache: n.FromCache, RoundTrips: n.RoundTrips,
		Listed: lists(ctx, t, c, call.Tool),
	}
	if result, err := c.CallTool(ctx, call.Tool, call.Args); err != nil {
		t.Errorf("CallTool(%s): %v", call.Tool, err)
	} else {
		o.Text = result.Text()
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	o.Asked = s.Asked(t)
	return o
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
