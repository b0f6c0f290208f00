package handler

import (
	"context"

	"github.com/mcpera/mcpera/protocol"
)

// A RootsLister tells servers which folders they may work in, as file: URIs.
//
// Source: MCP 2026-07-28, client/roots.
type RootsLister interface {
	ListRoots(ctx context.Context) ([]protocol.Root, error)
}
