package toolcall

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

type gemini struct{}

// Tools returns a list of one tool that holds all functions.
func (gemini) Tools(tools []Tool) (jsontext.Value, error) {
	type declaration struct {
		Name        string         `json:"name"`
		Description string         `json:"description,omitempty"`
		Parameters  jsontext.Value `json:"parametersJsonSchema"`
	}
	declarations, err := list(tools, func(t Tool) declaration {
		return declaration{t.Name, t.Description, t.schema()}
	})
	if err != nil {
		return nil, err
	}
	return encode([]map[string]jsontext.Value{{"functionDeclarations": declarations}})
}

// Calls reads a content object or its parts.
func (gemini) Calls(answer jsontext.Value) ([]Call, error) {
	return calls(answer, "parts", func(part jsontext.Value) (*Call, error) {
		var p struct {
			FunctionCall *struct {
				ID   string         `json:"id"`
				Name string         `json:"name"`
				Args jsontext.Value `json:"args"`
			} `json:"functionCall"`
		}
		if err := json.Unmarshal(part, &p); err != nil || p.FunctionCall == nil {
			return nil, err
		}
		args, err := arguments(p.FunctionCall.Name, p.FunctionCall.Args)
		return &Call{ID: p.FunctionCall.ID, Name: p.FunctionCall.Name, Arguments: args}, err
	})
}

// Result returns a part with a functionResponse, whose response has an output,
// or an error when the tool failed.
func (gemini) Result(call Call, r *protocol.CallToolResult) (jsontext.Value, error) {
	var output any = text(r)
	if len(r.StructuredContent) > 0 {
		output = r.StructuredContent
	}
	key := "output"
	if r.IsError {
		key = "error"
	}
	type response struct {
		ID       string         `json:"id,omitempty"`
		Name     string         `json:"name"`
		Response map[string]any `json:"response"`
	}
	return encode(map[string]response{
		"functionResponse": {call.ID, call.Name, map[string]any{key: output}},
	})
}
