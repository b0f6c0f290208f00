package conformance

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// pageParams are the parameters of every list method.
type pageParams struct {
	Cursor *string `json:"cursor"`
}

// listPage serves one page of a catalog.
func listPage[T item](s *Server, c *Call, items *catalog[T], member string) (reply, error) {
	var p pageParams
	if e := bind(c.params, &p); e != nil {
		return reply{}, e
	}
	body, hint, e := items.page(member, p.Cursor, s.cfg.pageSize, s.cfg.cache)
	if e != nil {
		return reply{}, e
	}
	return reply{body, &hint}, nil
}

func (s *Server) listTools(_ context.Context, c *Call) (reply, error) {
	return listPage(s, c, &s.tools, "tools")
}

// callTool runs a tool. An error that is not for the protocol is the tool's
// own and goes to the model.
func (s *Server) callTool(ctx context.Context, c *Call) (reply, error) {
	tool, ok := s.tools.get(c.Name)
	if !ok {
		return reply{}, invalidParams("unknown tool: %s", protocol.Quote(c.Name))
	}
	if !c.Principal.has(tool.Scope) {
		return reply{}, &scopeError{tool.Scope}
	}
	if tool.NeedsTask && c.Era == Modern && s.cfg.tasks && !c.asksTask {
		return reply{}, missingCapability(tasksCapability)
	}
	result, err := tool.Run(ctx, c)
	if task := (*toTask)(nil); errors.As(err, &task) {
		return s.createTask(c, task.run), nil
	}
	if err = toolError(ctx, &result, err); err != nil {
		return reply{}, err
	}
	body, err := toolResult(result)
	return reply{body: body}, err
}

// toolError turns an error of the tool itself into a result and returns every
// other error.
func toolError(ctx context.Context, result **protocol.CallToolResult, err error) error {
	var (
		fault *protocol.Error
		needs *inputRequired
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fault), errors.As(err, &needs):
		return err
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		return err // it stopped as it was told to
	}
	*result = &protocol.CallToolResult{IsError: true, Content: protocol.Contents{&protocol.TextContent{Text: err.Error()}}}
	return nil
}

func toolResult(result *protocol.CallToolResult) (object, error) {
	if result == nil {
		result = &protocol.CallToolResult{}
	}
	data, err := encode(result)
	if err != nil {
		return nil, internalError("the tool's result does not encode")
	}
	return parseObject(data)
}

// paramHeadersOf gives the x-mcp-header annotations of a tool. One whose
// annotations are invalid is left out of the header checks.
func (s *Server) paramHeadersOf(name string) []paramHeader {
	tool, ok := s.tools.get(name)
	if !ok {
		return nil
	}
	headers, err := paramHeaders(tool.Definition.InputSchema)
	if err != nil {
		return nil
	}
	return headers
}

// Text is a tool result of one text block.
func Text(text string) *protocol.CallToolResult {
	return &protocol.CallToolResult{Content: protocol.Contents{&protocol.TextContent{Text: text}}}
}

// anyObject is the input schema of a tool that has none.
var anyObject = jsontext.Value(`{"type":"object"}`)

// define is a tool definition; schema may be empty.
func define(name, description, schema string) protocol.Tool {
	t := protocol.Tool{Name: name, Description: description}
	if schema != "" {
		t.InputSchema = jsontext.Value(schema)
	}
	return t
}
