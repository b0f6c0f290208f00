package migration_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

func oursProgress(ctx context.Context, c *client.Client) (string, error) {
	var told []string
	result, err := c.CallTool(ctx, "test_tool_with_progress", nil,
		client.OnProgress(func(p protocol.Progress) { told = append(told, fmt.Sprint(p.Progress)) }))
	if err != nil {
		return "", err
	}
	return strings.Join(told, " ") + " " + result.Text(), nil
}

func oursLogs(ctx context.Context, c *client.Client) (string, error) {
	var lines []string
	_, err := c.CallTool(ctx, "test_tool_with_logging", nil,
		client.Logs("info", func(m protocol.LogMessage) { lines = append(lines, fmt.Sprint(m.Level)) }))
	return strings.Join(lines, " "), err
}

// An assistant serves what servers ask for.
type assistant struct{}

func (assistant) CreateMessage(_ context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
	answer := "You said: " + req.Messages[0].Content.Text()
	return &protocol.CreateMessageResult{
		Role: "assistant", Model: "example", Content: protocol.Contents{&protocol.TextContent{Text: answer}},
	}, nil
}

func (assistant) Elicit(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	return &protocol.ElicitResult{
		Action: protocol.ElicitAccept, Content: map[string]any{"username": "ada", "email": "ada@example.com"},
	}, nil
}

func (assistant) ListRoots(context.Context) ([]protocol.Root, error) {
	return []protocol.Root{{URI: "file:///home/ada/project"}}, nil
}

func oursHandlers(ctx context.Context, url string) (string, error) {
	c, err := mcpera.Dial(ctx, url, client.WithHandler(assistant{}))
	if err != nil {
		return "", err
	}
	defer c.Close()
	return asked(func(tool string, args map[string]any) (string, error) {
		result, err := c.CallTool(ctx, tool, args)
		if err != nil {
			return "", err
		}
		return result.Text(), nil
	})
}

func oursChanges(ctx context.Context, url string) (string, error) {
	c, err := mcpera.Dial(ctx, url)
	if err != nil {
		return "", err
	}
	defer c.Close()
	heard := make(heard)
	for change, err := range c.Subscribe(ctx, protocol.SubscriptionFilter{
		ToolsListChanged:      true,
		ResourceSubscriptions: []string{watched},
	}) {
		if err != nil {
			return "", err
		}
		switch change.Kind {
		case client.ToolsChanged:
			heard.tools()
		case client.ResourceUpdated:
			heard.resource(change.URI)
		case client.Gap: // the connection was lost for a while: look again
		}
		if heard.all() {
			break // ends the subscription
		}
	}
	return heard.String(), nil
}
