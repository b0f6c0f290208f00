package fleet

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpera/mcpera/client"
)

// ErrClosed is returned by a closed Fleet.
var ErrClosed = errors.New("fleet: closed")

// A Status says what a server is doing.
type Status string

// The statuses of a server.
const (
	Idle       Status = "idle"       // not connected, and no attempt has failed since
	Connecting Status = "connecting" // an attempt is under way
	Connected  Status = "connected"
	Failed     Status = "failed" // the last attempt failed; the next call tries again
	Disabled   Status = "disabled"
)

// A State is a server as it is now.
type State struct {
	Server string
	Status Status
	Err    error     // of the last attempt; nil unless Failed
	Since  time.Time // when the status began
}

// A member is one server of a fleet: connected when it is needed, by one
// attempt for all who need it.
type member struct {
	server  Server
	connect func(context.Context) (*client.Client, error)
	idle    time.Duration // 0: never closed

	mu      sync.Mutex
	state   State
	client  *client.Client
	attempt chan struct{} // closed when the attempt under way is over
	uses    int           // calls under way
	timer   *time.Timer   // closes an idle client
	closed  bool
	closing sync.WaitGroup // clients that are being closed beside close
}

// use returns the member's client, connected, and what to call when the use is
// over. Others' attempt is waited for; the end of ctx ends only the waiting,
// unless the attempt is this call's own.
func (m *member) use(ctx context.Context) (*client.Client, func(), error) {
	for {
		m.mu.Lock()
		switch {
		case m.closed:
			m.mu.Unlock()
			return nil, nil, ErrClosed
		case m.server.Disabled:
			m.mu.Unlock()
			return nil, nil, errors.New("the server is disabled")
		case m.client != nil:
			m.uses++
			if m.timer != nil {
				m.timer.Stop()
			}
			c := m.client
			m.mu.Unlock()
			return c, sync.OnceFunc(m.release), nil
		case m.attempt != nil:
			attempt := m.attempt
			m.mu.Unlock()
			select {
			case <-attempt:
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
			if err := m.failure(); err != nil {
				return nil, nil, err
			}
		default:
			m.attempt = make(chan struct{})
			m.set(Connecting, nil)
			m.mu.Unlock()
			if err := m.open(ctx); err != nil {
				return nil, nil, err
			}
		}
	}
}

// open connects, as the one attempt.
func (m *member) open(ctx context.Context) error {
	c, err := m.connect(ctx)
	m.mu.Lock()
	close(m.attempt)
	m.attempt = nil
	late := err == nil && m.closed
	switch {
	case late:
		err = ErrClosed
	case err == nil:
		m.client = c
		m.set(Connected, nil)
	case ctx.Err() != nil:
		m.set(Idle, nil) // the caller gave up; that says nothing about the server
	default:
		m.set(Failed, err)
	}
	m.mu.Unlock()
	if late { // the fleet was closed meanwhile, and did not see it
		_ = c.Close()
	}
	return err
}

// release ends a use. A client that nobody uses is closed after a while.
func (m *member) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uses--
	if m.uses == 0 && m.idle > 0 && m.client != nil {
		m.timer = time.AfterFunc(m.idle, m.rest)
	}
}

// rest closes a client that is still idle.
func (m *member) rest() {
	m.mu.Lock()
	c := m.client
	if m.uses > 0 || c == nil || m.closed {
		m.mu.Unlock()
		return
	}
	m.client = nil
	m.set(Idle, nil)
	m.closing.Add(1)
	m.mu.Unlock()
	defer m.closing.Done()
	_ = c.Close() // what it met no longer matters
}

// drop forgets a client whose connection is over, so that the next use makes
// another.
func (m *member) drop(c *client.Client) {
	m.mu.Lock()
	mine := m.client == c && !m.closed
	if mine {
		m.client = nil
		m.set(Idle, nil)
		m.closing.Add(1)
	}
	m.mu.Unlock()
	if mine {
		defer m.closing.Done()
		_ = c.Close()
	}
}

func (m *member) close() error {
	m.mu.Lock()
	m.closed = true
	c := m.client
	m.client = nil
	if m.timer != nil {
		m.timer.Stop()
	}
	m.set(Idle, nil)
	m.mu.Unlock()
	defer m.closing.Wait()
	if c == nil {
		return nil
	}
	return c.Close()
}

// set changes the status; the caller holds mu.
func (m *member) set(status Status, err error) {
	m.state = State{Server: m.server.Name, Status: status, Err: err, Since: time.Now()}
}

func (m *member) failure() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Err
}

func (m *member) now() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}
