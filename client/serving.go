package client

import (
	"context"
	"sync"

	"github.com/mcpera/mcpera/protocol"
)

// serving are the requests of a legacy server that are being served.
type serving struct {
	mu      sync.Mutex
	cancels map[protocol.ID]context.CancelFunc
}

// begin notes that a request is served. It returns a context that ends when
// the server cancels the request, what to call at the end, and whether there
// is room for it.
func (s *serving) begin(ctx context.Context, id protocol.ID) (_ context.Context, done func(), free bool) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.cancels) >= maxServing {
		return ctx, cancel, false
	}
	if s.cancels == nil {
		s.cancels = make(map[protocol.ID]context.CancelFunc)
	}
	s.cancels[id] = cancel
	return ctx, func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.cancels, id)
	}, true
}

// cancel ends the context of the request with id. One that is unknown or over
// is ignored.
//
// Source: MCP 2025-11-25, basic/utilities/cancellation.
func (s *serving) cancel(id protocol.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.cancels[id]; cancel != nil {
		cancel()
	}
}

// cancelAll ends the contexts of all requests: who asked is gone.
func (s *serving) cancelAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.cancels {
		cancel()
	}
}
