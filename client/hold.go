package client

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcpera/mcpera/transport"
)

// withTime returns a context that ends after d, as context.WithTimeout does, but
// whose time the transport can hold while it asks the user.
func (c *Client) withTime(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	t := &timed{done: make(chan struct{})}
	if err := ctx.Err(); err != nil {
		t.end(err) // at once; AfterFunc takes a moment
	}
	detach := context.AfterFunc(ctx, func() { t.end(ctx.Err()) })
	w := c.newWatch(func(cause error) {
		detach()
		if cause == errTooSlow {
			t.end(context.DeadlineExceeded)
		} else {
			t.end(context.Canceled)
		}
	}, d, 0, nil)
	t.Context = transport.WithHold(ctx, w.user.begin)
	return t, w.stop
}

// timed is a context that ends as it is told. What it is derived from cancels it
// by context.AfterFunc.
type timed struct {
	context.Context
	done chan struct{}

	mu    sync.Mutex
	err   error
	after []*func() // what AfterFunc was given
}

func (t *timed) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	t.err = err
	close(t.done)
	for _, f := range t.after {
		go (*f)()
	}
	t.after = nil
}

// Done implements context.Context.
func (t *timed) Done() <-chan struct{} { return t.done }

// Err implements context.Context.
func (t *timed) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// AfterFunc is what context.AfterFunc and derived contexts use. Without it each of
// them would take a goroutine that waits for the end of t.
func (t *timed) AfterFunc(f func()) (stop func() bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		go f()
		return func() bool { return false }
	}
	t.after = append(t.after, &f)
	return func() bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		i := slices.Index(t.after, &f)
		if i >= 0 {
			t.after = slices.Delete(t.after, i, i+1)
		}
		return i >= 0
	}
}
