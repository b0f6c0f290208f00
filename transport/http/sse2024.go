package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

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
	from     *url.URL // where the stream came from
	messages *url.URL // where messages are posted
	pending  *pending.Requests

	life context.Context // ends with the stream
	end  context.CancelFunc
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
	defer f.unwind()
	stop := context.AfterFunc(ctx, f.cancel)
	defer stop()
	resp, err := t.get(f, &transport.Request{Era: negotiation.EraLegacy}, "")
	if err != nil {
		f.end()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case t.life.Err() != nil:
			return transport.ErrClosed
		default:
			return redact(err)
		}
	}
	if !streams(resp) {
		_ = resp.Body.Close()
		f.end()
		return fmt.Errorf("GET got HTTP %d: %w", resp.StatusCode, transport.ErrNoStream)
	}
	s := &sharedStream{from: resp.Request.URL, pending: pending.New()}
	s.life, s.end = context.WithCancel(context.Background())
	ready := make(chan error, 1)
	f.left.Store(true) // to the stream
	go func() {
		defer f.end()
		defer resp.Body.Close()
		err := t.readShared(s, resp.Body, ready)
		if t.life.Err() != nil {
			err = transport.ErrClosed
			s.pending.Fail(err)
		} else {
			s.pending.Fail(fmt.Errorf("%w: the event stream of HTTP+SSE ended: %w", transport.ErrClosed, err))
		}
		s.end()
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
			if s.messages, err = messagesURL(s.from, event.Data, t.options.messages); err != nil {
				return err
			}
			ready <- nil
		case s.messages == nil:
			return ErrNoEndpoint
		case event.Data == "" || event.Type != "" && event.Type != "message":
		default:
			// What is of no use is not told to anybody.
			_ = s.pending.Receive([]byte(event.Data), func(m *protocol.Message) { t.receiver.Receive(m, nil) })
		}
	}
	if s.messages == nil {
		return ErrNoEndpoint
	}
	return transport.ErrStreamEnded
}

// messagesURL resolves an endpoint event against the URL of its stream. Another
// origin is refused: messages carry the program's headers. override, unless nil,
// stands in for it; it gets the event's query where it has none, since that says
// which session this is.
//
// Source: RFC 3986, 5.
func messagesURL(stream *url.URL, reference string, override *url.URL) (*url.URL, error) {
	reference = strings.TrimSpace(reference)
	u, err := stream.Parse(reference)
	if err != nil || reference == "" {
		return nil, ErrNoEndpoint
	}
	if override != nil {
		query := u.RawQuery
		u = stream.ResolveReference(override)
		if u.RawQuery == "" {
			u.RawQuery = query
		}
	}
	if at := origin.Of(u); at != origin.Of(stream) || u.User != nil {
		return nil, fmt.Errorf("%w: messages would go to %s", ErrNoEndpoint, protocol.Quote(at))
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// WithMessageURL sets where messages to a server of the HTTP+SSE transport of
// 2024-11-05 are posted, in place of what the server says: for one behind a
// proxy that changes paths. It is resolved against the URL of the event stream,
// whose origin it must have; without a query of its own it gets the one that the
// server says, which names the session. By default the server's word counts.
func WithMessageURL(reference string) Option {
	return func(o *options) error {
		u, err := url.Parse(reference)
		if err != nil || reference == "" || u.User != nil {
			return errors.New("http: the message URL must be a URL or a path, without userinfo")
		}
		o.messages = u
		return nil
	}
}

// exchangeShared posts a request, whose response comes on the shared stream. An
// error status is the answer itself, unless the response has come all the same.
func (t *Transport) exchangeShared(ctx context.Context, s *sharedStream, req *transport.Request) negotiation.Outcome {
	var refused *negotiation.Outcome
	var answer *http.Response // to the POST
	attempts := 0
	waiting, giveUp := context.WithCancel(ctx)
	defer giveUp()
	o := s.pending.Await(waiting, req, func() error {
		f, ok := t.begin(ctx)
		if !ok {
			return transport.ErrClosed
		}
		defer f.unwind()
		defer context.AfterFunc(s.life, f.cancel)()
		resp, o := t.post(f, req)
		answer, attempts = resp, o.Attempts
		switch {
		case o.Failure != negotiation.NoFailure:
			f.end()
		case resp.StatusCode/100 == 2:
			f.finish(resp.Body, resp.Body != http.NoBody)
			return nil
		default:
			t.readJSON(f, resp, req, &o)
			f.finish(resp.Body, false)
		}
		if s.life.Err() == nil { // else the end of the stream is what matters
			refused = &o
		}
		giveUp()
		return nil
	})
	if o.Message == nil && refused != nil {
		o = *refused
	}
	o.Attempts = attempts
	t.conceal(answer, &o)
	return o
}
