package handler

import (
	"context"

	"github.com/mcpera/mcpera/protocol"
)

// An Elicitor lets servers ask the user to fill in a form. The program shows
// which server asks, and lets the user decline or cancel.
//
// Source: MCP 2026-07-28, client/elicitation, "Form Mode".
type Elicitor interface {
	Elicit(ctx context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error)
}

// A URLElicitor lets servers ask the user to visit a URL. The program shows
// the whole URL and its host, and opens it only with the user's consent, where
// neither program nor model can see the page.
//
// Source: MCP 2026-07-28, client/elicitation, "URL Mode".
type URLElicitor interface {
	ElicitURL(ctx context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error)
}
