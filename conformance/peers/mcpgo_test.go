package peers_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpera/mcpera/conformance/interop"
)

// mcpGo returns a server with one tool.
func mcpGo(options ...server.ServerOption) *server.MCPServer {
	s := server.NewMCPServer("mcp-go", "1.2.1", options...)
	tool := mcp.NewTool("greet", mcp.WithDescription("Greets somebody."), mcp.WithString("name", mcp.Required()))
	s.AddTool(tool, func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		name, err := req.RequireString("name")
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText("Hello, " + name), nil
	})
	return s
}

// mcpGoOverHTTP serves a server of the SDK in this process.
func mcpGoOverHTTP(s *server.MCPServer, options ...server.StreamableHTTPOption) func(*testing.T) *interop.Server {
	return func(t *testing.T) *interop.Server {
		t.Helper()
		return interop.OverHTTP(t, server.NewStreamableHTTPServer(s, options...))
	}
}

func serveMCPGo() error { return server.ServeStdio(mcpGo()) }
