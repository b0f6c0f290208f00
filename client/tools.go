package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// ListTools returns one page of the server's tools: the first, or the one that
// Cursor names. A tool that can't be read or used is left out, noted in the log
// and in the result's Tools.Dropped. A fresh answer comes from the cache; see Cache.
//
// Source: MCP 2026-07-28, server/tools, "Listing Tools".
func (c *Client) ListTools(ctx context.Context, opts ...CallOption) (*protocol.ListToolsResult, error) {
	var r protocol.ListToolsResult
	if err := c.do(ctx, &call{method: protocol.MethodListTools, idempotent: true}, &r, opts); err != nil {
		return nil, err
	}
	c.noteTools(&r.Tools)
	c.noteDropped("tool", r.Tools.Dropped)
	return &r, nil
}

// maxDropNotes is how many elements of one list that were left out are logged.
const maxDropNotes = 100

// noteDropped logs which elements of a list were left out, and why.
func (c *Client) noteDropped(what string, reasons []error) {
	for i, reason := range reasons {
		if i == maxDropNotes {
			c.config.log.Warn("left out more of that", "server", c.link.target.String(), "errors", len(reasons)-i)
			return
		}
		c.config.log.Warn("left out a "+what, "server", c.link.target.String(), "reason", reason)
	}
}

// noteTools keeps what calls need to know of listed tools, and takes out those
// whose header annotations are invalid. Headers exist over modern HTTP only.
func (c *Client) noteTools(tools *protocol.List[protocol.Tool]) {
	mirrors := c.mirrors()
	tools.Items = slices.DeleteFunc(tools.Items, func(tool protocol.Tool) bool {
		var headers []paramHeader
		if mirrors {
			var err error
			if headers, err = paramHeaders(tool.InputSchema); err != nil {
				tools.Dropped = append(tools.Dropped, fmt.Errorf("tool %s: %w", protocol.Quote(tool.Name), err))
				c.tools.drop(tool.Name)
				return true
			}
		}
		c.tools.note(&tool, headers)
		return false
	})
}

// mirrors reports whether arguments are mirrored into headers.
func (c *Client) mirrors() bool {
	return c.Era() == negotiation.EraModern && c.link.Kind() == negotiation.HTTP
}

