// Package toolcall turns MCP tools into the tool definitions that model APIs
// take, their tool calls into calls of MCP tools, and results into what they
// take back. It is plain JSON in and out: bring the provider's SDK, or none.
//
//	calls, err := toolcall.Anthropic.Calls(answer)
//	for _, call := range calls {
//		result, err := c.CallTool(ctx, call.Name, call.Arguments)
//		if err != nil {
//			result = toolcall.Failure(err) // the model may know another way
//		}
//		block, err := toolcall.Anthropic.Result(call, result)
//	}
//
// All of it is pure and may be called concurrently. What a tool answers is text of
// its server: the model reads it as it is.
package toolcall

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// A Tool is what a model is told of a tool. Name must suit the provider, which
// takes letters, digits, _ and -, 64 at most: package fleet makes such names.
type Tool struct {
	Name        string         // unique in a request
	Description string         // the server's words, for the model
	Schema      jsontext.Value // JSON Schema of the arguments, an object
}

// Of returns a listed tool under a name of your choosing.
func Of(name string, tool *protocol.Tool) Tool {
	return Tool{Name: name, Description: tool.Description, Schema: tool.InputSchema}
}

// A Call is a model's wish to call a tool.
type Call struct {
	ID        string         // ties the result to the call; "" where the API has none
	Name      string         // the Tool's
	Arguments jsontext.Value // an object, with its numbers as the model wrote them
}

// A Format is the JSON of one model API. Its methods are pure.
type Format interface {
	// Tools returns the list of tool definitions for a request.
	Tools(tools []Tool) (jsontext.Value, error)
	// Calls returns the tool calls in the model's answer: a message or a list of
	// its parts, as the API gives it.
	Calls(answer jsontext.Value) ([]Call, error)
	// Result returns what the next request says about a call.
	Result(call Call, result *protocol.CallToolResult) (jsontext.Value, error)
}

// The formats of common model APIs.
var (
	// Anthropic is the Messages API: content blocks.
	Anthropic Format = anthropic{}
	// OpenAIChat is the Chat Completions API, which many others imitate.
	OpenAIChat Format = openAIChat{}
	// OpenAIResponses is the Responses API: output items.
	OpenAIResponses Format = openAIResponses{}
	// Gemini is the generateContent API: parts.
	Gemini Format = gemini{}
)

// Failure returns a result for a call that could not be made, so that the
// model learns why. Take care that err says nothing that the model must not
// see.
func Failure(err error) *protocol.CallToolResult {
	return &protocol.CallToolResult{IsError: true, Content: protocol.Contents{&protocol.TextContent{Text: err.Error()}}}
}

// schema returns a tool's schema, that of an object without members for one
// that has none.
func (t Tool) schema() jsontext.Value {
	if t.Schema.Kind() != '{' || string(t.Schema) == "{}" {
		return jsontext.Value(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}

// text returns a result as text: its text blocks, else its structured content,
// else a note on what it holds.
func text(r *protocol.CallToolResult) string {
	if s := r.Text(); s != "" {
		return s
	}
	if len(r.StructuredContent) > 0 {
		return string(r.StructuredContent)
	}
	if len(r.Content) > 0 {
		return fmt.Sprintf("(%d blocks of other content, the first of type %s)", len(r.Content), r.Content[0].ContentType())
	}
	return "(no content)"
}

// arguments returns a model's arguments as an object; some models write nothing
// for none.
func arguments(name string, raw jsontext.Value) (jsontext.Value, error) {
	if len(raw) == 0 || raw.Kind() == 'n' {
		return jsontext.Value(`{}`), nil
	}
	if raw.Kind() != '{' || !raw.IsValid() {
		return nil, &ArgumentsError{Tool: name, Arguments: string(raw)}
	}
	return raw, nil
}

// An ArgumentsError means that a model wrote arguments that are no JSON object.
// Tell it so: see Failure.
type ArgumentsError struct {
	Tool      string // the name that the model called
	Arguments string // what it wrote
}

func (e *ArgumentsError) Error() string {
	return fmt.Sprintf("the arguments for tool %s are not a JSON object: %s", protocol.Quote(e.Tool), protocol.Quote(e.Arguments))
}

// each decodes a list of objects, or a list inside an object's member.
func each(answer jsontext.Value, member string) ([]jsontext.Value, error) {
	if answer.Kind() == '{' {
		var message map[string]jsontext.Value
		if err := json.Unmarshal(answer, &message); err != nil {
			return nil, fmt.Errorf("the model's answer can't be read: %w", err)
		}
		answer = message[member]
	}
	if len(answer) == 0 || answer.Kind() != '[' {
		return nil, nil // text alone
	}
	var parts []jsontext.Value
	if err := json.Unmarshal(answer, &parts); err != nil {
		return nil, fmt.Errorf("the model's answer can't be read: %w", err)
	}
	return parts, nil
}

// calls reads each part of an answer. Broken arguments of one call do not hide
// the others: the errors are joined beside the calls.
func calls(answer jsontext.Value, member string, read func(jsontext.Value) (*Call, error)) ([]Call, error) {
	parts, err := each(answer, member)
	if err != nil {
		return nil, err
	}
	var all []Call
	var errs []error
	for _, part := range parts {
		call, err := read(part)
		switch {
		case err != nil:
			errs = append(errs, err)
		case call != nil:
			all = append(all, *call)
		}
	}
	return all, errors.Join(errs...)
}

// list encodes one definition for each tool.
func list[T any](tools []Tool, define func(Tool) T) (jsontext.Value, error) {
	definitions := make([]T, len(tools))
	for i, tool := range tools {
		definitions[i] = define(tool)
	}
	encoded, err := json.Marshal(definitions, json.Deterministic(true))
	return encoded, err
}

func encode(v any) (jsontext.Value, error) {
	encoded, err := json.Marshal(v, json.Deterministic(true))
	return encoded, err
}
