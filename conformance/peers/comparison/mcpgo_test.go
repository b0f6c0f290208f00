package comparison_test

import (
	"context"
	"errors"
	"os/exec"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

type mcpGo struct {
	*client.Client
	progress bool
}

func dialMCPGo(ctx context.Context, s server) (session, error) {
	t, err := s.mcpGo()
	if err != nil {
		return nil, err
	}
	return connectMCPGo(ctx, s, t)
}

func dialMCPGoShared(ctx context.Context, url string) (session, error) {
	t, err := transport.NewSSE(url)
	if err != nil {
		return nil, err
	}
	return connectMCPGo(ctx, server{}, t)
}

func connectMCPGo(ctx context.Context, s server, t transport.Interface) (session, error) {
	var opts []client.ClientOption
	if s.elicit != nil {
		opts = append(opts, client.WithElicitationHandler(mcpGoElicitor(s.elicit)))
	}
	c := client.NewClient(t, opts...)
	if s.progress != nil {
		c.OnNotification(func(n mcp.JSONRPCNotification) {
			if n.Method == "notifications/progress" {
				s.progress()
			}
		})
	}
	// The context of Start is that of the whole connection.
	if err := c.Start(context.WithoutCancel(ctx)); err != nil {
		return nil, err
	}
	var opening mcp.InitializeRequest
	opening.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	opening.Params.ClientInfo = mcp.Implementation{Name: "comparison", Version: "1"}
	if _, err := c.Initialize(ctx, opening); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return mcpGo{c, s.progress != nil}, nil
}

func (s server) mcpGo() (transport.Interface, error) {
	if s.command != nil {
		run := func(context.Context, string, []string, []string) (*exec.Cmd, error) { return s.command, nil }
		return transport.NewStdioWithOptions(s.command.Path, nil, s.command.Args[1:], transport.WithCommandFunc(run)), nil
	}
	if s.token != "" {
		return transport.NewStreamableHTTP(s.url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + s.token}))
	}
	return transport.NewStreamableHTTP(s.url)
}

type mcpGoElicitor func(string)

func (e mcpGoElicitor) Elicit(_ context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	e(req.Params.Message)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}}, nil
}

func (m mcpGo) list(ctx context.Context) error {
	_, err := m.ListTools(ctx, mcp.ListToolsRequest{})
	return err
}

func (m mcpGo) call(ctx context.Context, tool string, args map[string]any) (answer, error) {
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	if m.progress {
		req.Params.Meta = &mcp.Meta{ProgressToken: "token"}
	}
	r, err := m.CallTool(ctx, req)
	if err != nil {
		return answer{}, err
	}
	a := answer{structured: string(r.RawStructuredContent)}
	for _, block := range r.Content {
		if text, ok := block.(mcp.TextContent); ok {
			a.text += text.Text
		}
	}
	return a, nil
}

func (m mcpGo) close() error { return m.Close() }
