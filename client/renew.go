package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A loss is what a request found gone, so that certainly nothing was done about
// it: a session that an HTTP server has forgotten, or a server's process.
type loss struct {
	session string // the id of a session; a secret
	process int64  // which process it was; 0 for a session
}

// deliver sends a request that write writes. Where the server has certainly done
// nothing about it because of a loss, that is made good and the request is sent
// again: once for a session, and for processes as often as they are started.
func (c *Client) deliver(ctx context.Context, write func() *transport.Request) (*transport.Request, negotiation.Outcome) {
	for renewed := false; ; renewed = true {
		req := write()
		o, process := c.exchange(ctx, req)
		l, ok := c.lost(req, o, process)
		if !ok || renewed && l.process == 0 {
			return req, o
		}
		err := c.renew(ctx, l)
		switch {
		case err == nil: // the server does not know the request, so that its id is still unused
		case l.process == 0:
			return req, o
		case ctx.Err() != nil:
			return req, unsent(ctx, req, err)
		default:
			o.Err = fmt.Errorf("%w; %w", o.Err, err)
			return req, o
		}
	}
}

// lost reports whether the outcome of a request that met process is a loss.
func (c *Client) lost(req *transport.Request, o negotiation.Outcome, process int64) (loss, bool) {
	switch {
	case c.session.lost(req, o):
		return loss{session: req.Session}, true
	case process > 0 && o.Failure == negotiation.Closed && o.Attempts == 0 && errors.Is(o.Err, transport.ErrClosed):
		return loss{process: process}, c.life.Err() == nil
	default:
		return loss{}, false
	}
}

// lost reports whether the server has forgotten the session: a 404 to a request
// that named one, or a 400 whose body is no response to the request, as some
// servers answer a stale id. Nothing else is.
//
// Source: MCP 2025-11-25, transports, "Session Management".
func (s *legacySession) lost(req *transport.Request, o negotiation.Outcome) bool {
	if req.Session == "" || o.Failure != negotiation.NoFailure {
		return false
	}
	answered := o.Message != nil && req.ID.Matches(o.Message.ID)
	return o.Status == http.StatusNotFound || o.Status == http.StatusBadRequest && !answered
}

// renew makes a loss good. However many calls notice it, that is done once, and
// does not depend on the context of the call that came first.
func (c *Client) renew(ctx context.Context, l loss) error {
	done := make(chan error, 1)
	started := c.spawn(func() {
		_, err, _ := c.renewals.Do(fmt.Sprint(l), func() (any, error) {
			if l.process > 0 {
				return nil, c.restart(l.process)
			}
			return nil, c.reopen(l.session)
		})
		done <- err
	})
	if !started {
		return ErrClosed
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reopen opens a new session in place of the one that the server has forgotten,
// unless that has been done.
func (c *Client) reopen(forgotten string) error {
	if c.session.request(protocol.ID{}, outgoing{}).Session != forgotten {
		return nil // it has been renewed since that request was sent
	}
	ctx, cancel := context.WithTimeout(c.life, c.config.connectTimeout)
	defer cancel()
	if err := c.openAgain(ctx); err != nil {
		c.config.log.Warn("the server forgot the session, and a new one could not be opened",
			"server", c.link.target.String(), "reason", err)
		return err
	}
	c.sessionRenewed()
	return nil
}

// openAgain opens the session anew. Where the server refuses as none of the era
// would, the remembered verdict is forgotten, so that the next Connect asks; this
// connection keeps its era.
func (c *Client) openAgain(ctx context.Context) error {
	err := c.session.reopen(ctx)
	if refutes(err) {
		c.forgetEra(ctx)
	}
	return err
}

// reopen sends initialize, without the id of the old session.
func (s *legacySession) reopen(ctx context.Context) error {
	req, err := initializeRequest(s.config, s.link.nextID())
	if err != nil {
		return err
	}
	state, err := handshake(ctx, s.link, req, s.link.exchange(ctx, req))
	if err != nil {
		return err
	}
	s.state.Store(state)
	return nil
}

// sessionRenewed sets up anew what belongs to a session: the server's stream,
// the log level, the subscriptions.
func (c *Client) sessionRenewed() {
	c.listen(c.life)
	c.spawn(func() {
		if level, _ := c.logLevel.Load().(protocol.LogLevel); level != "" {
			_ = c.SetLogLevel(c.life, level)
		}
		if c.subs.lock(c.life) != nil {
			return
		}
		defer c.subs.unlock()
		for _, uri := range c.subs.resources() {
			_ = c.resourceSubscription(c.life, protocol.MethodSubscribe, uri)
		}
		c.subs.renewed() // only now is nothing missed any more
	})
}
