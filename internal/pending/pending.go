// Package pending matches responses on a stream that all requests share to the
// requests that wait for them.
package pending

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// Requests are the requests that wait for a response on one stream. New makes
// one; it is safe for concurrent use.
type Requests struct {
	done chan struct{} // closed by Fail

	mu      sync.Mutex
	waiting map[int64]chan<- *protocol.Message
	err     error
}

// New returns an empty Requests.
func New() *Requests {
	return &Requests{done: make(chan struct{}), waiting: make(map[int64]chan<- *protocol.Message)}
}

// ErrID means that a request's id is not a whole number.
var ErrID = errors.New("request ids on a shared stream must be whole numbers")

// Await registers req, sends it with send, and waits for its response, the end
// of ctx, or Fail. A response that came before either counts.
//
// An error of send means that the peer has not got the request: the outcome's
// Attempts is 0, as it is after Fail, when nothing is sent any more. Where both
// ctx and the stream are over, the stream's end is told, unless send's error
// says that it was the end of ctx that led to it.
func (r *Requests) Await(ctx context.Context, req *transport.Request, send func() error) negotiation.Outcome {
	o := negotiation.Outcome{RequestID: req.ID}
	id, ok := req.ID.Int64()
	if !ok {
		o.Failure, o.Err = negotiation.Closed, ErrID
		return o
	}
	answer := make(chan *protocol.Message, 1)
	r.mu.Lock()
	r.waiting[id] = answer
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.waiting, id)
		r.mu.Unlock()
	}()
	err := r.Err()
	if err == nil {
		err = send()
	}
	if err != nil {
		r.fail(ctx, &o, err)
		return o
	}
	o.Attempts = 1
	select {
	case o.Message = <-answer:
		return o
	case <-ctx.Done():
		err = ctx.Err()
	case <-r.done:
		err = r.Err()
	}
	select {
	case o.Message = <-answer:
	default:
		r.fail(ctx, &o, err)
	}
	return o
}

// fail fills in how a wait ended without an answer.
func (r *Requests) fail(ctx context.Context, o *negotiation.Outcome, err error) {
	o.Failure, o.Err = negotiation.Closed, err
	switch ended := r.Err(); {
	case ended != nil && !(errors.Is(err, ended) && errors.Is(err, ctx.Err())):
		o.Err = ended
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		o.Failure = negotiation.TimedOut
	case ctx.Err() != nil:
		o.Failure = negotiation.Canceled
	}
}

// Deliver gives a response to the request that waits for it, and reports
// whether one did. One that nobody waits for came too late.
func (r *Requests) Deliver(m *protocol.Message) bool {
	id, ok := m.ID.Int64()
	if !ok {
		return false
	}
	r.mu.Lock()
	answer := r.waiting[id]
	delete(r.waiting, id)
	r.mu.Unlock()
	if answer == nil {
		return false
	}
	answer <- m // has room for one, and gets one
	return true
}

// Fail ends all waiting, now and later; the first cause stays.
func (r *Requests) Fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
		close(r.done)
	}
}

// Done is closed by Fail.
func (r *Requests) Done() <-chan struct{} { return r.done }

// Err returns the cause given to Fail, nil before.
func (r *Requests) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
