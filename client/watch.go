package client

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/mcpera/mcpera/transport"
)

// errTooSlow is why a watch cancels its context.
var errTooSlow error = tooSlow{}

// tooSlow is a deadline that has passed, to a transport that asks for the cause.
type tooSlow struct{}

func (tooSlow) Error() string { return "the call's time is over" }

func (tooSlow) Is(target error) bool { return target == context.DeadlineExceeded }

// A watch bounds one leg of a call: progress starts its time anew, a running
// handler of the program holds it, and a limit stands above both.
type watch struct {
	cancel context.CancelCauseFunc
	each   time.Duration
	limit  time.Duration // since it began, no less than each; 0 for none
	began  time.Time

	alarm  *alarm
	mu     sync.Mutex
	last   time.Time // when the time began anew
	atWork *atWork   // handlers that the server waits for; nil for none
	user   atWork    // the transport asks the user
}

// watch returns a context that ends when the leg's time is over.
func (c *Client) watch(ctx context.Context, call *call) (*watch, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := c.newWatch(cancel, call.timeout, call.limit, &c.atWork)
	return w, transport.WithHold(ctx, w.user.begin)
}

// newWatch returns a watch that is running. A limit below each gives way to it: a
// program that waits longer than its limit still waits no longer than it said.
func (c *Client) newWatch(cancel context.CancelCauseFunc, each, limit time.Duration, handlers *atWork) *watch {
	w := &watch{cancel: cancel, each: each, atWork: handlers, alarm: &c.alarm, began: time.Now()}
	w.last = w.began
	if limit != 0 {
		w.limit = max(limit, each)
	}
	w.alarm.add(w, each)
	return w
}

// within returns d, or what is left of the limit if that is less.
func (w *watch) within(d time.Duration) time.Duration {
	if w.limit == 0 {
		return d
	}
	return min(d, w.limit-time.Since(w.began))
}

// look returns what is left of the leg's time. It ends the leg when nothing is: its
// time did not begin anew, the server waits for no handler, nor the transport for
// the user.
func (w *watch) look() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.within(w.each - min(time.Since(w.last), w.atWork.idle(), w.user.idle()))
	if rest <= 0 {
		w.cancel(errTooSlow)
	}
	return rest
}

// restart starts the time anew. The alarm learns of it when it rings, so that a
// flood costs little and puts off nothing.
func (w *watch) restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
}

func (w *watch) stop() {
	w.alarm.remove(w)
	w.cancel(nil)
}

// atWork tells how long no handler has been at work for the server. The zero
// value is ready.
type atWork struct {
	mu    sync.Mutex
	now   int       // how many are at work
	until time.Time // when the last one ended; zero for never
}

// begin notes that a handler begins. The caller must call end.
func (a *atWork) begin() (end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.now--
		a.until = time.Now()
	}
}

// idle returns how long none has been at work; of nil, that is for ever.
func (a *atWork) idle() time.Duration {
	if a == nil {
		return math.MaxInt64
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.now > 0:
		return 0
	case a.until.IsZero():
		return math.MaxInt64
	default:
		return time.Since(a.until)
	}
}
