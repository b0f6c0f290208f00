package migration_test

//lint:file-ignore SA1019 a program that moves may use what its SDK deprecates

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

func mcpGoProgress(ctx context.Context, c *client.Client) (string, error) {
	var told []string
	c.OnNotification(func(n mcp.JSONRPCNotification) { // for all calls, and for good
		if n.Method == "notifications/progress" && n.Params.AdditionalFields["progressToken"] == "job-1" {
			told = append(told, fmt.Sprint(n.Params.AdditionalFields["progress"]))
		}
	})
	var req mcp.CallToolRequest
	req.Params.Name = "test_tool_with_progress"
	req.Params.Meta = &mcp.Meta{ProgressToken: "job-1"}
	result, err := c.CallTool(ctx, req)
	if err != nil {
		return "", err
	}
	return strings.Join(told, " ") + " " + result.Content[0].(mcp.TextContent).Text, nil
}

func mcpGoLogs(ctx context.Context, c *client.Client) (string, error) {
	var lines []string
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/message" {
			lines = append(lines, fmt.Sprint(n.Params.AdditionalFields["level"]))
		}
	})
	var level mcp.SetLevelRequest
	level.Params.Level = mcp.LoggingLevelInfo
	if err := c.SetLevel(ctx, level); err != nil {
		return "", err
	}
	var req mcp.CallToolRequest
	req.Params.Name = "test_tool_with_logging"
	_, err := c.CallTool(ctx, req)
	return strings.Join(lines, " "), err
}

// A helper serves what servers ask for.
type helper struct{}

func (helper) CreateMessage(_ context.Context, req mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	answer := "You said: " + mcp.GetTextFromContent(req.Messages[0].Content) // a TextContent, or a map in the modern era
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(answer)},
		Model:           "example",
	}, nil
}

func (helper) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"username": "ada", "email": "ada@example.com"},
	}}, nil
}

func (helper) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///home/ada/project"}}}, nil
}

func mcpGoHandlers(ctx context.Context, url string) (string, error) {
	t, err := transport.NewStreamableHTTP(url)
	if err != nil {
		return "", err
	}
	c := client.NewClient(t,
		client.WithSamplingHandler(helper{}),
		client.WithElicitationHandler(helper{}),
		client.WithRootsHandler(helper{}))
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		return "", err
	}
	return asked(func(tool string, args map[string]any) (string, error) {
		var req mcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = tool, args
		result, err := c.CallTool(ctx, req)
		if err != nil {
			return "", err
		}
		return result.Content[0].(mcp.TextContent).Text, nil
	})
}

// mcpGoChanges is for the modern era: Listen does not exist in the other.
func mcpGoChanges(ctx context.Context, c *client.Client) (string, error) {
	tools, resources := make(chan bool, 100), make(chan string, 100)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case mcp.MethodNotificationToolsListChanged:
			offer(tools, true)
		case mcp.MethodNotificationResourceUpdated:
			offer(resources, fmt.Sprint(n.Params.AdditionalFields["uri"]))
		}
	})
	stop, err := c.ListenAsync(ctx, mcp.SubscriptionFilter{
		ToolsListChanged:      true,
		ResourceSubscriptions: []string{watched},
	}, nil)
	if err != nil {
		return "", err
	}
	defer stop()
	return hear(ctx, tools, resources)
}

// mcpGoLegacyChanges is for the legacy era: with continuous listening, the
// modern one is not tried.
func mcpGoLegacyChanges(ctx context.Context, url string) (string, error) {
	c, err := client.NewStreamableHttpClient(url, transport.WithContinuousListening())
	if err != nil {
		return "", err
	}
	defer c.Close()
	tools, resources := make(chan bool, 100), make(chan string, 100)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case mcp.MethodNotificationToolsListChanged:
			offer(tools, true)
		case mcp.MethodNotificationResourceUpdated:
			offer(resources, fmt.Sprint(n.Params.AdditionalFields["uri"]))
		}
	})
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		return "", err
	}
	var req mcp.SubscribeRequest
	req.Params.URI = watched
	if err := c.Subscribe(ctx, req); err != nil {
		return "", err
	}
	return hear(ctx, tools, resources)
}
