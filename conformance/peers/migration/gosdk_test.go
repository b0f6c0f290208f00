package migration_test

//lint:file-ignore SA1019 a program that moves may use what its SDK deprecates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"
)

// withGoSDK connects for code that has a connection already.
func withGoSDK(use func(context.Context, *mcp.ClientSession) (string, error)) visit {
	return func(ctx context.Context, url string) (string, error) {
		c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0"}, nil)
		session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
		if err != nil {
			return "", err
		}
		defer session.Close()
		return use(ctx, session)
	}
}

// withToken adds a header to every request.
type withToken struct{ base http.RoundTripper }

func (t withToken) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+token)
	return t.base.RoundTrip(req)
}

func goSDKConnect(ctx context.Context, url string) (string, error) {
	httpClient := &http.Client{Transport: withToken{&http.Transport{DisableKeepAlives: true}}}
	c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0"}, nil)
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: httpClient}, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	return goSDKText(ctx, session, "whoami")
}

func goSDKCommand(ctx context.Context, program string, args ...string) (string, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1.0"}, nil)
	session, err := c.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(program, args...)}, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	return goSDKText(ctx, session, "environment")
}

func goSDKTools(ctx context.Context, session *mcp.ClientSession) (string, error) {
	var names []string
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return "", err
		}
		names = append(names, tool.Name)
	}
	return strings.Join(names, " "), nil
}

func goSDKPage(ctx context.Context, session *mcp.ClientSession) (string, error) {
	page, err := session.ListTools(ctx, nil)
	if err != nil {
		return "", err
	}
	if page.NextCursor != "" {
		page, err = session.ListTools(ctx, &mcp.ListToolsParams{Cursor: page.NextCursor})
	}
	if err != nil {
		return "", err
	}
	return page.Tools[0].Name, nil
}

func goSDKText(ctx context.Context, session *mcp.ClientSession, tool string) (string, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"message": "hi"}})
	if err != nil {
		return "", err // the call failed
	}
	var text string
	for _, block := range result.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	if result.IsError {
		return "the tool failed: " + text, nil
	}
	return text, nil
}

func goSDKTyped(ctx context.Context, session *mcp.ClientSession) (string, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "add_numbers", Arguments: terms{A: 2, B: 3}})
	if err != nil {
		return "", err
	}
	if result.IsError {
		return "", errors.New("the tool failed")
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return "", err
	}
	var got sum
	if err := json.Unmarshal(data, &got); err != nil {
		return "", err
	}
	return fmt.Sprint(got.Sum), nil
}

func goSDKResources(ctx context.Context, session *mcp.ClientSession) (string, error) {
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://static-text"})
	if err != nil {
		return "", err
	}
	text := read.Contents[0].Text
	for template, err := range session.ResourceTemplates(ctx, nil) {
		if err != nil {
			return "", err
		}
		t, err := uritemplate.New(template.URITemplate)
		if err != nil {
			return "", err
		}
		uri, err := t.Expand(uritemplate.Values{"id": uritemplate.String("7")})
		if err != nil {
			return "", err
		}
		text += " " + uri
	}
	return text, nil
}

func goSDKPrompts(ctx context.Context, session *mcp.ClientSession) (string, error) {
	const prompt = "test_prompt_with_arguments"
	fits, err := session.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: prompt},
		Argument: mcp.CompleteParamsArgument{Name: "arg1", Value: "par"},
	})
	if err != nil {
		return "", err
	}
	got, err := session.GetPrompt(ctx, &mcp.GetPromptParams{
		Name:      prompt,
		Arguments: map[string]string{"arg1": fits.Completion.Values[0], "arg2": "b"},
	})
	if err != nil {
		return "", err
	}
	return got.Messages[0].Content.(*mcp.TextContent).Text, nil
}

func goSDKMissing(ctx context.Context, session *mcp.ClientSession) (string, error) {
	_, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://nowhere"})
	var failed *jsonrpc.Error // -32602 in the modern era, -32002 in the legacy one
	if !errors.As(err, &failed) || failed.Code != jsonrpc.CodeInvalidParams && failed.Code != -32002 {
		return "", fmt.Errorf("another error: %w", err)
	}
	return "no such resource", nil
}

func goSDKTimeout(ctx context.Context, session *mcp.ClientSession) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "silent"})
	if errors.Is(err, context.DeadlineExceeded) {
		return "too late", nil
	}
	return "", err
}
