package migration_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// What goes into a tool and comes out of it, in the types of a program.
type (
	terms struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	sum struct {
		Sum float64 `json:"sum"`
	}
)

// withOurs connects for code that has a connection already.
func withOurs(use func(context.Context, *client.Client) (string, error)) visit {
	return func(ctx context.Context, url string) (string, error) {
		c, err := mcpera.Dial(ctx, url)
		if err != nil {
			return "", err
		}
		defer c.Close()
		return use(ctx, c)
	}
}

func oursConnect(ctx context.Context, url string) (string, error) {
	httpClient := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	t, err := mcphttp.New(url,
		mcphttp.WithHeader("Authorization", "Bearer "+token),
		mcphttp.WithClient(httpClient))
	if err != nil {
		return "", err
	}
	c, err := client.Connect(ctx, t, client.WithClientInfo(protocol.Implementation{Name: "agent", Version: "1.0"}))
	if err != nil {
		return "", err
	}
	defer c.Close()
	return oursText(ctx, c, "whoami")
}

func oursCommand(ctx context.Context, program string, args ...string) (string, error) {
	c, err := mcpera.Command(ctx, exec.Command(program, args...))
	if err != nil {
		return "", err
	}
	defer c.Close()
	return oursText(ctx, c, "environment")
}

func oursTools(ctx context.Context, c *client.Client) (string, error) {
	var names []string
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			return "", err
		}
		names = append(names, tool.Name)
	}
	return strings.Join(names, " "), nil
}

func oursPage(ctx context.Context, c *client.Client) (string, error) {
	page, err := c.ListTools(ctx)
	if err != nil {
		return "", err
	}
	if page.NextCursor != nil {
		page, err = c.ListTools(ctx, client.Cursor(*page.NextCursor))
	}
	if err != nil {
		return "", err
	}
	return page.Tools.Items[0].Name, nil
}

func oursText(ctx context.Context, c *client.Client, tool string) (string, error) {
	result, err := c.CallTool(ctx, tool, map[string]any{"message": "hi"})
	if err != nil {
		return "", err // the call failed
	}
	if result.IsError {
		return "the tool failed: " + result.Text(), nil
	}
	return result.Text(), nil
}

func oursTyped(ctx context.Context, c *client.Client) (string, error) {
	got, err := client.CallToolAs[sum](ctx, c, "add_numbers", terms{A: 2, B: 3})
	if err != nil {
		return "", err
	}
	return fmt.Sprint(got.Sum), nil
}

func oursResources(ctx context.Context, c *client.Client) (string, error) {
	read, err := c.ReadResource(ctx, "test://static-text")
	if err != nil {
		return "", err
	}
	text := read.Contents.Items[0].Text
	for template, err := range c.ResourceTemplates(ctx) {
		if err != nil {
			return "", err
		}
		uri, err := client.ExpandTemplate(template, map[string]any{"id": "7"})
		if err != nil {
			return "", err
		}
		text += " " + uri
	}
	return text, nil
}

func oursPrompts(ctx context.Context, c *client.Client) (string, error) {
	const prompt = "test_prompt_with_arguments"
	fits, err := c.Complete(ctx, protocol.PromptRef(prompt), "arg1", "par", nil)
	if err != nil {
		return "", err
	}
	got, err := c.GetPrompt(ctx, prompt, map[string]string{"arg1": fits.Values[0], "arg2": "b"})
	if err != nil {
		return "", err
	}
	return got.Messages.Items[0].Content.Text(), nil
}

func oursMissing(ctx context.Context, c *client.Client) (string, error) {
	_, err := c.ReadResource(ctx, "test://nowhere")
	if !errors.Is(err, client.ErrResourceNotFound) {
		return "", fmt.Errorf("another error: %w", err)
	}
	return "no such resource", nil
}

func oursTimeout(ctx context.Context, c *client.Client) (string, error) {
	_, err := c.CallTool(ctx, "silent", nil, client.Timeout(50*time.Millisecond))
	if errors.Is(err, context.DeadlineExceeded) {
		return "too late", nil
	}
	return "", err
}
