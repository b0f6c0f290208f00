package http

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// Exchange posts the request and reads its answer: a JSON body whole, an event
// stream up to the response. What else the stream carries goes to the receiver
// on the caller's goroutine, in order.
func (t *Transport) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	if !t.begin() {
		return negotiation.Outcome{Failure: negotiation.Closed, Err: transport.ErrClosed, RequestID: req.ID}
	}
	defer t.active.Done()
	// The HTTP request gets a context of its own, since a stream is still read
	// to its end, for the connection's sake, when the call has returned.
	hctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	stopLife := context.AfterFunc(t.life, cancel)
	release := func() {
		stopLife()
		cancel()
	}
	resp, o := t.post(hctx, req)
	if o.Failure != negotiation.NoFailure {
		stop()
		release()
		fromCaller(ctx, &o)
		return o
	}
	if mediaType, _, _ := mime.ParseMediaType(o.ContentType); mediaType != "text/event-stream" {
		t.readJSON(resp, req, &o)
		stop()
		_ = resp.Body.Close()
		release()
		fromCaller(ctx, &o)
		return o
	}
	t.readEvents(resp, req, &o)
	if o.Message == nil || !stop() {
		_ = resp.Body.Close()
		release()
		fromCaller(ctx, &o)
		return o
	}
	t.active.Add(1)
	go t.drain(resp.Body, release)
	return o
}

// fromCaller corrects a failure that the caller's context brought about: the
// HTTP request only saw that it was canceled.
func fromCaller(ctx context.Context, o *negotiation.Outcome) {
	if o.Failure == negotiation.NoFailure || ctx.Err() == nil {
		return
	}
	o.Err = ctx.Err()
	o.Failure = negotiation.Canceled
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		o.Failure = negotiation.TimedOut
	}
}

// What drain gives a stream to end after its response.
const (
	drainTime  = time.Second
	drainBytes = 64 << 10
)

// drain reads a stream to its end, which is due after the response, so that
// its connection can be used again. A stream that goes on is cut.
func (t *Transport) drain(body io.ReadCloser, release func()) {
	defer t.active.Done()
	defer release()
	defer body.Close()
	timer := time.AfterFunc(drainTime, release)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, drainBytes)
}

// limit is the bound on one message that answers req.
func (t *Transport) limit(req *transport.Request) int64 {
	if req.MaxAnswer > 0 {
		return req.MaxAnswer
	}
	return t.options.maxMessage
}

// readJSON reads a body that is one message. What can't be read as one stays
// in Body, with the reason in Err.
func (t *Transport) readJSON(resp *http.Response, req *transport.Request, o *negotiation.Outcome) {
	limit := t.limit(req)
	body, err := readAll(io.LimitReader(resp.Body, limit+1), min(resp.ContentLength, limit, maxPresized))
	if err != nil {
		failed(resp.Request.Context(), o, err)
		return
	}
	if int64(len(body)) > limit {
		o.Err = &transport.LimitError{What: "message", Limit: limit}
		return
	}
	o.Message, o.Body, o.Err = decode(body)
}

// maxPresized bounds how far a Content-Length is believed in advance.
const maxPresized = 1 << 20

// readAll reads r to its end into a buffer of the expected size, when known.
func readAll(r io.Reader, expected int64) ([]byte, error) {
	if expected < 512 {
		expected = 512
	}
	buf := make([]byte, 0, expected+1) // one more, to meet the end without growing
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, err
		case len(buf) == cap(buf):
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// decode returns the message in data, or data and the reason why it is none.
func decode(data []byte) (*protocol.Message, []byte, error) {
	if len(data) == 0 {
		return nil, nil, nil
	}
	m, err := protocol.Decode(data)
	if err != nil {
		return nil, data, err
	}
	return m, nil, nil
}

// readEvents reads a stream up to the response. An event that is no message,
// or a stream that ends early, ends the exchange.
func (t *Transport) readEvents(resp *http.Response, req *transport.Request, o *negotiation.Outcome) {
	limit := t.limit(req)
	// The blank line dispatches a last event that lacks its own.
	stream := io.MultiReader(resp.Body, strings.NewReader("\n\n"))
	for event, err := range sse.Read(stream, &sse.ReadConfig{MaxEventSize: int(limit)}) {
		switch {
		case errors.Is(err, bufio.ErrTooLong):
			o.Err = &transport.LimitError{What: "event", Limit: limit}
			return
		case err != nil:
			failed(resp.Request.Context(), o, fmt.Errorf("%w: %w", transport.ErrStreamEnded, err))
			return
		case event.Data == "", event.Type != "" && event.Type != "message":
			continue // a priming event, or not for us
		}
		m, body, err := decode([]byte(event.Data))
		if err != nil {
			o.Body, o.Err = body, err
			return
		}
		if m.IsResponse() {
			o.Message = m
			return
		}
		t.receiver.Receive(m, req)
	}
	o.Failure, o.Err = negotiation.NetworkError, transport.ErrStreamEnded
}
