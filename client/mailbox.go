package client

import "sync"

// maxMail bounds how much waits in a mailbox.
const maxMail = 1024

// A mailbox runs functions in order on a goroutine of its own, which lives only
// while there is something to run. So what the transport's reader puts in never
// holds the reader up, and a program's function may call the client. The zero
// value is ready.
type mailbox struct {
	mu      sync.Mutex
	waiting []func()
	running bool
	closed  bool
	idle    sync.Cond
}

func newMailbox() *mailbox { return new(mailbox) }

// put adds f. When too much waits, the one before it makes room: the newest
// says most.
func (m *mailbox) put(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	if len(m.waiting) >= maxMail {
		m.waiting = m.waiting[:len(m.waiting)-1]
	}
	m.waiting = append(m.waiting, f)
	if !m.running {
		m.running = true
		go m.run()
	}
}

func (m *mailbox) run() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.waiting) > 0 {
		f := m.waiting[0]
		m.waiting = m.waiting[1:]
		m.mu.Unlock()
		f()
		m.mu.Lock()
	}
	m.running = false
	m.idle.Broadcast()
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
