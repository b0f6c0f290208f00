package client

import (
	"context"
	"iter"

	"github.com/mcpera/mcpera/protocol"
)

// ListPrompts returns one page of the server's prompts: the first, or the one
// that Cursor names. A fresh answer comes from the cache; see Cache.
//
// Source: MCP 2026-07-28, server/prompts, "Listing Prompts".
func (c *Client) ListPrompts(ctx context.Context, opts ...CallOption) (*protocol.ListPromptsResult, error) {
	r, err := list[protocol.ListPromptsResult](ctx, c, protocol.MethodListPrompts, opts)
	if err == nil {
		c.noteDropped("prompt", r.Prompts.Dropped)
	}
	return r, err
}

// Prompts returns all of the server's prompts; see Tools.
func (c *Client) Prompts(ctx context.Context, opts ...CallOption) iter.Seq2[*protocol.Prompt, error] {
	return pages(ctx, c, protocol.MethodListPrompts, opts,
		func(ctx context.Context, opts []CallOption) (page[protocol.Prompt], error) {
			r, err := c.ListPrompts(ctx, opts...)
			if err != nil {
				return page[protocol.Prompt]{}, err
			}
			return page[protocol.Prompt]{r.Prompts.Items, r.NextCursor}, nil
		})
}

// GetPrompt returns a prompt with its blanks filled by args, which may be nil.
// What comes back is the server's text: treat it as such before a model reads
// it.
//
// Source: MCP 2026-07-28, server/prompts, "Getting a Prompt".
func (c *Client) GetPrompt(ctx context.Context, name string, args map[string]string, opts ...CallOption) (*protocol.GetPromptResult, error) {
	r := new(protocol.GetPromptResult)
	err := c.do(ctx, &call{
		method: protocol.MethodGetPrompt, name: name, idempotent: true, asks: true,
		params: protocol.GetPromptParams{Name: name, Arguments: args},
	}, r, opts)
	if err != nil {
		return nil, err
	}
	return r, nil
}
