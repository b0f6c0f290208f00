package client

import (
	"context"
	"errors"
	"time"
)

// errTooSlow is why a watch cancels its context.
var errTooSlow = errors.New("the call's time is over")

// A watch bounds one leg of a call: progress starts its time anew, a running
// handler of the program holds it, and a limit stands above both.
type watch struct {
	cancel context.CancelCauseFunc
	each   time.Duration
	timer  *time.Timer
	limit  *time.Timer
	busy   func() bool // a handler is at work
}

// watch returns a context that ends when the leg's time is over.
func (c *Client) watch(ctx context.Context, call *call) (*watch, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{cancel: cancel, each: call.timeout, busy: c.handling}
	w.timer = time.AfterFunc(w.each, w.expire)
	if call.token != 0 && call.limit > call.timeout {
		w.limit = time.AfterFunc(call.limit, func() { cancel(errTooSlow) })
	}
	return w, ctx
}

func (w *watch) expire() {
	if w.busy() {
		w.timer.Reset(w.each)
		return
	}
	w.cancel(errTooSlow)
}

// restart starts the time anew.
func (w *watch) restart() {
	if w.timer.Stop() {
		w.timer.Reset(w.each)
	}
}

func (w *watch) stop() {
	w.timer.Stop()
	if w.limit != nil {
		w.limit.Stop()
	}
	w.cancel(nil)
}
