package client

import (
	"context"
	"net/http"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

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

// renew opens a new session, without the id of the old one. However many calls
// notice the loss, there is one initialize, and it does not depend on the
// context of the call that came first.
func (s *legacySession) renew(ctx context.Context, forgotten string) error {
	done := make(chan error, 1)
	started := s.client.spawn(func() {
		_, err, _ := s.flight.Do(forgotten, func() (any, error) { return nil, s.reopen(forgotten) })
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

// reopen is the one initialize of a renewal.
func (s *legacySession) reopen(forgotten string) error {
	if s.state.Load().id != forgotten {
		return nil // it has been renewed since that request was sent
	}
	ctx, cancel := context.WithTimeout(s.client.life, s.client.config.connectTimeout)
	defer cancel()
	req, err := initializeRequest(s.client.config, s.link.nextID())
	if err != nil {
		return err
	}
	state, err := handshake(ctx, s.link, req, s.link.exchange(ctx, req))
	if err != nil {
		s.client.config.log.Warn("the server forgot the session, and a new one could not be opened",
			"server", s.link.target.String(), "reason", err)
		return err
	}
	s.state.Store(state)
	s.client.sessionRenewed()
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
