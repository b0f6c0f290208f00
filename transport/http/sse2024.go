package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/mcpera/mcpera/internal/origin"
	"github.com/mcpera/mcpera/internal/pending"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A sharedStream is the connection of the HTTP+SSE transport of 2024-11-05: one
// event stream for all that the server says, and a URL to post to.
//
// Source: MCP 2024-11-05, basic/transports, "HTTP with SSE".
type sharedStream struct {
	messages *url.URL // where messages are posted
	pending  *pending.Requests
}

// ErrNoEndpoint means that a server's stream did not begin with an endpoint
// event that can be used: it does not speak HTTP+SSE.
var ErrNoEndpoint = errors.New("the stream does not begin with a usable endpoint event")

// Share asks the endpoint for the event stream of HTTP+SSE; see
// transport.Sharer. The stream lives until Close.
func (t *Transport) Share(ctx context.Context) error {
	f, ok := t.begin(context.Background())
	if !ok {
		return transport.ErrClosed
	}
	stop := context.AfterFunc(ctx, f.cancel)
	resp, err := t.get(f, &transport.Request{Era: negotiation.EraLegacy}, "")
	if err != nil {
		f.end()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return redact(err)
	}
	if !streams(resp) {
		_ = resp.Body.Close()
		f.end()
		return fmt.Errorf("GET got HTTP %d: %w", resp.StatusCode, transport.ErrNoStream)
	}
	s := &sharedStream{pending: pending.New()}
	ready := make(chan error, 1)
	go func() {
		defer f.end()
		defer resp.Body.Close()
		err := t.readShared(s, resp.Body, ready)
		s.pending.Fail(fmt.Errorf("%w: the event stream ended: %w", transport.ErrClosed, err))
		ready <- err
	}()
	err = <-ready
	if !stop() {
		return ctx.Err()
	}
	if err != nil {
		f.cancel()
		return err
	}
	t.shared.Store(s)
	return nil
}

// readShared reads the stream: the endpoint first, then messages.
func (t *Transport) readShared(s *sharedStream, body io.Reader, ready chan<- error) error {
	stream, _ := events(body, t.options.maxMessage, new(place))
	for event, err := range stream {
		switch {
		case err != nil:
			return err
		case s.messages == nil && event.Type == "endpoint":
			if s.messages, err = t.messagesURL(event.Data); err != nil {
				return err
			}
			ready <- nil
		case s.messages == nil:
			return ErrNoEndpoint
		case event.Data == "" || event.Type != "" && event.Type != "message":
		default:
			m, err := protocol.Decode([]byte(event.Data))
			if err != nil {
				continue // it belongs to no request that could be failed
			}
			if !m.IsResponse() {
				t.receiver.Receive(m, nil)
			} else {
				s.pending.Deliver(m)
			}
		}
	}
	if s.messages == nil {
		return ErrNoEndpoint
	}
	return transport.ErrStreamEnded
}

// messagesURL resolves an endpoint event. Another origin is refused: messages
// carry the program's headers.
func (t *Transport) messagesURL(reference string) (*url.URL, error) {
	u, err := t.endpoint.Parse(reference)
	if err != nil || u.User != nil {
		return nil, ErrNoEndpoint
	}
	if origin.Of(u) != origin.Of(t.endpoint) {
		return nil, fmt.Errorf("%w: it points to %s", ErrNoEndpoint, origin.Of(u))
	}
	return u, nil
}

// exchangeShared posts a request, whose response comes on the shared stream. An
// error status is the answer itself.
func (t *Transport) exchangeShared(ctx context.Context, s *sharedStream, req *transport.Request) negotiation.Outcome {
	var refused *negotiation.Outcome
	o := s.pending.Await(ctx, req, func() error {
		f, ok := t.begin(ctx)
		if !ok {
			return transport.ErrClosed
		}
		resp, o := t.post(f, req)
		if o.Failure != negotiation.NoFailure {
			f.end()
			refused = &o
			return o.Err
		}
		if resp.StatusCode/100 != 2 {
			t.readJSON(f, resp, req, &o)
			refused = &o
		}
		f.finish(resp.Body, refused == nil && resp.Body != http.NoBody)
		if refused != nil {
			return errRefused
		}
		return nil
	})
	if refused != nil {
		return *refused
	}
	return o
}

// errRefused ends the wait for the response to a message that was not taken.
var errRefused = errors.New("the server did not take the message")
