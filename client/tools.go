package client

import (
	"context"
	"fmt"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// ListTools returns one page of the server's tools: the first, or the one that
// Cursor names. A tool that can't be read is left out, noted in the log and in
// the result's Tools.Dropped.
//
// Source: MCP 2026-07-28, server/tools, "Listing Tools".
func (c *Client) ListTools(ctx context.Context, opts ...CallOption) (*protocol.ListToolsResult, error) {
	var r protocol.ListToolsResult
	if err := c.do(ctx, &call{method: protocol.MethodListTools, idempotent: true}, &r, opts); err != nil {
		return nil, err
	}
	for _, reason := range r.Tools.Dropped {
		c.config.log.Warn("left out a tool", "server", c.link.target.String(), "reason", reason)
	}
	return &r, nil
}

// Tools returns all of the server's tools, page by page as they are asked for.
// An error ends it, after what was read before: see PageError.
func (c *Client) Tools(ctx context.Context, opts ...CallOption) iter.Seq2[*protocol.Tool, error] {
	return pages(ctx, protocol.MethodListTools, opts,
		func(ctx context.Context, opts []CallOption) (page[protocol.Tool], error) {
			r, err := c.ListTools(ctx, opts...)
			if err != nil {
				return page[protocol.Tool]{}, err
			}
			return page[protocol.Tool]{r.Tools.Items, r.NextCursor}, nil
		})
}

// CallTool calls a tool. args is what encodes as a JSON object: a map, a
// struct, or JSON text as jsontext.Value, json.RawMessage or []byte, whose
// numbers and member order are kept; nil stands for no arguments.
//
// A tool that fails says so in the result's IsError, for the model to read; an
// error of CallTool means that the call itself failed. A call is sent once,
// unless it certainly never reached the server. After a timeout or a lost
// connection the tool may have run.
//
// Source: MCP 2026-07-28, server/tools, "Calling Tools".
func (c *Client) CallTool(ctx context.Context, name string, args any, opts ...CallOption) (*protocol.CallToolResult, error) {
	arguments, err := encodeArguments(args)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", protocol.Quote(name), err)
	}
	var r protocol.CallToolResult
	err = c.do(ctx, &call{
		method: protocol.MethodCallTool, name: name,
		params: protocol.CallToolParams{Name: name, Arguments: arguments},
	}, &r, opts)
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// encodeArguments returns args as a JSON object.
func encodeArguments(args any) (jsontext.Value, error) {
	switch text := args.(type) {
	case nil:
		return jsontext.Value(`{}`), nil
	case []byte:
		args = jsontext.Value(text)
	}
	arguments, err := json.Marshal(args, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode the arguments: %w", err)
	}
	if kind := jsontext.Value(arguments).Kind(); kind != '{' {
		return nil, fmt.Errorf("the arguments encode as a JSON %s, not as an object", kind)
	}
	return arguments, nil
}
