package migration_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/yosida95/uritemplate/v3"
)

// withMCPGo connects for code that has a connection already.
func withMCPGo(use func(context.Context, *client.Client) (string, error)) visit {
	return func(ctx context.Context, url string) (string, error) {
		c, err := client.NewStreamableHttpClient(url)
		if err != nil {
			return "", err
		}
		defer c.Close()
		if err := c.Start(ctx); err != nil {
			return "", err
		}
		if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
			return "", err
		}
		return use(ctx, c)
	}
}

func mcpGoConnect(ctx context.Context, url string) (string, error) {
	httpClient := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	c, err := client.NewStreamableHttpClient(url,
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}),
		transport.WithHTTPBasicClient(httpClient))
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	_, err = c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ClientInfo: mcp.Implementation{Name: "agent", Version: "1.0"},
	}})
	if err != nil {
		return "", err
	}
	return mcpGoText(ctx, c, "whoami")
}

func mcpGoCommand(ctx context.Context, program string, args ...string) (string, error) {
	c, err := client.NewStdioMCPClient(program, nil, args...) // starts it
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		return "", err
	}
	return mcpGoText(ctx, c, "environment")
}

func mcpGoTools(ctx context.Context, c *client.Client) (string, error) {
	var names []string
	for tool, err := range c.IterTools(ctx, mcp.ListToolsRequest{}) {
		if err != nil {
			return "", err
		}
		names = append(names, tool.Name)
	}
	return strings.Join(names, " "), nil
}

func mcpGoPage(ctx context.Context, c *client.Client) (string, error) {
	var req mcp.ListToolsRequest
	page, err := c.ListToolsByPage(ctx, req)
	if err != nil {
		return "", err
	}
	if page.NextCursor != "" {
		req.Params.Cursor = page.NextCursor
		page, err = c.ListToolsByPage(ctx, req)
	}
	if err != nil {
		return "", err
	}
	return page.Tools[0].Name, nil
}

func mcpGoText(ctx context.Context, c *client.Client, tool string) (string, error) {
	var req mcp.CallToolRequest
	req.Params.Name = tool
	req.Params.Arguments = map[string]any{"message": "hi"}
	result, err := c.CallTool(ctx, req)
	if err != nil {
		return "", err // the call failed
	}
	var text string
	for _, block := range result.Content {
		if t, ok := mcp.AsTextContent(block); ok {
			text += t.Text
		}
	}
	if result.IsError {
		return "the tool failed: " + text, nil
	}
	return text, nil
}

func mcpGoTyped(ctx context.Context, c *client.Client) (string, error) {
	var req mcp.CallToolRequest
	req.Params.Name = "add_numbers"
	req.Params.Arguments = terms{A: 2, B: 3}
	result, err := c.CallTool(ctx, req)
	if err != nil {
		return "", err
	}
	if result.IsError {
		return "", errors.New("the tool failed")
	}
	var got sum
	if err := json.Unmarshal(result.RawStructuredContent, &got); err != nil {
		return "", err
	}
	return fmt.Sprint(got.Sum), nil
}

func mcpGoResources(ctx context.Context, c *client.Client) (string, error) {
	var req mcp.ReadResourceRequest
	req.Params.URI = "test://static-text"
	read, err := c.ReadResource(ctx, req)
	if err != nil {
		return "", err
	}
	contents, ok := mcp.AsTextResourceContents(read.Contents[0])
	if !ok {
		return "", errors.New("no text")
	}
	text := contents.Text
	for template, err := range c.IterResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{}) {
		if err != nil {
			return "", err
		}
		uri, err := template.URITemplate.Expand(uritemplate.Values{"id": uritemplate.String("7")})
		if err != nil {
			return "", err
		}
		text += " " + uri
	}
	return text, nil
}

func mcpGoPrompts(ctx context.Context, c *client.Client) (string, error) {
	const prompt = "test_prompt_with_arguments"
	var completing mcp.CompleteRequest
	completing.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: prompt}
	completing.Params.Argument = mcp.CompleteArgument{Name: "arg1", Value: "par"}
	fits, err := c.Complete(ctx, completing)
	if err != nil {
		return "", err
	}
	var getting mcp.GetPromptRequest
	getting.Params.Name = prompt
	getting.Params.Arguments = map[string]string{"arg1": fits.Completion.Values[0], "arg2": "b"}
	got, err := c.GetPrompt(ctx, getting)
	if err != nil {
		return "", err
	}
	return got.Messages[0].Content.(mcp.TextContent).Text, nil
}

func mcpGoMissing(ctx context.Context, c *client.Client) (string, error) {
	var req mcp.ReadResourceRequest
	req.Params.URI = "test://nowhere"
	_, err := c.ReadResource(ctx, req)
	if !errors.Is(err, mcp.ErrInvalidParams) && !errors.Is(err, mcp.ErrResourceNotFound) { // modern, legacy
		return "", fmt.Errorf("another error: %w", err)
	}
	return "no such resource", nil
}

func mcpGoTimeout(ctx context.Context, c *client.Client) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	var req mcp.CallToolRequest
	req.Params.Name = "silent"
	_, err := c.CallTool(ctx, req)
	if errors.Is(err, context.DeadlineExceeded) {
		return "too late", nil
	}
	return "", err
}
