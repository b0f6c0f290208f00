package client

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A link is the transport as the client uses it: it numbers requests, counts
// round trips and reports both directions to the trace.
type link struct {
	transport.Transport
	target transport.Target
	trace  func(Event) // may be nil

	lastID atomic.Int64
	trips  atomic.Int64
}

// next returns an id that this connection has not used, and its number. Small
// counters also survive servers that hold numbers in floating point.
func (l *link) next() (protocol.ID, int64) {
	n := l.lastID.Add(1)
	return protocol.NumberID(n), n
}

// nextID returns an id that this connection has not used.
func (l *link) nextID() protocol.ID {
	id, _ := l.next()
	return id
}

// exchange sends one request and returns what came of it.
func (l *link) exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	l.trips.Add(1)
	l.sent(req)
	o := l.Exchange(ctx, req)
	if l.trace != nil {
		l.trace(Event{
			Kind: Received, Method: req.Method, ID: req.ID.String(),
			Status: o.Status, ContentType: o.ContentType, Answer: answered(o),
		})
	}
	return o
}

// send sends one message that has no response.
func (l *link) send(ctx context.Context, req *transport.Request) error {
	l.sent(req)
	return l.Send(ctx, req)
}

func (l *link) sent(req *transport.Request) {
	if l.trace != nil {
		l.trace(Event{Kind: Sent, Method: req.Method, ID: req.ID.String(), Bytes: len(req.Body)})
	}
}

// cached reports an answer that was kept; stale is how long after its time it
// is still taken.
func (l *link) cached(method string, stale time.Duration) {
	if l.trace == nil {
		return
	}
	e := Event{Kind: Cached, Method: method, Answer: "fresh"}
	if stale > 0 {
		e.Answer = "stale"
	}
	l.trace(e)
}

// fail returns the error that o means for req, nil when it holds a result.
func (l *link) fail(req *transport.Request, o negotiation.Outcome) error {
	return transport.ErrorOf(l.target, req, o)
}
