package conformance

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// The smallest files of their kinds: a red pixel and a silent sound.
var (
	redPixelPNG = mustBase64("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	silenceWAV  = mustBase64("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=")
)

func mustBase64(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return data
}

// fixtureTools are the built-in tools. The first can be called without
// arguments.
func (s *Server) fixtureTools() []Tool {
	return slices.Concat(contentTools(), plainTools(), streamTools(), legacyAskingTools(),
		roundTools(), schemaTools(), s.changeTools(), taskTools())
}

// contentTools return one kind of content each.
func contentTools() []Tool {
	text := &protocol.TextContent{Text: "This is a simple text response for testing."}
	image := &protocol.ImageContent{Data: redPixelPNG, MIMEType: "image/png"}
	audio := &protocol.AudioContent{Data: silenceWAV, MIMEType: "audio/wav"}
	embedded := &protocol.EmbeddedResource{Resource: protocol.ResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
	}}
	mixed := &protocol.EmbeddedResource{Resource: protocol.ResourceContents{
		URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
	}}
	link := &protocol.ResourceLink{URI: "test://static-text", Name: "static-text", MIMEType: "text/plain"}
	return []Tool{
		returns("test_simple_text", "Returns a line of text.", text),
		returns("test_image_content", "Returns an image.", image),
		returns("test_audio_content", "Returns a sound.", audio),
		returns("test_embedded_resource", "Returns a resource inside the result.", embedded),
		returns("test_resource_link", "Returns a link to a resource.", link),
		returns("test_multiple_content_types", "Returns text, an image and a resource.",
			&protocol.TextContent{Text: "Multiple content types test:"}, image, mixed),
	}
}

func returns(name, description string, content ...protocol.Content) Tool {
	return Tool{Definition: define(name, description, ""), Run: func(context.Context, *Call) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{Content: content}, nil
	}}
}

// plainTools compute something from their arguments, or fail.
func plainTools() []Tool {
	return []Tool{
		{Definition: addNumbersDefinition(), Run: addNumbers},
		{Definition: define("echo", "Returns its message.",
			`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`), Run: echo},
		{Definition: define("whoami", "Says how the server sees the request.", ""), Run: whoami},
		{Definition: define("test_error_handling", "Always fails, by the tool's own account.", ""),
			Run: func(context.Context, *Call) (*protocol.CallToolResult, error) {
				return nil, fmt.Errorf("this tool always fails")
			}},
		{Definition: define("test_panic", "Always panics.", ""),
			Run: func(context.Context, *Call) (*protocol.CallToolResult, error) { panic("this tool always panics") }},
	}
}

func addNumbersDefinition() protocol.Tool {
	t := define("add_numbers", "Adds two numbers.",
		`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`)
	t.OutputSchema = jsontext.Value(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`)
	yes := true
	t.Annotations = &protocol.ToolAnnotations{ReadOnlyHint: &yes, IdempotentHint: &yes}
	return t
}

func addNumbers(_ context.Context, c *Call) (*protocol.CallToolResult, error) {
	var p struct {
		A *float64 `json:"a"`
		B *float64 `json:"b"`
	}
	if err := c.Bind(&p); err != nil {
		return nil, err
	}
	if p.A == nil || p.B == nil {
		return nil, fmt.Errorf("add_numbers needs a and b")
	}
	sum := mustEncode(*p.A + *p.B)
	result := Text(string(sum))
	result.StructuredContent = mustEncode(map[string]jsontext.Value{"sum": sum})
	return result, nil
}

func echo(_ context.Context, c *Call) (*protocol.CallToolResult, error) {
	var p struct {
		Message string `json:"message"`
	}
	if err := c.Bind(&p); err != nil {
		return nil, err
	}
	return Text(p.Message), nil
}

// whoami returns the parts of the call that a client can set.
func whoami(_ context.Context, c *Call) (*protocol.CallToolResult, error) {
	seen := mustEncode(struct {
		Era          string                      `json:"era"`
		Version      string                      `json:"version"`
		Client       protocol.Implementation     `json:"client"`
		Capabilities protocol.ClientCapabilities `json:"capabilities"`
		Principal    string                      `json:"principal,omitempty"`
		Trace        map[string]string           `json:"trace,omitempty"`
	}{c.Era.String(), c.Version, c.Client, c.Capabilities, c.Principal.Name, c.Trace})
	result := Text(string(seen))
	result.StructuredContent = seen
	return result, nil
}
