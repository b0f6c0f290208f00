package client

import (
	"context"

	"github.com/mcpera/mcpera/protocol"
)

// completionContext is the first version in which a completion has a context.
const completionContext = "2025-06-18"

// Complete returns values for an argument of a prompt or a resource template
// that begin with what the user has typed. known are the other arguments that
// have a value already; they are not sent to servers older than 2025-06-18,
// which has them first. Call it at the pace of a user's pauses, not of the keys.
//
// Source: MCP 2026-07-28, server/utilities/completion.
func (c *Client) Complete(
	ctx context.Context, ref protocol.CompletionRef, argument, typed string, known map[string]string, opts ...CallOption,
) (*protocol.Completion, error) {
	params := protocol.CompleteParams{
		Ref: ref, Argument: protocol.CompletionArgument{Name: argument, Value: typed},
	}
	if len(known) > 0 && c.ProtocolVersion() >= completionContext {
		params.Context = &protocol.CompletionContext{Arguments: known}
	}
	var r protocol.CompleteResult
	if err := c.do(ctx, &call{method: protocol.MethodComplete, params: params, idempotent: true}, &r, opts); err != nil {
		return nil, err
	}
	return &r.Completion, nil
}
