package protocol

import (
	"errors"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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

// ReadProgress reads the params of a progress notification, which are valid JSON.
// A report of nothing but numbers and a message, as most are, takes no decoder.
func ReadProgress(params jsontext.Value) (Progress, error) {
	if p, ok := plainProgress(params); ok {
		return p, nil
	}
	var p Progress
	err := json.Unmarshal(params, &p)
	return p, err
}

func plainProgress(params jsontext.Value) (p Progress, ok bool) {
	for name, value := range members(params) {
		var err error
		switch string(name) {
		case "progressToken":
			err = p.Token.UnmarshalJSON(value)
		case "progress":
			p.Progress, err = number(value)
		case "total":
			p.Total = new(float64)
			*p.Total, err = number(value)
		case "message":
			if value.Kind() != '"' {
				return Progress{}, false
			}
			p.Message = unquoted(value)
		default:
			return Progress{}, false
		}
		if err != nil {
			return Progress{}, false
		}
	}
	return p, params.Kind() == '{'
}

var errNoNumber = errors.New("not a JSON number")

func number(value jsontext.Value) (float64, error) {
	if value.Kind() != '0' {
		return 0, errNoNumber
	}
	return strconv.ParseFloat(string(value), 64)
}

// CancelledParams tells the peer that a request is no longer wanted.
type CancelledParams struct {
	RequestID ID     `json:"requestId"`
	Reason    string `json:"reason,omitempty"`
}
