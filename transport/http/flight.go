package http

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A flight is one exchange under way. Its context is that of the HTTP request:
// it ends with the caller's, with Close, or by end. It is derived from that of the
// transport rather than the caller's, since a stream is still read to its end, for
// the connection's sake, when the call has returned.
type flight struct {
	context.Context
	t      *Transport
	caller context.Context
	cancel context.CancelFunc
	detach func() bool // frees Context of caller; false when that has ended
	left   atomic.Bool // end or finish has been called

	request  *transport.Request // what is posted; nil for a stream
	attempts int                // how often it may have reached the server
	refusal  error              // why the answer is the last: no other credentials, or too many redirects
}

// begin starts a flight, unless the transport is closed. The flight must be
// ended by end or finish, and by a deferred unwind if neither comes to it.
func (t *Transport) begin(ctx context.Context) (*flight, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.life.Err() != nil {
		return nil, false
	}
	t.active.Add(1)
	f := &flight{t: t, caller: ctx}
	f.Context, f.cancel = context.WithCancel(t.life)
	f.detach = context.AfterFunc(ctx, f.cancel)
	if ctx.Err() != nil {
		f.cancel() // AfterFunc may take its time
	}
	return f, true
}

// unwind ends the flight when its goroutine panics: what sends requests may be
// the program's, and so may what receives. Close would wait for it otherwise.
func (f *flight) unwind() {
	if !f.left.Load() {
		f.end()
	}
}

// end ends the flight.
func (f *flight) end() {
	f.left.Store(true)
	f.detach()
	f.cancel()
	f.t.active.Done()
}

// What finish gives a body to end.
const (
	drainTime  = time.Second
	drainBytes = 64 << 10
)

// finish ends the flight. When rest is set, there may be more of the body, and
// it is read to its end in the background, which is due, so that its connection
// can be used again. One that goes on is cut.
func (f *flight) finish(body io.ReadCloser, rest bool) {
	f.left.Store(true)
	if !rest || !f.detach() {
		_ = body.Close()
		f.end()
		return
	}
	go func() {
		defer f.end()
		defer body.Close()
		timer := time.AfterFunc(drainTime, f.cancel)
		defer timer.Stop()
		_, _ = io.CopyN(io.Discard, body, drainBytes)
	}()
}

// flightKey finds the flight of a context.
type flightKey struct{}

// Value returns what the caller's context holds, and the flight itself.
func (f *flight) Value(key any) any {
	if key == (flightKey{}) {
		return f
	}
	if v := f.Context.Value(key); v != nil { // its own nature, which package context asks for
		return v
	}
	return f.caller.Value(key)
}

// flightOf returns the flight that a request's context belongs to, nil if it
// is none.
func flightOf(ctx context.Context) *flight {
	f, _ := ctx.Value(flightKey{}).(*flight)
	return f
}

// pastDeadline reports whether the time that the caller gave is over, as its
// context or the cause of its end says.
func (f *flight) pastDeadline() bool {
	return errors.Is(f.caller.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(f.caller), context.DeadlineExceeded)
}

// failed fills in how an exchange failed. The HTTP request itself can't tell
// whose wish its end was.
func (f *flight) failed(o *negotiation.Outcome, err error) {
	var netErr net.Error
	var open *BreakerError
	if errors.As(err, &open) {
		o.RetryAfter = open.After
	}
	switch {
	case f.pastDeadline():
		o.Failure, o.Err = negotiation.TimedOut, context.DeadlineExceeded
	case f.caller.Err() != nil:
		o.Failure, o.Err = negotiation.Canceled, f.caller.Err()
	case f.t.life.Err() != nil:
		o.Failure, o.Err = negotiation.Closed, transport.ErrClosed
	case errors.As(err, &netErr) && netErr.Timeout():
		o.Failure, o.Err = negotiation.TimedOut, redact(err)
	default:
		o.Failure, o.Err = negotiation.NetworkError, redact(err)
	}
}
