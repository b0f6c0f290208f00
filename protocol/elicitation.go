package protocol

import "github.com/go-json-experiment/json/jsontext"

// MethodElicit is a server's request for input from the user.
const MethodElicit = "elicitation/create"

// An ElicitRequest asks the user for input: by a form, when Mode is "form" or
// "", or by a visit to a URL, when it is "url".
//
// Source: MCP 2026-07-28, client/elicitation.
type ElicitRequest struct {
	Mode            string         `json:"mode,omitempty"`
	Message         string         `json:"message"`
	RequestedSchema jsontext.Value `json:"requestedSchema,omitzero"` // form mode: a flat object schema
	URL             string         `json:"url,omitempty"`            // URL mode
	ElicitationID   string         `json:"elicitationId,omitempty"`  // URL mode, 2025-11-25 only
	Meta            Meta           `json:"_meta,omitzero"`
	Extra           jsontext.Value `json:",embed"`
}

// What a user did with an elicitation.
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline" // said no
	ElicitCancel  = "cancel"  // dismissed it without a choice
)

// An ElicitResult is the user's answer. Content is the form's, and only with
// ElicitAccept.
type ElicitResult struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content,omitzero"`
	Meta    Meta           `json:"_meta,omitzero"`
	Extra   jsontext.Value `json:",embed"`
}
