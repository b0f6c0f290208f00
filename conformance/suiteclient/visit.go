package main

import (
	"context"
	"fmt"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

// useEverything calls all tools, reads all resources and gets all prompts.
func useEverything(ctx context.Context, c *client.Client, _ data) error {
	tools, err := toolsOf(ctx, c)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		args := arguments[tool.Name]
		if args == nil {
			args = map[string]any{}
		}
		if err := call(ctx, c, tool.Name, args); err != nil {
			return err
		}
	}
	if err := readResources(ctx, c); err != nil {
		return err
	}
	return getPrompts(ctx, c)
}

// listTools lists the tools and calls none.
func listTools(ctx context.Context, c *client.Client, _ data) error {
	_, err := toolsOf(ctx, c)
	return err
}

// callAsTold makes the calls that the scenario handed over. The tools are
// listed first: their schemas tell which arguments become headers.
func callAsTold(ctx context.Context, c *client.Client, given data) error {
	if _, err := toolsOf(ctx, c); err != nil {
		return err
	}
	for _, told := range given.ToolCalls {
		if err := call(ctx, c, told.Name, told.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// echoSchema gives the schema of one tool to another, as it came.
func echoSchema(ctx context.Context, c *client.Client, _ data) error {
	tools, err := toolsOf(ctx, c)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		if tool.Name == "json_schema_2020_12_tool" {
			return call(ctx, c, "json_schema_echo", map[string]any{"schema": tool.InputSchema})
		}
	}
	return fmt.Errorf("the tool with the schema is not among the %d listed", len(tools))
}

// toolsOf returns the tools of all pages.
func toolsOf(ctx context.Context, c *client.Client) ([]*protocol.Tool, error) {
	var tools []*protocol.Tool
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

// call calls a tool, and takes a failure that it reports for an error.
func call(ctx context.Context, c *client.Client, name string, args any) error {
	res, err := c.CallTool(ctx, name, args)
	if err != nil {
		return err
	}
	if res.IsError {
		return &client.ToolError{Tool: name, Result: res}
	}
	return nil
}

func readResources(ctx context.Context, c *client.Client) error {
	if c.Capabilities().Resources == nil {
		return nil
	}
	for resource, err := range c.Resources(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.ReadResource(ctx, resource.URI); err != nil {
			return err
		}
	}
	return nil
}

func getPrompts(ctx context.Context, c *client.Client) error {
	if c.Capabilities().Prompts == nil {
		return nil
	}
	for prompt, err := range c.Prompts(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.GetPrompt(ctx, prompt.Name, nil); err != nil {
			return err
		}
	}
	return nil
}
