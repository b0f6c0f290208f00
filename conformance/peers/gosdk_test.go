package peers_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpera/mcpera/conformance/interop"
)

// legacyOnly are versions as an operator narrows a server to them.
var legacyOnly = []string{"2025-11-25", "2025-06-18"}

// goSDK returns a server with one tool.
func goSDK(options *mcp.ServerOptions) *mcp.Server {
	type args struct {
		Name string `json:"name"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "go-sdk", Version: "1.8.0"}, options)
	mcp.AddTool(s, &mcp.Tool{Name: "greet", Description: "Greets somebody."},
		func(_ context.Context, _ *mcp.CallToolRequest, in args) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hello, " + in.Name}}}, nil, nil
		})
	return s
}

// discoverKept lets a client keep the DiscoverResult for an hour, and nothing
// else.
func discoverKept(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	if _, ok := req.(*mcp.ServerRequest[*mcp.DiscoverParams]); ok {
		c.TTLMs = 3_600_000
	}
}

// goSDKOverHTTP serves a server of the SDK in this process.
func goSDKOverHTTP(serverOptions *mcp.ServerOptions, httpOptions *mcp.StreamableHTTPOptions) func(*testing.T) *interop.Server {
	return func(t *testing.T) *interop.Server {
		t.Helper()
		s := goSDK(serverOptions)
		return interop.OverHTTP(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, httpOptions))
	}
}

func serveGoSDK() error {
	return goSDK(nil).Run(context.Background(), &mcp.StdioTransport{})
}

func serveGoSDKLegacyOnly() error {
	s := goSDK(&mcp.ServerOptions{SupportedProtocolVersions: legacyOnly})
	return s.Run(context.Background(), &mcp.StdioTransport{})
}
