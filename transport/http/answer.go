package http

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// Exchange posts the request and reads its answer: a JSON body whole, an event
// stream up to the response. What else the stream carries goes to the receiver
// on the caller's goroutine, in order.
func (t *Transport) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	if s := t.shared.Load(); s != nil {
		return t.exchangeShared(ctx, s, req)
	}
	f, ok := t.begin(ctx)
	if !ok {
		return negotiation.Outcome{Failure: negotiation.Closed, Err: transport.ErrClosed, RequestID: req.ID}
	}
	defer f.unwind()
	resp, o := t.post(f, req)
	switch {
	case o.Failure != negotiation.NoFailure:
		f.end()
	case isEventStream(o.ContentType):
		f.finish(t.follow(f, resp.Body, req, &o))
	default:
		t.readJSON(f, resp, req, &o)
		f.finish(resp.Body, false)
	}
	t.conceal(resp, &o)
	return o
}

// isEventStream reports whether a Content-Type, in any legal spelling and some
// others, is that of an event stream.
func isEventStream(contentType string) bool {
	switch contentType {
	case "application/json": // by far the most
		return false
	case "text/event-stream":
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mediaType, _, _ = strings.Cut(contentType, ";")
	}
	return strings.EqualFold(strings.TrimSpace(mediaType), "text/event-stream")
}

// limit is the bound on one message that answers req.
func (t *Transport) limit(req *transport.Request) int64 {
	limit := t.options.maxMessage
	if req.MaxAnswer > 0 {
		limit = min(limit, req.MaxAnswer)
	}
	return min(limit, math.MaxInt64-1) // one more byte is read, to see that it is one too many
}

// readJSON reads a body that is one message. What can't be read as one stays
// in Body, with the reason in Err.
func (t *Transport) readJSON(f *flight, resp *http.Response, req *transport.Request, o *negotiation.Outcome) {
	if f.refusal != nil {
		o.Err = f.refusal
		return
	}
	limit := t.limit(req)
	body, err := readAll(io.LimitReader(resp.Body, limit+1), min(resp.ContentLength, limit))
	if err != nil {
		f.failed(o, err)
		return
	}
	if int64(len(body)) > limit {
		o.Err = &transport.LimitError{What: "message", Limit: limit}
		return
	}
	o.Message, o.Body, o.Err = t.decode(body, req)
}

// maxPresized bounds how far a Content-Length is believed before anything came.
const maxPresized = 1 << 20

// readAll reads r to its end, into a buffer of the promised size if there is one:
// a small one at once, a large one when as much as maxPresized has come.
func readAll(r io.Reader, promised int64) ([]byte, error) {
	const least = 512
	buf := make([]byte, 0, max(least, min(promised, maxPresized))+1) // one more, to meet the end without growing
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, err
		case int64(len(buf)) <= promised && len(buf) == cap(buf):
			buf = slices.Grow(buf, int(promised)+1-len(buf))
		case len(buf) == cap(buf): // twice, where append would copy a large one again and again
			buf = slices.Grow(buf, len(buf))
		}
	}
}

// decode returns the message in data, which belongs to it from then on, or data
// and the reason why it is none. Of a batch that is the response to req, and the
// rest goes to the receiver.
func (t *Transport) decode(data []byte, req *transport.Request) (*protocol.Message, []byte, error) {
	if len(data) == 0 {
		return nil, nil, nil
	}
	plain := bytes.TrimPrefix(data, []byte("\uFEFF"))
	read := protocol.DecodeOwned
	if negotiation.HasBatches(req.Version) && protocol.IsBatch(plain) {
		read = func(batch []byte) (*protocol.Message, error) { return t.decodeBatch(batch, req) }
	}
	m, err := read(plain)
	if err != nil {
		return nil, data, err
	}
	return m, nil, nil
}

// decodeBatch returns the response to req in a batch and gives what else is for
// this client to the receiver.
//
// Source: MCP 2025-03-26, transports, "Sending Messages to the Server".
func (t *Transport) decodeBatch(data []byte, req *transport.Request) (*protocol.Message, error) {
	var response *protocol.Message
	for m, err := range protocol.Batch(data) {
		switch {
		case err != nil && response == nil:
			return nil, err
		case err != nil:
			return response, nil
		case !m.IsResponse():
			t.receiver.Receive(m, req)
		case req.ID.Matches(m.ID), m.ID.IsNull() && response == nil:
			response = m
		}
	}
	if response == nil {
		return nil, errNoResponse
	}
	return response, nil
}

// errNoResponse means that a batch holds no response to the request.
var errNoResponse = errors.New("a batch without the response")

// readEvents reads a stream up to the response. An event that is no message,
// or a stream that ends early, ends the exchange.
func (t *Transport) readEvents(f *flight, body io.Reader, req *transport.Request, o *negotiation.Outcome, at *place) {
	stream, unfinished := events(body, t.limit(req), at)
	for event, err := range stream {
		switch {
		case errors.As(err, new(*transport.LimitError)):
			o.Err = err
			return
		case err != nil:
			f.failed(o, fmt.Errorf("%w: %w", transport.ErrStreamEnded, err))
			return
		}
		at.moved = true
		at.spoke = at.spoke || event.Data != ""
		if event.LastEventID != "" {
			at.lastID = takenUp(event.LastEventID)
		}
		if event.Data == "" || event.Type != "" && event.Type != "message" {
			continue // a priming event, or not for us
		}
		m, body, err := t.decode([]byte(event.Data), req)
		switch {
		case errors.Is(err, errNoResponse): // it may come later
			continue
		case err != nil && unfinished(): // cut off, rather than wrong
			continue
		case err != nil && req.ID.IsZero(): // it fails no request
			continue
		case err != nil:
			o.Body, o.Err = body, err
			return
		case m.IsResponse() && !req.ID.IsZero():
			o.Message = m
			return
		case m.IsResponse():
			continue // nothing was asked on this stream
		}
		t.receiver.Receive(m, req)
	}
	f.failed(o, transport.ErrStreamEnded)
}
