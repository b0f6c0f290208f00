package migration_test

//lint:file-ignore SA1019 a program that moves may use what its SDK deprecates

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func goSDKProgress(ctx context.Context, url string) (string, error) {
	told := make(chan string, 100)
	c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0"}, &mcp.ClientOptions{
		// One handler for all calls: req.Params.ProgressToken tells them apart.
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			told <- fmt.Sprint(req.Params.Progress)
		},
	})
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	params := &mcp.CallToolParams{Name: "test_tool_with_progress", Meta: mcp.Meta{}}
	params.SetProgressToken("job-1")
	result, err := session.CallTool(ctx, params)
	if err != nil {
		return "", err
	}
	all := <-told + " " + <-told + " " + <-told // some may come after the result
	return all + " " + result.Content[0].(*mcp.TextContent).Text, nil
}

func goSDKLogs(ctx context.Context, url string) (string, error) {
	lines := make(chan string, 100)
	c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0"}, &mcp.ClientOptions{
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) { lines <- string(req.Params.Level) },
	})
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	params := &mcp.CallToolParams{Name: "test_tool_with_logging"}
	if session.InitializeResult().ProtocolVersion >= "2026-07-28" {
		params.Meta = mcp.Meta{mcp.MetaKeyLogLevel: "info"}
	} else if err := session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
		return "", err
	}
	if _, err := session.CallTool(ctx, params); err != nil {
		return "", err
	}
	return <-lines + " " + <-lines + " " + <-lines, nil
}

func goSDKHandlers(ctx context.Context, url string) (string, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0"}, &mcp.ClientOptions{
		CreateMessageHandler: func(_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			answer := "You said: " + req.Params.Messages[0].Content.(*mcp.TextContent).Text
			return &mcp.CreateMessageResult{Role: "assistant", Model: "example", Content: &mcp.TextContent{Text: answer}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"username": "ada", "email": "ada@example.com"}}, nil
		},
	})
	c.AddRoots(&mcp.Root{URI: "file:///home/ada/project"})
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	return asked(func(tool string, args map[string]any) (string, error) {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			return "", err
		}
		return result.Content[0].(*mcp.TextContent).Text, nil
	})
}

func goSDKChanges(ctx context.Context, url string) (string, error) {
	tools, resources := make(chan bool, 100), make(chan string, 100)
	c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { offer(tools, true) },
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			offer(resources, req.Params.URI)
		},
	})
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: watched}); err != nil {
		return "", err
	}
	return hear(ctx, tools, resources)
}