// Tools returns all of the server's tools, page by page as they are asked for.
// An error ends it, after what was read before: see PageError.
func (c *Client) Tools(ctx context.Context, opts ...CallOption) iter.Seq2[*protocol.Tool, error] {
	return pages(ctx, c, protocol.MethodListTools, opts,
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
// error of CallTool means that the call itself failed. Structured content is
// checked against the output schema that the tool was listed with: on a
// mismatch the result comes with an *OutputError.
//
// With WithTasks a server may make a task of the call. CallTool waits for it,
// for as long as ctx allows, and cancels it when ctx ends.
//
// A call is sent once, unless it certainly never reached the server. After a
// timeout or a lost connection the tool may have run.
//
// Source: MCP 2026-07-28, server/tools, "Calling Tools".
func (c *Client) CallTool(ctx context.Context, name string, args any, opts ...CallOption) (*protocol.CallToolResult, error) {
	arguments, err := encodeObject("arguments", args)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", protocol.Quote(name), err)
	}
	r, task, err := c.callToolOnce(ctx, name, arguments, opts)
	if err != nil {
		return nil, err
	}
	if task == nil {
		return c.checked(name, r)
	}
	r, err = task.Wait(ctx)
	if ctx.Err() != nil {
		c.spawn(func() { _ = task.Cancel(c.life) })
	}
	return r, err
}

// callToolOnce calls a tool, and again when the server misses headers that a
// fresh list tells of. It returns the result or the task that came.
func (c *Client) callToolOnce(ctx context.Context, name string, arguments jsontext.Value, opts []CallOption) (*protocol.CallToolResult, *Task, error) {
	r, task, err := c.callTool(ctx, name, arguments, opts)
	if errors.Is(err, errHeaderMismatch) && c.mirrors() && c.relist(ctx) {
		return c.callTool(ctx, name, arguments, opts)
	}
	return r, task, err
}

func (c *Client) callTool(ctx context.Context, name string, arguments jsontext.Value, opts []CallOption) (*protocol.CallToolResult, *Task, error) {
	params, err := toolParams(name, arguments)
	if err != nil {
		return nil, nil, fmt.Errorf("tool %s: %w", protocol.Quote(name), err)
	}
	call := &call{method: protocol.MethodCallTool, name: name, asks: true, params: params}
	if c.config.speaksTasks() {
		call.task = new(protocol.Task)
	}
	if call.headers, err = c.headersOf(name, arguments); err != nil {
		return nil, nil, fmt.Errorf("tool %s: %w", protocol.Quote(name), err)
	}
	r := new(protocol.CallToolResult)
	if err := c.do(ctx, call, r, opts); err != nil {
		return nil, nil, err
	}
	if call.task != nil && call.task.TaskID != "" {
		return nil, &Task{client: c, id: call.task.TaskID, tool: name, seed: *call.task}, nil
	}
	return r, nil, nil
}

// headersOf returns the headers that mirror a tool's arguments.
func (c *Client) headersOf(name string, arguments jsontext.Value) (map[string]string, error) {
	tool := c.tools.get(name)
	if tool == nil {
		return nil, nil
	}
	return mirror(tool.headers, arguments)
}

// toolParams returns a protocol.CallToolParams, encoded without looking at the
// arguments again, which are an object on one line.
func toolParams(name string, arguments jsontext.Value) (encodedParams, error) {
	params := make([]byte, 0, len(name)+len(arguments)+32)
	params = append(params, `{"name":`...)
	params, err := jsontext.AppendQuote(params, name)
	if err != nil {
		return nil, fmt.Errorf("encode the name: %w", err)
	}
	params = append(params, `,"arguments":`...)
	params = append(params, arguments...)
	return append(params, '}'), nil
}

// checked returns r, with an *OutputError beside it when it does not fit the
// tool's output schema.
func (c *Client) checked(tool string, r *protocol.CallToolResult) (*protocol.CallToolResult, error) {
	if err := c.tools.get(tool).check(r); err != nil {
		return r, &OutputError{Tool: tool, Err: err}
	}
	return r, nil
}

// errHeaderMismatch is matched by the error of a server that misses a header,
// or sees one that disagrees with the body.
var errHeaderMismatch = &protocol.Error{Code: protocol.CodeHeaderMismatch}

// relist reads the tools anew, after a server refused the headers of a call,
// and reports whether it could: the annotations may have changed, or were never
// read.
//
// Source: MCP 2026-07-28, streamable-http, "Client Behavior".
func (c *Client) relist(ctx context.Context) bool {
	for _, err := range c.Tools(ctx, Cache(CacheRefresh)) {
		if err != nil {
			c.config.log.Warn("could not list the tools after a header mismatch",
				"server", c.link.target.String(), "reason", err)
			return false
		}
	}
	return true
}

// CallToolAs calls a tool and decodes its structured content into a T. A tool
// that reports a failure gives a *ToolError; see CallTool for other errors.
func CallToolAs[T any](ctx context.Context, c *Client, name string, args any, opts ...CallOption) (T, error) {
	var out T
	r, err := c.CallTool(ctx, name, args, opts...)
	switch {
	case err != nil:
		return out, err
	case r.IsError:
		return out, &ToolError{Tool: name, Result: r}
	case r.StructuredContent == nil:
		return out, &OutputError{Tool: name, Err: errNoStructured}
	}
	if err := json.Unmarshal(r.StructuredContent, &out); err != nil {
		return out, &OutputError{Tool: name, Err: err}
	}
	return out, nil
}

// A ToolError means that a tool ran and reported a failure. Its text is meant
// for the model.
type ToolError struct {
	Tool   string                   // the tool's name
	Result *protocol.CallToolResult // what it said; never nil
}

func (e *ToolError) Error() string {
	return fmt.Sprintf("tool %s failed: %s", protocol.Quote(e.Tool), protocol.Quote(e.Result.Text()))
}

// asProgramsExpect makes the tags of a program's own types mean what they mean
// to encoding/json: omitempty leaves out zero numbers and false, too.
var asProgramsExpect = json.JoinOptions(json.Deterministic(true),
	jsonv1.OmitEmptyWithLegacySemantics(true), jsonv1.FormatDurationAsNano(true))

// encodeObject returns v, whose name is what, as a JSON object.
func encodeObject(what string, v any) (jsontext.Value, error) {
	switch text := v.(type) {
	case nil:
		return jsontext.Value(`{}`), nil
	case []byte:
		v = jsontext.Value(text)
	}
	object, err := json.Marshal(&v, asProgramsExpect) // maps are quicker by way of an interface
	if err != nil {
		return nil, fmt.Errorf("encode the %s: %w", what, err)
	}
	if kind := jsontext.Value(object).Kind(); kind != '{' {
		return nil, fmt.Errorf("the %s encode as a JSON %s, not as an object", what, kind)
	}
	return object, nil
}
