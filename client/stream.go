package client

import (
	"errors"
	"net/http"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// listen keeps the stream open on which a legacy server speaks outside of
// requests, where the transport has such a thing and the server offers it.
//
// Source: MCP 2025-11-25, transports, "Listening for Messages from the Server".
func (c *Client) listen() {
	l, ok := c.link.Transport.(transport.Listener)
	if !ok || c.Era() != negotiation.EraLegacy || !c.config.serverStream {
		return
	}
	c.spawn(func() {
		req := c.session.request(protocol.ID{}, outgoing{})
		err := l.Listen(c.life, req)
		renewed := c.session.request(protocol.ID{}, outgoing{}).Session != req.Session
		if c.life.Err() != nil || renewed || errors.Is(err, transport.ErrNoStream) {
			return
		}
		if c.forgotten(err) && c.session.renew(c.life, req.Session) == nil {
			return // the new session has a stream of its own
		}
		c.config.log.Warn("lost the server's stream: what it says outside of calls is not heard any more",
			"server", c.link.target.String(), "reason", err)
		c.subs.lost(err)
		if c.config.streamLost != nil {
			c.config.streamLost(err)
		}
	})
}

// streamRenewalTime is how often a stream may find its session forgotten: once
// in this time, so that a server that forgets again and again is not followed.
const streamRenewalTime = time.Minute

// forgotten reports whether the stream ended because the server has forgotten
// the session.
func (c *Client) forgotten(err error) bool {
	status, ok := errors.AsType[*transport.StatusError](err)
	if !ok || status.Status != http.StatusNotFound {
		return false
	}
	now := time.Now().UnixNano()
	last := c.streamRenewed.Swap(now)
	return last == 0 || now-last > int64(streamRenewalTime)
}

// WithStreamLost calls f, once, when the stream on which a legacy server speaks
// outside of calls was lost and could not be had again: changes and requests of
// the server are not heard any more, while calls go on.
func WithStreamLost(f func(error)) Option {
	return func(c *config) error {
		c.streamLost = f
		return nil
	}
}

// WithoutServerStream does not open the stream on which a legacy server speaks
// outside of calls: its changes and requests are then heard only while a call
// is under way. It saves a connection for programs that need neither.
func WithoutServerStream() Option {
	return func(c *config) error {
		c.serverStream = false
		return nil
	}
}
