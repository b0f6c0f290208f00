package client

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A Client is a connection to one server. Its methods may be called
// concurrently. Close ends it; the context given to Connect does not.
type Client struct {
	config  *config
	link    *link
	lane    *lane // nil where nothing can be restarted
	session session
	report  Negotiation

	active   active       // calls under way
	alarm    alarm        // when they have taken too long
	serving  serving      // requests of the server that are being served
	ponging  atomic.Int64 // pings of the server that are being answered
	refusing atomic.Int64 // requests of the server that are being refused, being too many
	notes    notes        // of what the server does wrong
	atWork   atWork       // handlers that a legacy server waits for
	mail     *mailbox     // notifications for the program
	turn     turn         // of the request that is under way, see takeTurn
	tools    toolbook
	subs     subscriptions
	// streamRenewed is when a stream last found its session forgotten, in Unix
	// nanoseconds.
	streamRenewed atomic.Int64
	renewals      singleflight.Group
	logLevel      atomic.Value // the protocol.LogLevel of a legacy session, once set

	life   context.Context // ends with Close
	end    context.CancelFunc
	mu     sync.Mutex // guards running against Close
	closed bool
	// running counts the goroutines that the client has started.
	running  sync.WaitGroup
	closeErr error
	gone     chan struct{} // closed when Close is done
}

// Connect opens t, finds out which era its server speaks, and returns a client
// for it. The context bounds Connect only, and WithConnectTimeout bounds it
// too. t is the Client's from then on: Close ends it, and so does a failed Connect,
// which leaves nothing behind. Its error is a *ConnectError, unless the value of an
// option makes no sense.
//
// Source: MCP 2026-07-28, basic/versioning, "Backward Compatibility".
func Connect(ctx context.Context, t transport.Transport, opts ...Option) (*Client, error) {
	config, err := newConfig(opts)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	target := t.Target()
	if !target.Named() {
		config.eras = erecache.New(time.Now)
	}
	c := &Client{
		config: config,
		link:   &link{Transport: t, target: target, trace: config.trace},
		lane:   newLane(t, config.restarts),
		mail:   new(mailbox),
		turn:   make(turn, 1),
		gone:   make(chan struct{}),
		notes:  newNotes(config.log),
	}
	c.mail.panicked = c.panicked
	c.life, c.end = context.WithCancel(context.Background())
	if err := c.connect(ctx, target); err != nil {
		_ = c.Close() // its error would hide why
		return nil, connectError(t, err)
	}
	return c, nil
}

func (c *Client) connect(ctx context.Context, target transport.Target) error {
	ctx, cancel := c.withTime(ctx, c.config.connectTimeout)
	defer cancel()
	if err := c.link.Open(ctx, inbox{c}); err != nil {
		return err
	}
	n := &negotiator{client: c, key: eraKey(target)}
	s, err := n.open(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.session = s
	c.mu.Unlock()
	c.report = n.report
	c.report.RoundTrips = int(c.link.trips.Load())
	c.listen(ctx)
	c.mind(1)
	return nil
}

// connectError gives err the form in which Connect returns it.
func connectError(t transport.Transport, err error) error {
	e := &ConnectError{Err: err}
	if shared, ok := errors.AsType[*ConnectError](err); ok {
		*e = *shared // others may hold it too
	}
	e.Target = t.Target().String()
	if errors.Is(e.Err, context.DeadlineExceeded) && !errors.As(e.Err, new(*transport.TimeoutError)) && !errors.Is(e.Err, transport.ErrUnavailable) {
		// It was over between two requests: in the wait for another's probe, or for a
		// process to start.
		e.Err = &transport.TimeoutError{Origin: e.Target, Method: protocol.MethodDiscover, Err: e.Err}
	}
	if p, ok := t.(interface{ Stderr() string }); ok && !errors.Is(err, transport.ErrClosed) {
		e.Stderr = p.Stderr() // a lost process has said it already
	}
	return e
}

// eraKey is where the target's era is remembered.
func eraKey(target transport.Target) erecache.Key {
	if target.URL != nil {
		return erecache.KeyOf(target.URL)
	}
	return erecache.CommandKey(target.Command...)
}

// Era returns the era of the connection. It never changes.
func (c *Client) Era() negotiation.Era { return c.session.server().era }

// ProtocolVersion returns the protocol version that client and server use.
func (c *Client) ProtocolVersion() string { return c.session.server().version }

// ServerInfo returns what the server calls itself. Decide nothing by it: it is
// for display and logs.
func (c *Client) ServerInfo() protocol.Implementation { return c.session.server().info }

// Capabilities returns what the server offers.
func (c *Client) Capabilities() protocol.ServerCapabilities {
	return c.session.server().capabilities
}

// Instructions returns the server's advice on how to use it, meant for a
// model; "" when there is none. It is as trustworthy as the server.
func (c *Client) Instructions() string { return c.session.server().instructions }

// Negotiation tells how the connection came about.
func (c *Client) Negotiation() Negotiation { return c.report }

// spawn runs f on a goroutine that Close waits for, and reports whether it did:
// a closed client starts nothing.
func (c *Client) spawn(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.running.Go(f)
	return true
}

// Close ends the connection and all that belongs to it: calls under way fail, a
// legacy session is ended, a server process is stopped. It waits for that and
// for handlers at work, so that none of them may call it. It may be called more
// than once; later calls return what the first did.
func (c *Client) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		<-c.gone
		return c.closeErr
	}
	c.closed = true
	s := c.session
	c.mu.Unlock()
	defer close(c.gone)
	if s != nil {
		s.end(c.life)
	}
	c.end()
	c.closeErr = c.link.Close()
	c.alarm.stop()
	c.mail.close()
	c.running.Wait()
	return c.closeErr
}
