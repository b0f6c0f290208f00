package protocol

import "github.com/go-json-experiment/json/jsontext"

// Notifications that either era knows.
const (
	MethodProgress  = "notifications/progress"
	MethodCancelled = "notifications/cancelled"
	MethodPing      = "ping" // a legacy request, in both directions
)

// Progress is how far a request has come.
//
// Source: MCP 2026-07-28, patterns/progress.
type Progress struct {
	Token    ID             `json:"progressToken"`
	Progress float64        `json:"progress"`
	Total    *float64       `json:"total,omitzero"` // nil when not known
	Message  string         `json:"message,omitempty"`
	Meta     Meta           `json:"_meta,omitzero"`
	Extra    jsontext.Value `json:",embed"`
}

// CancelledParams tells the peer that a request is no longer wanted.
type CancelledParams struct {
	RequestID ID     `json:"requestId"`
	Reason    string `json:"reason,omitempty"`
}
