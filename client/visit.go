package client

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// RequiredVisits returns the pages that the user must visit before a call can
// succeed that failed with err, and nil for an error that says nothing of the
// sort. Show each as a handler.URLElicitor does, and call again when the user
// says so; a handler.NotificationReceiver may hear of it before, by
// "notifications/elicitation/complete". Pages whose URL is unsafe are left out.
// Servers of 2025-11-25 alone ask in this way.
//
// Source: MCP 2025-11-25, client/elicitation, "URL Elicitation Required Error".
func RequiredVisits(err error) []*protocol.ElicitRequest {
	refusal, ok := errors.AsType[*protocol.Error](err)
	if !ok || refusal.Code != protocol.CodeURLElicitationRequired {
		return nil
	}
	var data struct {
		Elicitations []jsontext.Value `json:"elicitations"`
	}
	if json.Unmarshal(refusal.Data, &data) != nil {
		return nil
	}
	var visits []*protocol.ElicitRequest
	for _, each := range data.Elicitations {
		visit := new(protocol.ElicitRequest)
		if json.Unmarshal(each, visit) == nil && visit.Mode == "url" && checkURL(visit.URL) == nil {
			visits = append(visits, visit)
		}
	}
	return visits
}
