package protocol

import "github.com/go-json-experiment/json/jsontext"

// MethodCreateMessage is a server's request for a completion.
const MethodCreateMessage = "sampling/createMessage"

// A CreateMessageRequest asks the client's model for a message.
//
// Source: MCP 2026-07-28, client/sampling.
type CreateMessageRequest struct {
	Messages         []SamplingMessage `json:"messages"`
	ModelPreferences *ModelPreferences `json:"modelPreferences,omitzero"`
	SystemPrompt     string            `json:"systemPrompt,omitempty"`
	IncludeContext   string            `json:"includeContext,omitempty"` // "none", "thisServer" or "allServers"
	Temperature      *float64          `json:"temperature,omitzero"`
	MaxTokens        int64             `json:"maxTokens"`
	StopSequences    []string          `json:"stopSequences,omitempty"`
	Metadata         jsontext.Value    `json:"metadata,omitzero"`
	Tools            List[Tool]        `json:"tools,omitzero"`
	ToolChoice       *ToolChoice       `json:"toolChoice,omitzero"`
	Meta             Meta              `json:"_meta,omitzero"`
	Extra            jsontext.Value    `json:",embed"`
}

// A SamplingMessage is one turn. Its content may be one block or a list on the
// wire; here it is always a list.
type SamplingMessage struct {
	Role    string         `json:"role"` // "user" or "assistant"
	Content Contents       `json:"content"`
	Meta    Meta           `json:"_meta,omitzero"`
	Extra   jsontext.Value `json:",embed"`
}

// ModelPreferences are a server's wishes about the model. Priorities go from 0
// to 1; hints count more.
type ModelPreferences struct {
	Hints                []ModelHint    `json:"hints,omitempty"`
	CostPriority         *float64       `json:"costPriority,omitzero"`
	SpeedPriority        *float64       `json:"speedPriority,omitzero"`
	IntelligencePriority *float64       `json:"intelligencePriority,omitzero"`
	Extra                jsontext.Value `json:",embed"`
}

// A ModelHint names a model, or a part of its name.
type ModelHint struct {
	Name  string         `json:"name,omitempty"`
	Extra jsontext.Value `json:",embed"`
}

// ToolChoice says whether the model may, must or must not use a tool.
type ToolChoice struct {
	Mode  string         `json:"mode,omitempty"` // "auto", "required" or "none"
	Extra jsontext.Value `json:",embed"`
}

// A CreateMessageResult is the model's message.
type CreateMessageResult struct {
	Role       string         `json:"role"`
	Content    Contents       `json:"content"`
	Model      string         `json:"model"`
	StopReason string         `json:"stopReason,omitempty"` // "endTurn", "stopSequence", "maxTokens", "toolUse", or the provider's own
	Meta       Meta           `json:"_meta,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}
