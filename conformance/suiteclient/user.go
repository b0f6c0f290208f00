package main

import (
	"context"
	"encoding/json"

	"github.com/mcpera/mcpera/protocol"
)

// A user says yes to everything that a server asks.
type user struct{}

// Elicit accepts the form. It confirms where it is asked to, and leaves all
// else to the form's defaults, which the SDK fills in.
func (user) Elicit(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	var form struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(req.RequestedSchema, &form); err != nil {
		return nil, err
	}
	content := map[string]any{}
	if _, asked := form.Properties["confirmed"]; asked {
		content["confirmed"] = true
	}
	return &protocol.ElicitResult{Action: protocol.ElicitAccept, Content: content}, nil
}

// CreateMessage is never asked for. It is here because the suite also looks at
// how sampling is declared; ListRoots likewise.
func (user) CreateMessage(context.Context, *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
	return &protocol.CreateMessageResult{
		Role:    "assistant",
		Content: protocol.Contents{&protocol.TextContent{Text: "yes"}},
		Model:   "none",
	}, nil
}

func (user) ListRoots(context.Context) ([]protocol.Root, error) {
	return []protocol.Root{{URI: "file:///tmp", Name: "tmp"}}, nil
}
