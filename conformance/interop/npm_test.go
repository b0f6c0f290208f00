package interop_test

import (
	"slices"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/interop"
	"github.com/mcpera/mcpera/negotiation"
)

// An npmServer is a script with what the client must make of it.
type npmServer struct {
	script string
	args   []string
	path   string // of the endpoint; "" over stdio
	shared bool   // HTTP+SSE, where messages go to another path
	pin    negotiation.Era
	want   interop.Want
}

// The versions of the two eras that the servers and this client share.
const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
)

// greetAda is a call of the tool of server.mjs.
var greetAda = interop.Call{Tool: "greet", Args: map[string]any{"name": "Ada"}}

// greeting is what it returns. It tells which era the server itself was in.
func greeting(era negotiation.Era) string { return "Hello, Ada, from the " + era.String() + " era" }

func TestConnectFindsTheEraOfEveryNPMServer(t *testing.T) {
	greet := func(w interop.Want) interop.Want {
		w.Call, w.Text = greetAda, greeting(w.Era)
		return w
	}
	echo := func(w interop.Want) interop.Want {
		w.Era, w.Version, w.Name = negotiation.EraLegacy, legacy, "mcp-servers/everything"
		w.Opening, w.Reopening = interop.Fallback, interop.Handshake
		w.Call = interop.Call{Tool: "echo", Args: map[string]any{"message": "Ada"}}
		w.Text = "Echo: Ada"
		return w
	}
	for name, tc := range map[string]npmServer{
		"server-everything over stdio is legacy": {
			script: everything, args: []string{"stdio"},
			want: echo(interop.Want{Row: negotiation.RowStdioError}),
		},
		"server-everything over HTTP is legacy": {
			script: everything, args: []string{"streamableHttp"}, path: "/mcp",
			want: echo(interop.Want{Row: negotiation.RowNotModern, Session: true}),
		},
		"server-everything over HTTP+SSE is legacy": {
			script: everything, args: []string{"sse"}, path: "/sse", shared: true,
			want: interop.Want{
				Era: negotiation.EraLegacy, Version: legacy, Name: "mcp-servers/everything",
				Row: negotiation.RowNotModern, Shared: true,
				Opening:   slices.Concat(interop.Discover, interop.Refused, interop.Handshake),
				Reopening: slices.Concat(interop.Refused, interop.Handshake),
				Call:      interop.Call{Tool: "echo", Args: map[string]any{"message": "Ada"}}, Text: "Echo: Ada",
			},
		},
		"a modern server over stdio is modern": {
			script: "server.mjs", args: []string{"modern", "stdio"},
			want: greet(interop.Want{
				Era: negotiation.EraModern, Version: modern, Name: "npm-modern", Row: negotiation.RowDiscover,
				Opening: interop.Discover, Reopening: interop.Discover,
			}),
		},
		"a modern server over HTTP is modern": {
			script: "server.mjs", args: []string{"modern", "http"}, path: "/",
			want: greet(interop.Want{
				Era: negotiation.EraModern, Version: modern, Name: "npm-modern", Row: negotiation.RowDiscover,
				Opening: interop.Discover, Reopening: interop.Discover,
			}),
		},
		"a modern server that answers with event streams is modern": {
			script: "server.mjs", args: []string{"modern-sse", "http"}, path: "/",
			want: greet(interop.Want{
				Era: negotiation.EraModern, Version: modern, Name: "npm-modern-sse", Row: negotiation.RowDiscover,
				Opening: interop.Discover, Reopening: interop.Discover,
			}),
		},
		"a dual-era server over stdio is modern, and at once the second time": {
			script: "server.mjs", args: []string{"dual", "stdio"},
			want: greet(interop.Want{
				Era: negotiation.EraModern, Version: modern, Name: "npm-dual", Row: negotiation.RowDiscover,
				Opening: interop.Discover, Reopening: interop.AtOnce,
			}),
		},
		"a dual-era server over HTTP is modern, and at once the second time": {
			script: "server.mjs", args: []string{"dual", "http"}, path: "/",
			want: greet(interop.Want{
				Era: negotiation.EraModern, Version: modern, Name: "npm-dual", Row: negotiation.RowDiscover,
				Opening: interop.Discover, Reopening: interop.AtOnce,
			}),
		},
		// That this works shows why the rows above look at what was asked.
		"a dual-era server over stdio is legacy when pinned": {
			script: "server.mjs", args: []string{"dual", "stdio"}, pin: negotiation.EraLegacy,
			want: greet(interop.Want{
				Era: negotiation.EraLegacy, Version: legacy, Name: "npm-dual",
				Opening: interop.Handshake, Reopening: interop.Handshake,
			}),
		},
		"a dual-era server over HTTP is legacy when pinned": {
			script: "server.mjs", args: []string{"dual", "http"}, path: "/", pin: negotiation.EraLegacy,
			want: greet(interop.Want{
				Era: negotiation.EraLegacy, Version: legacy, Name: "npm-dual",
				Opening: interop.Handshake, Reopening: interop.Handshake,
			}),
		},
		"the server over stdio that refuses modern traffic is legacy": {
			script: "server.mjs", args: []string{"legacy", "stdio"},
			want: greet(interop.Want{
				Era: negotiation.EraLegacy, Version: legacy, Name: "npm-legacy", Row: negotiation.RowStdioError,
				Opening: interop.Fallback, Reopening: interop.Handshake,
			}),
		},
		"the server over HTTP that refuses modern traffic is legacy": {
			script: "server.mjs", args: []string{"legacy", "http"}, path: "/",
			want: greet(interop.Want{
				Era: negotiation.EraLegacy, Version: legacy, Name: "npm-legacy", Row: negotiation.RowNotModern,
				Opening: interop.Fallback, Reopening: interop.Handshake,
			}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opts []client.Option
			if tc.pin != negotiation.EraUnknown {
				opts = append(opts, client.WithEra(tc.pin))
			}
			interop.Check(t, tc.start(t), tc.want, opts...)
		})
	}
}

// start makes the server ready to be connected to.
func (s npmServer) start(t *testing.T) *interop.Server {
	t.Helper()
	dir := npmServers(t)
	if s.path == "" {
		return interop.OverStdio(t, stdioCommand(dir, s.script, s.args...)...)
	}
	origin := startHTTP(t, dir, s.script, s.args...)
	if s.shared {
		return interop.OverHTTPAt(t, interop.ProxyToOrigin(t, origin), s.path)
	}
	endpoint := origin + s.path
	return interop.OverHTTP(t, interop.ProxyTo(t, endpoint))
}
