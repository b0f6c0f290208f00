package inmemory

import (
	"context"
	"errors"
	"io"

	"github.com/mcpera/mcpera/internal/lines"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A Serve serves one client: it reads messages from in and writes to out, one a
// line, and returns when in ends, or soon after ctx does. It may be called again
// when the client has to begin anew, after the call before has returned.
type Serve func(ctx context.Context, in io.Reader, out io.Writer) error

// A Transport runs a server in this process and talks to it. It implements
// transport.Transport, transport.Restarter and transport.LossReporter; see there
// for concurrency.
type Transport struct {
	runs *lines.Runs[*run]
}

// New returns a transport that calls serve, on a goroutine of its own, once it is
// opened.
func New(serve Serve, opts ...Option) (*Transport, error) {
	if serve == nil {
		return nil, errors.New("inmemory: no server")
	}
	o := defaults()
	for _, opt := range opts {
		if err := opt(o); err != nil {
			return nil, err
		}
	}
	return &Transport{lines.NewRuns("inmemory", func(r transport.Receiver) (*run, error) {
		return start(serve, o, r), nil
	})}, nil
}

// Kind returns negotiation.Stdio.
func (t *Transport) Kind() negotiation.Transport { return negotiation.Stdio }

// Target names no server: what the client finds out about this one is remembered
// for no other.
func (t *Transport) Target() transport.Target { return transport.Target{} }

// Open starts the server.
func (t *Transport) Open(ctx context.Context, r transport.Receiver) error { return t.runs.Open(ctx, r) }

// Restart ends the server, if it still runs, and starts it again.
func (t *Transport) Restart(ctx context.Context) error { return t.runs.Restart(ctx) }

// Lost returns a channel that is closed once the server that runs now has
// returned or can't be talked to any more; see transport.LossReporter.
func (t *Transport) Lost() <-chan struct{} { return t.runs.Lost() }

// Exchange writes the request and waits for its response. Several may wait at
// the same time.
func (t *Transport) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	return t.runs.Exchange(ctx, req)
}

// Send writes the message.
func (t *Transport) Send(ctx context.Context, req *transport.Request) error {
	return t.runs.Send(ctx, req)
}

// Close ends the server: it ends its input, and where that is not enough its
// context and its output, waiting in between (see WithShutdown). What the server
// returns does not matter. A server that goes on all the same is ErrStillRuns.
func (t *Transport) Close() error { return t.runs.Close() }
