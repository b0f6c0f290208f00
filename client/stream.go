package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// streamPatience is how long the first call waits for the server's stream. Some
// servers do not even send the head of the response before they have something
// to say.
const streamPatience = time.Second

// listen keeps the stream open on which a legacy server speaks outside of
// requests, where the transport has such a thing and the server offers it. It
// returns once the server has answered: many ask the user something on this
// stream while a call is under way, and what they send before it is open is lost.
//
// Source: MCP 2025-11-25, transports, "Listening for Messages from the Server".
func (c *Client) listen(ctx context.Context) {
	l, ok := c.link.Transport.(transport.Listener)
	if !ok || c.Era() != negotiation.EraLegacy || !c.config.serverStream {
		return
	}
	answered := make(chan struct{})
	ready := sync.OnceFunc(func() { close(answered) })
	started := c.spawn(func() {
		req := c.session.request(protocol.ID{}, outgoing{})
		err := l.Listen(c.life, req, ready)
		ready()
		renewed := c.session.request(protocol.ID{}, outgoing{}).Session != req.Session
		if c.life.Err() != nil || renewed || errors.Is(err, transport.ErrNoStream) {
			return
		}
		if c.forgotten(err) && c.renew(c.life, loss{session: req.Session}) == nil {
			return // the new session has a stream of its own
		}
		c.config.log.Warn("lost the server's stream: what it says outside of calls is not heard any more",
			"server", c.link.target.String(), "reason", err)
		c.subs.lost(err)
		if f := c.config.streamLost; f != nil {
			go func() { // Close waits for this goroutine, and f may call it
				defer c.notePanic(http.MethodGet)
				f(err)
			}()
		}
	})
	if !started {
		return
	}
	select {
	case <-answered:
	case <-time.After(streamPatience):
	case <-ctx.Done():
	}
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
// the server are not heard any more, while calls go on. f runs on a goroutine of
// its own, and may close the client.
func WithStreamLost(f func(error)) Option {
	return func(c *config) error {
		c.streamLost = f
		return nil
	}
}

// WithoutServerStream does not open the stream on which a legacy server speaks
// outside of calls: its changes and requests are then heard only while a call
// is under way. It saves a connection, and Connect a round trip, for programs
// that need neither.
func WithoutServerStream() Option {
	return func(c *config) error {
		c.serverStream = false
		return nil
	}
}
