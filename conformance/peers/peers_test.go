package peers_test

import (
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpera/mcpera/conformance/interop"
	"github.com/mcpera/mcpera/negotiation"
)

// greet is a call of the tool that every server here has.
var greet = interop.Call{Tool: "greet", Args: map[string]any{"name": "Ada"}}

func TestConnectFindsTheEraOfEveryGoServer(t *testing.T) {
	modern := interop.Want{
		Era: negotiation.EraModern, Version: "2026-07-28", Row: negotiation.RowDiscover,
		Opening: interop.Discover, Reopening: interop.Discover,
	}
	modernKept := modern
	modernKept.Reopening = interop.AtOnce
	legacy := func(row negotiation.Row, session bool) interop.Want {
		return interop.Want{
			Era: negotiation.EraLegacy, Version: "2025-11-25", Row: row, Session: session,
			Opening: interop.Fallback, Reopening: interop.Handshake,
		}
	}
	for name, tc := range map[string]struct {
		server string // what it calls itself
		start  func(*testing.T) *interop.Server
		want   interop.Want
	}{
		"go-sdk over stateless HTTP is modern": {
			"go-sdk", goSDKOverHTTP(nil, &gosdk.StreamableHTTPOptions{Stateless: true}), modern,
		},
		"go-sdk over stateless HTTP is modern, and at once the second time when discovery may be cached": {
			"go-sdk", goSDKOverHTTP(&gosdk.ServerOptions{SetCacheable: discoverKept}, &gosdk.StreamableHTTPOptions{Stateless: true}), modernKept,
		},
		"go-sdk over HTTP is legacy by default: it keeps sessions and discloses only legacy versions": {
			"go-sdk", goSDKOverHTTP(nil, nil), legacy(negotiation.RowNoMutualVersion, true),
		},
		"go-sdk over stateless HTTP is legacy when narrowed to legacy versions": {
			"go-sdk", goSDKOverHTTP(&gosdk.ServerOptions{SupportedProtocolVersions: legacyOnly}, &gosdk.StreamableHTTPOptions{Stateless: true}),
			legacy(negotiation.RowUnsupported, false),
		},
		"go-sdk over stdio is modern": {
			"go-sdk", func(t *testing.T) *interop.Server { return overStdio(t, "go-sdk") }, modern,
		},
		"go-sdk over stdio is legacy when narrowed to legacy versions": {
			"go-sdk", func(t *testing.T) *interop.Server { return overStdio(t, "go-sdk-legacy-only") },
			legacy(negotiation.RowUnsupported, false),
		},
		"mcp-go over HTTP is modern": {
			"mcp-go", mcpGoOverHTTP(mcpGo()), modern,
		},
		"mcp-go over HTTP is modern, and at once the second time when discovery may be cached": {
			"mcp-go", mcpGoOverHTTP(mcpGo(server.WithMethodCacheHints(mcpgo.MethodServerDiscover, 3_600_000, mcpgo.CacheScopePublic))), modernKept,
		},
		"mcp-go over stateful HTTP is modern": {
			"mcp-go", mcpGoOverHTTP(mcpGo(), server.WithStateful(true)), modern,
		},
		"mcp-go over HTTP is legacy when narrowed to legacy versions": {
			"mcp-go", mcpGoOverHTTP(mcpGo(), server.WithStreamableHTTPProtocolVersions(legacyOnly...)),
			legacy(negotiation.RowUnsupported, true),
		},
		"mcp-go over stdio is modern": {
			"mcp-go", func(t *testing.T) *interop.Server { return overStdio(t, "mcp-go") }, modern,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := tc.want
			want.Name, want.Call, want.Text = tc.server, greet, "Hello, Ada"
			interop.Check(t, tc.start(t), want)
		})
	}
}
