package protocol

import "github.com/go-json-experiment/json/jsontext"

// Methods of the prompts feature.
const (
	MethodListPrompts = "prompts/list"
	MethodGetPrompt   = "prompts/get"
)

// A Prompt is a template of messages that a server offers.
//
// Source: MCP 2026-07-28, server/prompts, "Prompt".
type Prompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
	Icons       Icons            `json:"icons,omitempty"`
	Meta        Meta             `json:"_meta,omitzero"`
	Extra       jsontext.Value   `json:",embed"`
}

// A PromptArgument is a blank of a prompt.
type PromptArgument struct {
	Name        string         `json:"name"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	Required    bool           `json:"required,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// ListPromptsResult is one page of a server's prompts.
type ListPromptsResult struct {
	Prompts    List[Prompt]   `json:"prompts"`
	NextCursor *string        `json:"nextCursor,omitzero"` // nil: there is no next page
	TTL        TTL            `json:"ttlMs,omitzero"`
	CacheScope CacheScope     `json:"cacheScope,omitempty"`
	Meta       Meta           `json:"_meta,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

// GetPromptParams names a prompt and fills its blanks.
type GetPromptParams struct {
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// A GetPromptResult is a prompt with its blanks filled.
type GetPromptResult struct {
	Description string              `json:"description,omitempty"`
	Messages    List[PromptMessage] `json:"messages"`
	Meta        Meta                `json:"_meta,omitzero"`
	Extra       jsontext.Value      `json:",embed"`
}

// A PromptMessage is one message of a prompt. Its content is one block, here
// as a list of one.
type PromptMessage struct {
	Role    string         `json:"role"` // "user" or "assistant"
	Content Contents       `json:"content"`
	Extra   jsontext.Value `json:",embed"`
}
