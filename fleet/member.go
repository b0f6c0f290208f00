package fleet

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpera/mcpera/client"
)

// ErrDisabled: the configuration disables the server.
var ErrDisabled = errors.New("the server is disabled")

// A member is one server of a fleet: connected when it is needed, by one attempt
// for all who need it.
type member struct {
	server Server
	config *config
	life   context.Context // the fleet's

	mu      sync.Mutex
	state   State
	conn    *connection    // nil when there is none
	attempt *attempt       // nil when none is under way
	running sync.WaitGroup // attempts, and connections on their way out
}

// A connection is a client and how many use it. Its fields are guarded by the
// mutex of its member.
type connection struct {
	*client.Client
	mends  bool // the client itself goes on after a lost connection
	uses   int
	rested time.Time   // when the last use ended
	timer  *time.Timer // closes the connection when it has rested for long
}

// An attempt is one try to connect. It ends when nobody waits for it any more.
type attempt struct {
	waiting int // guarded by the mutex of the member
	cancel  context.CancelFunc
	done    chan struct{}
	err     error // to be read when done is closed
}

func newMember(life context.Context, config *config, server Server) *member {
	m := &member{server: server, config: config, life: life}
	if m.server.Err == nil {
		m.server.Err = server.check()
	}
	switch {
	case server.Disabled:
		m.set(Disabled, nil)
	case m.server.Err != nil:
		m.set(Failed, m.server.Err)
	default:
		m.set(Idle, nil)
	}
	return m
}

// use returns the member's connection, made if need be, and what to call when
// the use is over. Whose ctx ends waits no more, and disturbs no others.
func (m *member) use(ctx context.Context) (*connection, func(), error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		m.mu.Lock()
		if err := m.unusable(); err != nil {
			m.mu.Unlock()
			return nil, nil, err
		}
		if c := m.conn; c != nil {
			c.uses++
			m.mu.Unlock()
			return c, sync.OnceFunc(func() { m.release(c) }), nil
		}
		a, joined := m.join(ctx)
		m.mu.Unlock()
		if err := m.await(ctx, a, joined); err != nil {
			return nil, nil, err
		}
	}
}

// unusable returns why the member never connects, if so.
func (m *member) unusable() error {
	switch {
	case m.life.Err() != nil:
		return ErrClosed
	case m.server.Disabled:
		return ErrDisabled
	default:
		return m.server.Err
	}
}

// join returns the attempt that is under way, or begins one, which has the
// values of ctx. One that all have left can't be joined, as it is being ended;
// it is returned to be waited for. The caller holds mu.
func (m *member) join(ctx context.Context) (a *attempt, joined bool) {
	if a := m.attempt; a != nil {
		joined = a.waiting > 0
		if joined {
			a.waiting++
		}
		return a, joined
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	m.attempt = &attempt{waiting: 1, cancel: cancel, done: make(chan struct{})}
	m.set(Connecting, nil)
	m.running.Go(func() {
		defer cancel()
		defer context.AfterFunc(m.life, cancel)()
		m.open(ctx)
	})
	return m.attempt, true
}

// await waits for the end of an attempt and returns its error, if joined.
func (m *member) await(ctx context.Context, a *attempt, joined bool) error {
	select {
	case <-a.done:
		if joined {
			return a.err
		}
		return nil
	case <-ctx.Done():
	}
	if joined {
		m.mu.Lock()
		defer m.mu.Unlock()
		if a.waiting--; a.waiting == 0 {
			a.cancel()
		}
	}
	return ctx.Err()
}

// open connects, as the one attempt.
func (m *member) open(ctx context.Context) {
	c, err := m.config.connect(ctx, m.server)
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.attempt
	m.attempt = nil
	defer close(a.done)
	switch {
	case m.life.Err() != nil:
		a.err = ErrClosed
		m.set(Idle, nil)
		if err == nil {
			m.running.Go(func() { _ = c.Close() })
		}
	case err == nil:
		m.conn = c
		m.set(Connected, nil)
		m.rest(c)
	case a.waiting == 0: // it was ended, which says nothing about the server
		m.set(Idle, nil)
	default:
		a.err = err
		m.set(Failed, err)
	}
}

func (m *member) release(c *connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c.uses--
	m.rest(c)
}

// rest closes a connection that nobody uses after a while. The caller holds mu.
func (m *member) rest(c *connection) {
	if c.uses > 0 || m.conn != c || m.config.idle == 0 {
		return
	}
	c.rested = time.Now()
	if c.timer == nil {
		c.timer = time.AfterFunc(m.config.idle, func() { m.expire(c) })
		return
	}
	c.timer.Reset(m.config.idle)
}

// expire closes a connection that has rested for long.
func (m *member) expire(c *connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.conn == c && c.uses == 0 && time.Since(c.rested) >= m.config.idle {
		m.forget(Idle, nil)
	}
}

// lost forgets a connection that is over, unless its client goes on by itself.
func (m *member) lost(c *connection, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.conn == c && !c.mends {
		m.forget(Failed, err)
	}
}

func (m *member) disconnect() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.conn != nil {
		m.forget(Idle, nil)
	}
}

// forget closes the connection, beside the caller, who may be one that the
// client's Close waits for and holds mu.
func (m *member) forget(status Status, err error) {
	c := m.conn
	m.conn = nil
	if c.timer != nil {
		c.timer.Stop()
	}
	m.set(status, err)
	m.running.Go(func() { _ = c.Close() }) // nobody is left who could use its error
}

// close closes the connection and waits until nothing of the member is left. The
// fleet's life has ended, so that nothing new begins.
func (m *member) close() error {
	m.mu.Lock()
	c := m.conn
	m.conn = nil
	if c != nil {
		m.set(Idle, nil)
		if c.timer != nil {
			c.timer.Stop()
		}
	}
	m.mu.Unlock()
	defer m.running.Wait()
	if c == nil {
		return nil
	}
	return c.Close()
}

// set changes the status; the caller holds mu.
func (m *member) set(status Status, err error) {
	m.state = State{Server: m.server.Name, Status: status, Err: err, Since: time.Now()}
}

func (m *member) now() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}
