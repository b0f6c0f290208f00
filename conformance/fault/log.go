package fault

import (
	"context"
	"slices"
	"sync"
)

// A log keeps what happened, and wakes those who wait for it.
type log struct {
	mu       sync.Mutex
	records  []Record
	done     []Record // whose answers are over
	released map[string]bool
	changed  chan struct{} // closed and replaced by every change
}

func newLog() *log {
	return &log{released: make(map[string]bool), changed: make(chan struct{})}
}

// change edits the log and wakes all who wait.
func (l *log) change(edit func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	edit()
	close(l.changed)
	l.changed = make(chan struct{})
}

// add appends a record and returns how many there are with its key now.
func (l *log) add(r Record) (n int) {
	l.change(func() {
		l.records = append(l.records, r)
		n = l.count(r.Key)
	})
	return n
}

// finish notes that the answer to r is over.
func (l *log) finish(r Record) {
	l.change(func() { l.done = append(l.done, r) })
}

// wait waits until the log fulfils done, which is called under its lock.
func (l *log) wait(ctx context.Context, done func(*log) bool) error {
	for {
		l.mu.Lock()
		ok, changed := done(l), l.changed
		l.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// The methods below are called under the lock.

func (l *log) count(key string) int {
	n := 0
	for _, r := range l.records {
		if r.Key == key {
			n++
		}
	}
	return n
}

// nth returns the n-th record with a key, counted from 1.
func (l *log) nth(key string, n int) (Record, bool) {
	for _, r := range l.records {
		if r.Key != key {
			continue
		}
		if n--; n == 0 {
			return r, true
		}
	}
	return Record{}, false
}

func (l *log) seen(process int, key string) bool     { return has(l.records, process, key) }
func (l *log) answered(process int, key string) bool { return has(l.done, process, key) }

func has(records []Record, process int, key string) bool {
	return slices.ContainsFunc(records, func(r Record) bool { return r.Process == process && r.Key == key })
}
