package toolcall

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

type anthropic struct{}

func (anthropic) Tools(tools []Tool) (jsontext.Value, error) {
	type definition struct {
		Name        string         `json:"name"`
		Description string         `json:"description,omitempty"`
		InputSchema jsontext.Value `json:"input_schema"`
	}
	return list(tools, func(t Tool) definition { return definition{t.Name, t.Description, t.schema()} })
}

func (anthropic) Calls(answer jsontext.Value) ([]Call, error) {
	return calls(answer, "content", func(part jsontext.Value) (*Call, error) {
		var block struct {
			Type  string         `json:"type"`
			ID    string         `json:"id"`
			Name  string         `json:"name"`
			Input jsontext.Value `json:"input"`
		}
		if err := json.Unmarshal(part, &block); err != nil || block.Type != "tool_use" {
			return nil, err
		}
		args, err := arguments(block.Name, block.Input)
		return &Call{ID: block.ID, Name: block.Name, Arguments: args}, err
	})
}

// Result returns a tool_result block, with the images of the result.
func (anthropic) Result(call Call, r *protocol.CallToolResult) (jsontext.Value, error) {
	type source struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      []byte `json:"data"`
	}
	type block struct {
		Type   string  `json:"type"`
		Text   string  `json:"text,omitempty"`
		Source *source `json:"source,omitzero"`
	}
	var content []block
	for _, c := range r.Content {
		if image, ok := c.(*protocol.ImageContent); ok {
			content = append(content, block{Type: "image", Source: &source{"base64", image.MIMEType, image.Data}})
		}
	}
	if len(content) == 0 || r.Text() != "" { // the API takes no empty text
		content = slices.Insert(content, 0, block{Type: "text", Text: text(r)})
	}
	return encode(struct {
		Type      string  `json:"type"`
		ToolUseID string  `json:"tool_use_id"`
		Content   []block `json:"content"`
		IsError   bool    `json:"is_error,omitzero"`
	}{"tool_result", call.ID, content, r.IsError})
}
