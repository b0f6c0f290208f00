// Package pending matches responses on a stream that all requests share to the
// requests that wait for them.
package pending

import (
	"bytes"
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
	waiting map[int64]chan<- answer
	err     error
	batches bool // the version in use has batches
}

// An answer is a response, or why what came is none.
type answer struct {
	response *protocol.Message
	body     []byte
	err      error
}

// New returns an empty Requests.
func New() *Requests {
	return &Requests{done: make(chan struct{}), waiting: make(map[int64]chan<- answer)}
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
	answers := make(chan answer, 1)
	err := r.await(id, answers, req.Version)
	defer func() {
		r.mu.Lock()
		delete(r.waiting, id)
		r.mu.Unlock()
	}()
	if err == nil {
		err = send()
	}
	if req.Sent != nil {
		req.Sent()
	}
	if err != nil {
		r.fail(ctx, &o, err)
		return o
	}
	o.Attempts = 1
	select {
	case a := <-answers:
		a.tell(&o)
		return o
	case <-ctx.Done():
		err = ctx.Err()
	case <-r.done:
		err = r.Err()
	}
	select {
	case a := <-answers:
		a.tell(&o)
	default:
		r.fail(ctx, &o, err)
	}
	return o
}

// await has the answer to the request with id given to answers. The error is that
// of the stream.
func (r *Requests) await(id int64, answers chan<- answer, version string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[id] = answers
	r.speak(version)
	return r.err
}

func (a answer) tell(o *negotiation.Outcome) { o.Message, o.Body, o.Err = a.response, a.body, a.err }

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

// Speak says which version is in use from now on; "" changes nothing. Await
// does so by itself.
func (r *Requests) Speak(version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.speak(version)
}

// speak is Speak for who holds the lock.
func (r *Requests) speak(version string) {
	if version != "" {
		r.batches = negotiation.HasBatches(version)
	}
}

// give ends the wait of the request with id, and reports whether there was one.
func (r *Requests) give(id protocol.ID, a answer) bool {
	n, ok := id.Int64()
	if !ok {
		return false
	}
	r.mu.Lock()
	answers := r.waiting[n]
	delete(r.waiting, n)
	r.mu.Unlock()
	if answers == nil {
		return false
	}
	answers <- a // has room for one, and gets one
	return true
}

// Receive takes what came on the stream where a message is due: a response goes
// to the request that waits for it, everything else to other. The error says why
// nothing could be done with it; a request that it was meant to answer has then
// failed. Data belongs to the messages from then on.
func (r *Requests) Receive(data []byte, other func(*protocol.Message)) error {
	if protocol.IsBatch(data) {
		return r.receiveBatch(data, other)
	}
	m, err := protocol.DecodeOwned(data)
	switch {
	case err != nil:
		if id, ok := protocol.SalvageID(data); ok {
			r.give(id, refusal(data, err))
		}
		return err
	case !m.IsResponse():
		other(m)
		return nil
	case r.give(m.ID, answer{response: m}):
		return nil
	default:
		return ErrUnasked
	}
}

// ErrUnasked means that a response came too late, or to nothing.
var ErrUnasked = errors.New("no request waits for it")

// receiveBatch is Receive for a batch. Where the version in use has none, the
// requests that it answers fail, since nothing else would end their wait.
//
// Source: MCP 2025-03-26, basic, "Batching".
func (r *Requests) receiveBatch(data []byte, other func(*protocol.Message)) error {
	r.mu.Lock()
	legal := r.batches
	r.mu.Unlock()
	for m, err := range protocol.Batch(data) {
		switch {
		case err != nil:
			return err
		case m.IsResponse() && legal:
			r.give(m.ID, answer{response: m})
		case m.IsResponse():
			r.give(m.ID, refusal(data, protocol.ErrBatch))
		case legal:
			other(m)
		}
	}
	if !legal {
		return protocol.ErrBatch
	}
	return nil
}

// refusal is the answer of a body that is no response, of which it keeps the
// start.
func refusal(body []byte, err error) answer {
	const excerpt = 1 << 10
	return answer{body: bytes.Clone(body[:min(len(body), excerpt)]), err: err}
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
