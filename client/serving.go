package client

import (
	"context"
	"sync"

	"github.com/mcpera/mcpera/protocol"
)

// serving are the requests of a legacy server that are being served.
type serving struct {
	mu   sync.Mutex
	all  map[*served]struct{} // those whose answer is on its way, too
	byID map[protocol.ID]*served
}

// A served request is one that a handler is at work for.
type served struct {
	in     *serving
	id     protocol.ID
	cancel context.CancelFunc
}

// An admission says whether a request is served.
type admission uint8

const (
	admitted admission = iota
	tooMany            // are being served
	repeated           // one with its id is being served
)

// begin notes that a request is served, and returns a context that ends when the
// server cancels it; served is nil when it is not to be. Its caller must call
// answered, then end.
func (s *serving) begin(ctx context.Context, id protocol.ID) (context.Context, *served, admission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.byID[id] != nil:
		return ctx, nil, repeated
	case len(s.all) >= maxServing:
		return ctx, nil, tooMany
	}
	if s.all == nil {
		s.all, s.byID = make(map[*served]struct{}), make(map[protocol.ID]*served)
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &served{s, id, cancel}
	s.all[r], s.byID[id] = struct{}{}, r
	return ctx, r, admitted
}

// answered notes that the handler is done. From the answer on, the server may use
// the id again.
func (r *served) answered() {
	r.in.mu.Lock()
	defer r.in.mu.Unlock()
	delete(r.in.byID, r.id)
}

// end notes that the answer has been sent, or never will be.
func (r *served) end() {
	r.cancel()
	r.in.mu.Lock()
	defer r.in.mu.Unlock()
	delete(r.in.all, r)
}

// cancel ends the context of the request with id. One that is unknown or over
// is ignored.
//
// Source: MCP 2025-11-25, basic/utilities/cancellation.
func (s *serving) cancel(id protocol.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.byID[id]; r != nil {
		r.cancel()
	}
}

// cancelAll ends the contexts of all requests: who asked is gone.
func (s *serving) cancelAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.all {
		r.cancel()
	}
}
