package toolcall

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

type openAIChat struct{}

func (openAIChat) Tools(tools []Tool) (jsontext.Value, error) {
	type function struct {
		Name        string         `json:"name"`
		Description string         `json:"description,omitempty"`
		Parameters  jsontext.Value `json:"parameters"`
	}
	type definition struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	return list(tools, func(t Tool) definition {
		return definition{"function", function{t.Name, t.Description, t.schema()}}
	})
}

func (openAIChat) Calls(answer jsontext.Value) ([]Call, error) {
	return calls(answer, "tool_calls", func(part jsontext.Value) (*Call, error) {
		var wish struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"` // JSON text in a string
			} `json:"function"`
		}
		if err := json.Unmarshal(part, &wish); err != nil || wish.Function.Name == "" {
			return nil, err
		}
		args, err := arguments(wish.Function.Name, jsontext.Value(wish.Function.Arguments))
		return &Call{ID: wish.ID, Name: wish.Function.Name, Arguments: args}, err
	})
}

// Result returns a message of the role tool. The API has no mark for a failure:
// the text says it.
func (openAIChat) Result(call Call, r *protocol.CallToolResult) (jsontext.Value, error) {
	return encode(struct {
		Role       string `json:"role"`
		ToolCallID string `json:"tool_call_id"`
		Content    string `json:"content"`
	}{"tool", call.ID, marked(r)})
}

type openAIResponses struct{}

func (openAIResponses) Tools(tools []Tool) (jsontext.Value, error) {
	type definition struct {
		Type        string         `json:"type"`
		Name        string         `json:"name"`
		Description string         `json:"description,omitempty"`
		Parameters  jsontext.Value `json:"parameters"`
		Strict      bool           `json:"strict"` // a server's schema is not made for strict mode
	}
	return list(tools, func(t Tool) definition {
		return definition{"function", t.Name, t.Description, t.schema(), false}
	})
}

func (openAIResponses) Calls(answer jsontext.Value) ([]Call, error) {
	return calls(answer, "output", func(part jsontext.Value) (*Call, error) {
		var item struct {
			Type      string `json:"type"`
			CallID    string `json:"call_id"`
			Name      string `json:"name"`
			Arguments string `json:"arguments"` // JSON text in a string
		}
		if err := json.Unmarshal(part, &item); err != nil || item.Type != "function_call" {
			return nil, err
		}
		args, err := arguments(item.Name, jsontext.Value(item.Arguments))
		return &Call{ID: item.CallID, Name: item.Name, Arguments: args}, err
	})
}

// Result returns a function_call_output item.
func (openAIResponses) Result(call Call, r *protocol.CallToolResult) (jsontext.Value, error) {
	return encode(struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}{"function_call_output", call.ID, marked(r)})
}

// marked is a result's text, with a mark on a failure.
func marked(r *protocol.CallToolResult) string {
	if r.IsError {
		return "Error: " + text(r)
	}
	return text(r)
}
