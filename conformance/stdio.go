package conformance

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/mcpera/mcpera/protocol"
)

// stdioGrace is how long requests may go on after the input has ended.
const stdioGrace = time.Second

// ServeStdio serves one client over r and w, a JSON-RPC message a line, until
// r ends: requests get one more second, subscriptions their final result, and
// the result is nil. It ends with ctx too, or with Close, and then closes r if
// r is an io.Closer, since nothing else stops a blocked read; its result is
// the cause. A line that is too long is an error. Stdio has no authentication.
//
// Source: MCP 2026-07-28 and 2025-11-25, stdio.
func (s *Server) ServeStdio(ctx context.Context, r io.Reader, w io.Writer) error {
	if !s.enter() {
		return errClosed
	}
	defer s.running.Done()
	ctx, cancel := s.bound(ctx)
	defer cancel(nil)
	if closer, ok := r.(io.Closer); ok {
		defer context.AfterFunc(ctx, func() { _ = closer.Close() })()
	}
	conn := newStdioConn(ctx, s, w)
	err := conn.readAll(r)
	if ctx.Err() == nil {
		conn.drain()
	}
	cause := context.Cause(ctx)
	cancel(nil)
	conn.requests.Wait()
	conn.out.close()
	if cause != nil {
		return cause
	}
	return errors.Join(err, conn.out.err)
}

// A stdioConn is one client over stdio. Requests run side by side; their
// responses come in the order in which they are ready.
type stdioConn struct {
	s        *Server
	ctx      context.Context
	out      *lineWriter
	session  *session // the legacy state, from the start
	requests sync.WaitGroup

	drained chan struct{} // closed when the input has ended

	mu     sync.Mutex
	locked bool // initialize came first, and the server holds to it
}

func newStdioConn(ctx context.Context, s *Server, w io.Writer) *stdioConn {
	conn := &stdioConn{s: s, ctx: ctx, out: newLineWriter(w), drained: make(chan struct{})}
	conn.session = newSession(ctx, "", Principal{}, conn.out.put)
	return conn
}

func (conn *stdioConn) readAll(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, int(conn.s.cfg.maxBody))
	for lines.Scan() {
		if line := lines.Bytes(); len(line) > 0 {
			conn.receive(line)
		}
	}
	return lines.Err()
}

// receive serves one line.
func (conn *stdioConn) receive(line []byte) {
	m, id, e := decodeMessage(line)
	if e != nil {
		conn.out.put(errorMessage(id, e))
		return
	}
	env, e := classify(conn.eras(), m, "")
	switch {
	case e != nil && m.IsRequest():
		conn.out.put(errorMessage(m.ID, e))
	case e != nil:
	case !m.IsRequest():
		conn.session.receive(m)
	case env.era == Modern:
		conn.modern(m, env)
	case conn.s.cfg.eras == Modern:
		conn.out.put(errorMessage(m.ID, conn.s.initializeRefusal(m)))
	default:
		conn.legacy(m, env)
	}
}

// eras is what is left to choose from.
func (conn *stdioConn) eras() Era {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	if conn.locked {
		return Legacy
	}
	return conn.s.cfg.eras
}

func (conn *stdioConn) modern(m *protocol.Message, env envelope) {
	if e := checkVersion(env.version, conn.s.cfg.versions); e != nil {
		conn.out.put(errorMessage(m.ID, e))
		return
	}
	c := conn.s.newCall(m, env, Principal{})
	c.link = lineLink{conn.out}
	if m.Method == methodListen {
		conn.listen(c)
		return
	}
	conn.run(c)
}

func (conn *stdioConn) legacy(m *protocol.Message, env envelope) {
	c := conn.s.newCall(m, env, Principal{})
	conn.session.inform(c)
	c.link = lineLink{conn.out}
	c.asker = peer{conn.session, conn.out.put, conn.ctx.Done()}
	if m.Method == protocol.MethodInitialize {
		// Answered before the next line is read, which may depend on it.
		response, err := conn.s.respond(conn.ctx, c)
		if err == nil {
			conn.s.hub.add(conn.session)
			context.AfterFunc(conn.ctx, func() { conn.s.hub.remove(conn.session) })
			conn.mu.Lock()
			conn.locked = conn.s.cfg.lockStdio
			conn.mu.Unlock()
		}
		conn.out.put(response)
		return
	}
	conn.run(c)
}

// run serves a request beside others. One that the client cancelled has no
// response.
func (conn *stdioConn) run(c *Call) {
	ctx, end := conn.session.begin(conn.ctx, c.id)
	ctx, stop := context.WithTimeoutCause(ctx, conn.s.cfg.lifetime, errLifetime)
	conn.requests.Go(func() {
		defer end()
		defer stop()
		response, _ := conn.s.respond(ctx, c)
		if !errors.Is(context.Cause(ctx), errCancelled) {
			conn.out.put(response)
		}
	})
}

// listen serves a subscription until the client cancels it or the connection
// ends.
func (conn *stdioConn) listen(c *Call) {
	sub, e := conn.s.subscribeTo(c)
	if e != nil {
		conn.out.put(errorMessage(c.id, e))
		return
	}
	ctx, end := conn.session.begin(conn.ctx, c.id)
	conn.requests.Go(func() {
		defer end()
		defer conn.s.hub.remove(sub)
		for over := false; !over; {
			select {
			case <-sub.ready:
				for _, m := range sub.take() {
					conn.out.put(m)
				}
			case <-conn.drained:
				over = true
			case <-sub.ended:
				over = true
			case <-ctx.Done():
				over = true
			}
		}
		if !errors.Is(context.Cause(ctx), errCancelled) {
			conn.out.put(conn.s.farewell(sub))
		}
	})
}

// drain ends subscriptions and waits a little for requests.
func (conn *stdioConn) drain() {
	close(conn.drained)
	done := make(chan struct{})
	conn.s.spawn(func() {
		conn.requests.Wait()
		close(done)
	})
	select {
	case <-done:
	case <-time.After(stdioGrace):
	case <-conn.ctx.Done():
	}
}

// lineLink sends a request's notifications between the other lines.
type lineLink struct {
	out *lineWriter
}

func (l lineLink) notify(method string, params any) { l.out.put(notification(method, params)) }
func (l lineLink) hangUp()                          {}
