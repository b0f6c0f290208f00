package client

import (
	"context"
	"fmt"

	"github.com/mcpera/mcpera/negotiation"
)

// WithSerializedCalls sends a legacy server over HTTP one request after the
// other, however many calls the program makes at once: for servers that fail when
// two requests of a session meet. A call waits for its turn until its context
// ends, and its timeout starts when it is sent. What handlers call while they
// serve the server need not wait for the call that they belong to. By default,
// and always in the modern era and over stdio, calls run side by side.
func WithSerializedCalls() Option {
	return func(c *config) error {
		c.serialized = true
		return nil
	}
}

// A turn is had by one request at a time.
type turn chan struct{}

// takeTurn waits for the turn, where calls take turns. done gives it back, and
// may be called more than once by one goroutine.
func (c *Client) takeTurn(ctx context.Context, method string) (done func(), err error) {
	if !c.config.serialized || !takesTurns(c.Era(), c.link.Kind()) || ctx.Value(servingKey{}) == c {
		return func() {}, nil
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %s waited for its turn: %w", c.link.target, method, ctx.Err())
	case <-c.life.Done():
		return nil, ErrClosed
	}
	held := true
	return func() {
		if held {
			held = false
			<-c.turn
		}
	}, nil
}

func takesTurns(era negotiation.Era, kind negotiation.Transport) bool {
	return era == negotiation.EraLegacy && kind == negotiation.HTTP
}

// servingKey marks the context of what serves a request of the server, by its
// client.
type servingKey struct{}
