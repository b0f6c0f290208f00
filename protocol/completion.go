package protocol

import "github.com/go-json-experiment/json/jsontext"

// MethodComplete asks for values of an argument while a user types.
const MethodComplete = "completion/complete"

// CompleteParams ask for completions of one argument.
//
// Source: MCP 2026-07-28, server/utilities/completion.
type CompleteParams struct {
	Ref      CompletionRef      `json:"ref"`
	Argument CompletionArgument `json:"argument"`
	Context  *CompletionContext `json:"context,omitzero"`
}

// A CompletionRef names what the argument belongs to; see PromptRef and
// TemplateRef.
type CompletionRef struct {
	Type string `json:"type"` // "ref/prompt" or "ref/resource"
	Name string `json:"name,omitempty"`
	URI  string `json:"uri,omitempty"`
}

// PromptRef names the prompt whose argument is completed.
func PromptRef(name string) CompletionRef { return CompletionRef{Type: "ref/prompt", Name: name} }

// TemplateRef names the resource template whose variable is completed.
func TemplateRef(uriTemplate string) CompletionRef {
	return CompletionRef{Type: "ref/resource", URI: uriTemplate}
}

// A CompletionArgument is what the user has typed so far.
type CompletionArgument struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// CompletionContext are the arguments that have a value already.
type CompletionContext struct {
	Arguments map[string]string `json:"arguments,omitempty"`
}

// A CompleteResult holds up to 100 values.
type CompleteResult struct {
	Completion Completion     `json:"completion"`
	Meta       Meta           `json:"_meta,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

// Completion are the values that fit.
type Completion struct {
	Values  []string       `json:"values"`
	Total   *int64         `json:"total,omitzero"` // how many there are; nil when not said
	HasMore bool           `json:"hasMore,omitzero"`
	Extra   jsontext.Value `json:",embed"`
}
