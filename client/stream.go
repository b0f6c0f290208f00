package client

import (
	"errors"

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
		c.config.log.Warn("lost the server's stream: what it says outside of calls is not heard any more",
			"server", c.link.target.String(), "reason", err)
		c.subs.lost(err)
		if c.config.streamLost != nil {
			c.config.streamLost(err)
		}
	})
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
