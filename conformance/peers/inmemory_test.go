package peers_test

import (
	"context"
	"io"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/transport/inmemory"
)

// Servers of other SDKs can be embedded, in the era that they speak.
func TestServersInTheSameProcess(t *testing.T) {
	for name, serve := range map[string]inmemory.Serve{
		"go-sdk": func(ctx context.Context, in io.Reader, out io.Writer) error {
			return goSDK(nil).Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}})
		},
		"mcp-go": server.NewStdioServer(mcpGo()).Listen,
	} {
		t.Run(name, func(t *testing.T) {
			tr, err := inmemory.New(serve)
			if err != nil {
				t.Fatal(err)
			}
			c, err := client.Connect(t.Context(), tr)
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.CallTool(t.Context(), "greet", map[string]any{"name": "Ada"})
			if err != nil || r.Text() != "Hello, Ada" {
				t.Errorf("%v: %v, %v", c.Era(), r, err)
			}
			if v := c.ProtocolVersion(); v != "2026-07-28" {
				t.Errorf("version %s", v)
			}
			if err := c.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
