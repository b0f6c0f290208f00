package sdk

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// mcpGo is the client of github.com/mark3labs/mcp-go.
type mcpGo struct {
	*client.Client
	progress chan struct{}
}

func openMCPGo(ctx context.Context, s Server) (Session, error) {
	c, err := dialMCPGo(ctx, s)
	if err != nil {
		return nil, err
	}
	m := mcpGo{c, make(chan struct{}, 1<<16)}
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/progress" {
			m.progress <- struct{}{}
		}
	})
	var opening mcp.InitializeRequest
	opening.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	opening.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1"}
	if _, err := c.Initialize(ctx, opening); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return m, nil
}

func dialMCPGo(ctx context.Context, s Server) (*client.Client, error) {
	if s.URL == "" {
		return client.NewStdioMCPClient(s.Command[0], nil, s.Command[1:]...)
	}
	c, err := client.NewStreamableHttpClient(s.URL)
	if err != nil {
		return nil, err
	}
	return c, c.Start(ctx)
}

func (m mcpGo) Call(ctx context.Context, tool string) (string, error) {
	r, err := m.CallTool(ctx, callRequest(tool))
	if err != nil {
		return "", err
	}
	for _, block := range r.Content {
		if text, ok := block.(mcp.TextContent); ok {
			return text.Text, nil
		}
	}
	return "", errors.New("no text")
}

func callRequest(tool string) mcp.CallToolRequest {
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = tool, arguments
	return r
}

func (m mcpGo) CallWithProgress(ctx context.Context, tool string, want int) (int, error) {
	r := callRequest(tool)
	r.Params.Meta = &mcp.Meta{ProgressToken: "token"}
	if _, err := m.CallTool(ctx, r); err != nil {
		return 0, err
	}
	return drain(m.progress, want), nil
}

func (m mcpGo) List(ctx context.Context) (int, error) {
	r, err := m.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return 0, err
	}
	return len(r.Tools), nil
}
