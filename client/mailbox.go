package client

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// What may wait in a mailbox.
const (
	maxMail      = 1024
	maxMailBytes = 16 << 20
)

// A mailbox runs functions in order on a goroutine of its own, which lives only
// while there is something to run. So what the transport's reader puts in never
// holds the reader up, and a program's function may call the client. One that
// panics costs itself, as a handler does. The zero value is ready.
type mailbox struct {
	// panicked is told of a panic of one of the functions; it is a *HandlerError.
	panicked func(error)

	mu      sync.Mutex
	waiting []letter
	bytes   int // of what waits
	running bool
	closed  bool
	idle    sync.Cond
}

// A letter is what waits in a mailbox.
type letter struct {
	about string // the method of the notification that it comes from
	bytes int    // about what it holds on to
	read  func()
}

// put adds a letter. When too much waits, those before it make room: the newest
// says most.
func (m *mailbox) put(l letter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	for n := len(m.waiting); n > 0 && (n >= maxMail || m.bytes+l.bytes > maxMailBytes); n-- {
		m.bytes -= m.waiting[n-1].bytes
		m.waiting[n-1] = letter{}
		m.waiting = m.waiting[:n-1]
	}
	m.waiting = append(m.waiting, l)
	m.bytes += l.bytes
	if !m.running {
		m.running = true
		go m.run()
	}
}

// run reads letters until there are none. A function may end the goroutine
// instead of returning, as testing.T.FailNow does; another one goes on then.
func (m *mailbox) run() {
	empty := false
	defer func() {
		if !empty {
			go m.run()
		}
	}()
	for {
		l, ok := m.next()
		if empty = !ok; empty {
			return
		}
		m.read(l)
	}
}

// next takes the first letter, and false when there is none.
func (m *mailbox) next() (letter, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.waiting) == 0 {
		m.running = false
		m.idle.Broadcast()
		return letter{}, false
	}
	l := m.waiting[0]
	m.waiting[0] = letter{}
	m.waiting = m.waiting[1:]
	m.bytes -= l.bytes
	return l, true
}

func (m *mailbox) read(l letter) {
	defer func() {
		if p := recover(); p != nil && m.panicked != nil {
			m.panicked(&HandlerError{Method: l.about, Err: fmt.Errorf("the function panicked: %v", p), Stack: debug.Stack()})
		}
	}()
	l.read()
}

// close runs what waits, and returns when that is done.
func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.idle.L = &m.mu
	for m.running {
		m.idle.Wait()
	}
}
