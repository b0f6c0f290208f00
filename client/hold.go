package client

import (
	"context"
	"sync"
	"time"

	"github.com/mcpera/mcpera/transport"
)

// withTime returns a context that ends after d, as context.WithTimeout does, but
// whose time the transport can hold while it asks the user.
func withTime(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	t := &timed{Context: ctx, done: make(chan struct{})}
	if err := ctx.Err(); err != nil {
		t.end(err) // at once; AfterFunc takes a moment
	}
	detach := context.AfterFunc(ctx, func() { t.end(ctx.Err()) })
	w := newWatch(func(cause error) {
		detach()
		if cause == errTooSlow {
			t.end(context.DeadlineExceeded)
		} else {
			t.end(context.Canceled)
		}
	}, d, 0, nil)
	return transport.WithHold(t, w.user.begin), w.stop
}

// timed is a context that ends as it is told. What it is derived from cancels it
// by context.AfterFunc.
type timed struct {
	context.Context
	done chan struct{}

	mu  sync.Mutex
	err error
}

func (t *timed) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
		close(t.done)
	}
}

// Done implements context.Context.
func (t *timed) Done() <-chan struct{} { return t.done }

// Err implements context.Context.
func (t *timed) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
