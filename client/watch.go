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

	mu     sync.Mutex
	over   bool
	timer  *time.Timer // for whichever may come first
	last   time.Time   // when the time began anew
	atWork *atWork     // handlers that the server waits for; nil for none
	user   atWork      // the transport asks the user
}

// watch returns a context that ends when the leg's time is over.
func (c *Client) watch(ctx context.Context, call *call) (*watch, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := newWatch(cancel, call.timeout, call.limit, &c.atWork)
	return w, transport.WithHold(ctx, w.user.begin)
}

// newWatch returns a watch that is running. A limit below each gives way to it: a
// program that waits longer than its limit still waits no longer than it said.
func newWatch(cancel context.CancelCauseFunc, each, limit time.Duration, handlers *atWork) *watch {
	w := &watch{cancel: cancel, each: each, atWork: handlers, began: time.Now()}
	w.last = w.began
	if limit != 0 {
		w.limit = max(limit, each)
	}
	w.mu.Lock() // the timer may be quick
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(w.each, w.expire)
	return w
}

// within returns d, or what is left of the limit if that is less.
func (w *watch) within(d time.Duration) time.Duration {
	if w.limit == 0 {
		return d
	}
	return min(d, w.limit-time.Since(w.began))
}

// expire ends the leg, unless its time began anew meanwhile, or the server was
// waiting for a handler, or the transport for the user.
func (w *watch) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if rest := w.within(w.each - min(time.Since(w.last), w.atWork.idle(), w.user.idle())); rest > 0 && !w.over {
		w.timer.Reset(rest)
		return
	}
	w.cancel(errTooSlow)
}

// restart starts the time anew. The timer learns of it when it is due, so that a
// flood costs little and puts off nothing.
func (w *watch) restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.timer.Stop()
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
