package lines

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A Run is a server that runs, until Stop.
type Run interface {
	comparable
	// Stream leads to the server.
	Stream() *Stream
	// Stop ends the run and waits until all of it is gone. It may be called more
	// than once, and by several at a time.
	Stop() error
}

// Runs keeps at most one run of a server at a time. Its methods are those of a
// transport.Transport, a transport.Restarter and a transport.LossReporter; see
// there for concurrency.
type Runs[R Run] struct {
	name  string
	begin func(transport.Receiver) (R, error)

	restart  sync.Mutex // held while one run takes the place of another
	mu       sync.Mutex
	receiver transport.Receiver
	current  R // zero before Open and after a failed Restart
	closed   bool

	closeOnce sync.Once
	closeErr  error
}

// NewRuns returns Runs that begin a run by begin. Name, a package's, goes before
// errors.
func NewRuns[R Run](name string, begin func(transport.Receiver) (R, error)) *Runs[R] {
	return &Runs[R]{name: name, begin: begin}
}

// Open begins the first run.
func (r *Runs[R]) Open(ctx context.Context, to transport.Receiver) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.receiver != nil {
		return fmt.Errorf("%s: already open", r.name)
	}
	r.receiver = to
	err := r.start(ctx)
	if err != nil {
		r.receiver = nil
	}
	return err
}

// Restart ends the run, if there is one, and begins another.
func (r *Runs[R]) Restart(ctx context.Context) error {
	r.restart.Lock()
	defer r.restart.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	old, opened := r.current, r.receiver != nil
	r.mu.Unlock()
	if !opened {
		return fmt.Errorf("%s: not open", r.name)
	}
	var none R
	if old != none {
		if err := old.Stop(); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = none
	return r.start(ctx)
}

// start begins a run; the caller holds mu.
func (r *Runs[R]) start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.closed {
		return transport.ErrClosed
	}
	run, err := r.begin(r.receiver)
	if err != nil {
		return err
	}
	r.current = run
	return nil
}

// Current returns the run that is there now, and whether there is one.
func (r *Runs[R]) Current() (R, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var none R
	return r.current, r.current != none
}

// stream leads to the run that is there now.
func (r *Runs[R]) stream() (*Stream, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var none R
	if r.current == none || r.closed {
		return nil, transport.ErrClosed
	}
	return r.current.Stream(), nil
}

// Lost returns a channel that is closed once the run that is there now has ended
// or can't be talked to any more.
func (r *Runs[R]) Lost() <-chan struct{} {
	s, err := r.stream()
	if err != nil {
		none := make(chan struct{})
		close(none)
		return none
	}
	return s.Done()
}

// Exchange writes the request and waits for its response. Several may wait at
// the same time.
func (r *Runs[R]) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	s, err := r.stream()
	if err != nil {
		return negotiation.Outcome{Failure: negotiation.Closed, Err: err, RequestID: req.ID}
	}
	return s.Exchange(ctx, req)
}

// Send writes the message. That the server read it can't be known.
func (r *Runs[R]) Send(ctx context.Context, req *transport.Request) error {
	s, err := r.stream()
	if err != nil {
		return err
	}
	s.requests.Speak(req.Version)
	return s.Write(ctx, req.Body)
}

// Close ends the run; none begins any more.
func (r *Runs[R]) Close() error {
	r.closeOnce.Do(func() {
		r.mu.Lock()
		r.closed = true
		run := r.current
		r.mu.Unlock()
		var none R
		if run != none {
			r.closeErr = run.Stop()
		}
	})
	return r.closeErr
}
