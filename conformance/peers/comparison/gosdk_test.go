package comparison_test

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type goSDK struct {
	*mcp.ClientSession
	client   *mcp.Client
	progress bool
}

func dialGoSDK(ctx context.Context, s server) (session, error) {
	return connectGoSDK(ctx, s, s.goSDK())
}

func dialGoSDKShared(ctx context.Context, url string) (session, error) {
	return connectGoSDK(ctx, server{}, &mcp.SSEClientTransport{Endpoint: url})
}

func connectGoSDK(ctx context.Context, s server, t mcp.Transport) (session, error) {
	opts := &mcp.ClientOptions{}
	if s.progress != nil {
		opts.ProgressNotificationHandler = func(context.Context, *mcp.ProgressNotificationClientRequest) { s.progress() }
	}
	if s.elicit != nil {
		opts.ElicitationHandler = func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			s.elicit(req.Params.Message)
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "comparison", Version: "1"}, opts)
	cs, err := c.Connect(ctx, t, nil)
	if err != nil {
		return nil, err
	}
	return goSDK{cs, c, s.progress != nil}, nil
}

func (s server) goSDK() mcp.Transport {
	if s.command != nil {
		return &mcp.CommandTransport{Command: s.command}
	}
	t := &mcp.StreamableClientTransport{Endpoint: s.url}
	if s.token != "" {
		t.HTTPClient = &http.Client{Transport: bearer{s.token}}
	}
	return t
}

func (g goSDK) list(ctx context.Context) error {
	for _, err := range g.Tools(ctx, nil) {
		if err != nil {
			return err
		}
	}
	return nil
}

func (g goSDK) call(ctx context.Context, tool string, args map[string]any) (answer, error) {
	params := &mcp.CallToolParams{Name: tool, Arguments: args, Meta: mcp.Meta{}}
	if g.progress {
		params.SetProgressToken("token")
	}
	r, err := g.CallTool(ctx, params)
	if err != nil {
		return answer{}, err
	}
	var a answer
	for _, block := range r.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			a.text += text.Text
		}
	}
	structured, err := json.Marshal(r.StructuredContent)
	a.structured = string(structured)
	return a, err
}

func (g goSDK) close() error { return g.Close() }
