package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// maxResumes is how often in a row a stream is opened again in vain: it does not
// open, or ends soon and has brought no event.
const maxResumes = 5

// maxStreamRetry bounds what a server's retry field may ask for.
const maxStreamRetry = 30 * time.Second

// streamPause is the least time between two streams, whatever the options and the
// server say: streams that say something are taken up again for ever.
const streamPause = 10 * time.Millisecond

// follow reads a request's stream up to the response. A legacy stream that
// breaks after an event with an id is taken up again by a GET that names the
// event. It returns the body that was read last, and whether more of it may come.
//
// Source: MCP 2025-11-25, transports, "Resumability and Redelivery".
func (t *Transport) follow(f *flight, body io.ReadCloser, req *transport.Request, o *negotiation.Outcome) (last io.ReadCloser, more bool) {
	at := place{opened: time.Now()}
	for {
		stream := endingReader{r: body}
		t.readEvents(f, &stream, req, o, &at)
		if o.Failure != negotiation.NetworkError || req.Era != negotiation.EraLegacy || at.lastID == "" {
			return body, o.Message != nil && !stream.ended
		}
		_ = body.Close()
		resp, err := t.reopen(f, req, &at)
		if err != nil {
			f.failed(o, err)
			return http.NoBody, false
		}
		body = resp.Body
		o.Failure, o.Err = negotiation.NoFailure, nil
	}
}

// An endingReader notes the end of what it reads, which often comes together
// with the last of it.
type endingReader struct {
	r     io.Reader
	ended bool
}

func (e *endingReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.ended = errors.Is(err, io.EOF)
	return n, err
}

// Listen opens the stream for what a legacy server sends outside of requests;
// see transport.Listener. The answer to the first attempt decides whether there
// is one: anything but an event stream means that there is none.
func (t *Transport) Listen(ctx context.Context, req *transport.Request, opened func()) error {
	f, ok := t.begin(transport.Unattended(ctx))
	if !ok {
		return transport.ErrClosed
	}
	defer f.end()
	if t.shared.Load() != nil {
		return transport.ErrNoStream // there is one, and all comes on it
	}
	req = &transport.Request{Method: http.MethodGet, Era: negotiation.EraLegacy, Version: req.Version, Session: req.Session}
	at := place{opened: time.Now()}
	resp, err := t.get(f, req, "")
	if err != nil {
		return f.streamError(&transport.UnavailableError{
			Origin: t.target.String(), Method: req.Method, Attempts: 1, Err: redact(err),
		})
	}
	if !streams(resp) {
		_ = resp.Body.Close()
		return transport.ErrNoStream
	}
	opened()
	for {
		var o negotiation.Outcome
		t.readEvents(f, resp.Body, req, &o, &at)
		_ = resp.Body.Close()
		if resp, err = t.reopen(f, req, &at); err != nil {
			return f.streamError(err)
		}
	}
}

// streamError is the error of a stream that ended with err: whose wish that was
// comes first.
func (f *flight) streamError(err error) error {
	switch {
	case f.caller.Err() != nil:
		return f.caller.Err()
	case f.t.life.Err() != nil:
		return transport.ErrClosed
	default:
		return err
	}
}

// reopen takes a stream up again after its last event, however often that
// takes. A stream that again and again brings nothing is given up.
func (t *Transport) reopen(f *flight, req *transport.Request, at *place) (*http.Response, error) {
	at.settle()
	cause := errNothingCame
	var after time.Duration
	for at.tries < maxResumes {
		if err := t.pause(f, at, after); err != nil {
			return nil, err
		}
		at.tries++
		at.waits++
		resp, err := t.get(f, req, at.lastID)
		switch {
		case err != nil && f.Err() != nil:
			return nil, f.Err()
		case err != nil:
			cause, after = redact(err), heldFor(err)
			continue
		case streams(resp):
			at.opened = time.Now()
			return resp, nil
		}
		_ = resp.Body.Close()
		cause, after = &transport.StatusError{
			Origin: t.target.String(), Method: req.Method, Status: resp.StatusCode,
			ContentType: resp.Header.Get("Content-Type"),
		}, retryAfter(resp)
		if !again(resp.StatusCode) {
			return nil, fmt.Errorf("%w, and can't be taken up again: %w", transport.ErrStreamEnded, cause)
		}
	}
	return nil, fmt.Errorf("%w, %d times in a row: %w", transport.ErrStreamEnded, at.tries, cause)
}

var errNothingCame = errors.New("nothing came on it")

// heldFor is how long the client's own breaker holds requests back.
func heldFor(err error) time.Duration {
	if open, ok := errors.AsType[*BreakerError](err); ok {
		return open.After
	}
	return 0
}

// streams reports whether a response is an event stream.
func streams(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && isEventStream(resp.Header.Get("Content-Type"))
}

// again reports whether a refusal to take up a stream may pass.
func again(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// pause waits before a stream is taken up again: as long as the server asked
// for, by a retry field or after a refusal, or with a patience that grows from
// one wait to the next. A retry field does not make a wait shorter than the first.
func (t *Transport) pause(ctx context.Context, at *place, after time.Duration) error {
	waits := at.waits
	if at.retry > 0 && at.tries == 0 {
		waits = 0
	}
	wait := max(min(at.retry, maxStreamRetry), t.options.backoff.Wait(waits, after), streamPause)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// get opens a stream, after the event with lastID unless that is empty.
func (t *Transport) get(ctx context.Context, req *transport.Request, lastID string) (*http.Response, error) {
	hreq := newRequest(ctx, http.MethodGet, t.endpoint)
	t.addHeader(hreq.Header)
	setConnectionHeaders(hreq.Header, req)
	hreq.Header["Accept"] = []string{"text/event-stream"}
	if lastID != "" {
		hreq.Header["Last-Event-Id"] = []string{lastID}
	}
	return t.client.Do(hreq)
}
