package client

import (
	"sync"
	"time"
)

// An alarm is one timer for all watches of a client. One for each would cost a call
// more than all else that it adds to its exchange, since the runtime wakes a thread
// for a timer that is due before the others. This one stays as it is when a watch
// ends, and serves the next. The zero value is ready.
type alarm struct {
	mu      sync.Mutex
	watches map[*watch]struct{}
	timer   *time.Timer
	due     time.Time // when the timer is; zero when it does not run
	stopped bool
}

// early is when the timer rings for what has begun, to see what is left of it. What
// takes long needs one more look, but what takes less, and begins while the timer
// runs, sets none that would be due before.
const early = time.Second

// add has w looked at in d, or before.
func (a *alarm) add(w *watch, d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.watches == nil {
		a.watches = make(map[*watch]struct{})
	}
	a.watches[w] = struct{}{}
	a.set(min(d, early))
}

// remove forgets w.
func (a *alarm) remove(w *watch) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.watches, w)
}

// set has the timer ring in d, or before.
func (a *alarm) set(d time.Duration) {
	due := time.Now().Add(d)
	switch {
	case a.stopped, !a.due.IsZero() && !due.Before(a.due):
		return
	case a.timer == nil:
		a.timer = time.AfterFunc(d, a.ring)
	default:
		a.timer.Reset(d)
	}
	a.due = due
}

// ring looks at all watches, and sets the timer for what is left of them.
func (a *alarm) ring() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.due = time.Time{}
	for w := range a.watches {
		if rest := w.look(); rest > 0 {
			a.set(rest)
		} else {
			delete(a.watches, w)
		}
	}
}

// stop ends the timer for good.
func (a *alarm) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped = true
	if a.timer != nil {
		a.timer.Stop()
	}
}
