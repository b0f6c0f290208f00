package sdk

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// goSDK is the client of github.com/modelcontextprotocol/go-sdk.
type goSDK struct {
	*mcp.ClientSession
	progress chan struct{}
}

func openGoSDK(ctx context.Context, s Server) (Session, error) {
	g := goSDK{progress: make(chan struct{}, 1<<16)}
	c := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { g.progress <- struct{}{} },
	})
	var t mcp.Transport = &mcp.StreamableClientTransport{Endpoint: s.URL}
	if s.URL == "" {
		t = &mcp.CommandTransport{Command: command(s.Command)}
	}
	var err error
	g.ClientSession, err = c.Connect(ctx, t, nil)
	return g, err
}

func (g goSDK) Call(ctx context.Context, tool string) (string, error) {
	r, err := g.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	for _, block := range r.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			return text.Text, nil
		}
	}
	return "", errors.New("no text")
}

func (g goSDK) CallWithProgress(ctx context.Context, tool string, want int) (int, error) {
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments, Meta: mcp.Meta{}}
	params.SetProgressToken("token")
	if _, err := g.CallTool(ctx, params); err != nil {
		return 0, err
	}
	return drain(g.progress, want), nil
}

// drain counts what comes up to want, for a short while: some of it comes after
// the call has returned.
func drain(progress <-chan struct{}, want int) int {
	late := time.After(time.Second)
	for n := range want {
		select {
		case <-progress:
		case <-late:
			return n
		}
	}
	return want
}

func (g goSDK) List(ctx context.Context) (int, error) {
	r, err := g.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(r.Tools), nil
}
