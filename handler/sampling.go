package handler

import (
	"context"

	"github.com/mcpera/mcpera/protocol"
)

// A Sampler lets servers ask the program's model for a message. An error
// fails the server's request, and nothing else. The program decides whether a
// person approves the request first.
//
// Source: MCP 2026-07-28, client/sampling.
type Sampler interface {
	CreateMessage(ctx context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error)
}
