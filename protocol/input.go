package protocol

import "github.com/go-json-experiment/json/jsontext"

// ResultInputRequired is the resultType of a result that asks for input before
// the request can be completed.
//
// Source: MCP 2026-07-28, patterns/mrtr.
const ResultInputRequired = "input_required"

// An InputRequiredResult asks the client for input. The request is then sent
// again with the answers, under the same keys, and with RequestState exactly
// as it came.
type InputRequiredResult struct {
	InputRequests map[string]InputRequest `json:"inputRequests,omitempty"`
	RequestState  jsontext.Value          `json:"requestState,omitzero"` // as it came; nil: send none
	Meta          Meta                    `json:"_meta,omitzero"`
}

// An InputRequest is what a server wants to know: a method that in the legacy
// era would be a request of its own.
type InputRequest struct {
	Method string         `json:"method"`
	Params jsontext.Value `json:"params,omitzero"`
}
