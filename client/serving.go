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

// An admission says whether a request is served.
type admission uint8

const (
	admitted admission = iota
	tooMany            // are being served
	repeated           // one with its id is being served
)

// begin notes that a request is served. It returns a context that ends when
// the server cancels the request, what to call at the end, and whether it is
// served at all. Ids are unique among those that are, so that their number is
// that of the handlers at work.
func (s *serving) begin(ctx context.Context, id protocol.ID) (_ context.Context, done func(), _ admission) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	refused := func(why admission) (context.Context, func(), admission) {
		cancel()
		return ctx, cancel, why
	}
	switch _, again := s.cancels[id]; {
	case again:
		return refused(repeated)
	case len(s.cancels) >= maxServing:
		return refused(tooMany)
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
	}, admitted
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
