package erecache

import "sync"

// A flight is a probe under way. The call that joined it first leads: it
// probes, sets the outcome and lands the flight. The others wait for landed.
type flight struct {
	landed chan struct{}

	// The outcome, to be read after landed is closed. Only a shared one is for
	// those who waited.
	shared bool
	entry  Entry
	err    error
}

// flights holds the flights under way, one for each key. The zero value is
// ready.
type flights struct {
	mu    sync.Mutex
	byKey map[Key]*flight
}

// join returns the flight for key, and true to the call that leads it.
func (fs *flights) join(key Key) (f *flight, leads bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f, ok := fs.byKey[key]; ok {
		return f, false
	}
	if fs.byKey == nil {
		fs.byKey = map[Key]*flight{}
	}
	f = &flight{landed: make(chan struct{})}
	fs.byKey[key] = f
	return f, true
}

// land ends a flight: the next call to join leads a new one.
func (fs *flights) land(key Key, f *flight) {
	fs.mu.Lock()
	delete(fs.byKey, key)
	fs.mu.Unlock()
	close(f.landed)
}
