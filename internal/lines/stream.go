// Package lines is the framing of stdio: JSON-RPC messages over a pair of byte
// streams, one a line, with many requests under way at a time.
//
// Source: MCP 2026-07-28, basic/transports/stdio.
package lines

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/mcpera/mcpera/internal/pending"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A Stream multiplexes requests over one pair of pipes. Its reader is run by
// the owner; writers take turns.
type Stream struct {
	w        deadlineWriter
	turn     chan struct{} // holds a token while someone writes
	frame    []byte        // the writer's buffer
	expired  chan struct{} // holds a token when expire has run for the writer
	requests *pending.Requests
	receiver transport.Receiver
	log      *slog.Logger
	noise    int // lines that were no use; of the reader alone
}

// A deadlineWriter is what a stream needs of a pipe.
type deadlineWriter interface {
	io.Writer
	SetWriteDeadline(time.Time) error
}

// New returns a stream that writes to w. What is no response goes to r, and what
// is no message to log.
func New(w deadlineWriter, r transport.Receiver, log *slog.Logger) *Stream {
	return &Stream{
		w: w, turn: make(chan struct{}, 1), expired: make(chan struct{}, 1),
		requests: pending.New(), receiver: r, log: log,
	}
}

// Exchange sends req and waits for its response.
func (s *Stream) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	return s.requests.Await(ctx, req, func() error { return s.Write(ctx, req.Body) })
}

// errCutOff is the end of a stream whose server stopped reading.
var errCutOff = fmt.Errorf("%w: a message was cut off while it was written", transport.ErrClosed)

// Write sends one line, whole. When ctx ends before any of it was taken, the
// stream stays usable; a line cut in the middle ends it. An error means that
// the server has not got the message.
func (s *Stream) Write(ctx context.Context, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.requests.Done():
		return s.requests.Err()
	}
	defer func() { <-s.turn }()
	if err := s.requests.Err(); err != nil {
		return err // it ended while others wrote
	}
	n, err := s.writeLine(ctx, body)
	switch {
	case err == nil:
		return nil
	case n == len(body): // a server may take it for a line all the same
		s.Fail(errCutOff)
		return nil
	case ctx.Err() == nil:
		return s.broken(ctx, err)
	case n == 0:
		return ctx.Err()
	default:
		s.Fail(errCutOff)
		return fmt.Errorf("%w: %w", errCutOff, ctx.Err())
	}
}

// writeLine writes body and a line end, and gives up when ctx ends.
func (s *Stream) writeLine(ctx context.Context, body []byte) (int, error) {
	stop := context.AfterFunc(ctx, s.expire)
	s.frame = append(append(s.frame[:0], body...), '\n')
	n, err := s.w.Write(s.frame)
	if !stop() {
		<-s.expired
		_ = s.w.SetWriteDeadline(time.Time{})
	}
	if cap(s.frame) > maxKeptFrame {
		s.frame = nil
	}
	return n, err
}

// expire unblocks the writer.
func (s *Stream) expire() {
	_ = s.w.SetWriteDeadline(time.Unix(1, 0))
	s.expired <- struct{}{}
}

// broken returns why the server takes no more. Its exit, which the reader will
// soon know of, tells more than the pipe.
func (s *Stream) broken(ctx context.Context, err error) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-s.requests.Done():
		return s.requests.Err()
	case <-ctx.Done():
	case <-timer.C:
	}
	s.Fail(fmt.Errorf("%w: the server closed its input: %w", transport.ErrClosed, err))
	return s.requests.Err()
}

// patience is how long the reader has to find out why the server takes no more.
const patience = 1500 * time.Millisecond

// maxKeptFrame bounds what the writer's buffer holds between messages.
const maxKeptFrame = 256 << 10

// maxNoise is how many useless lines are logged per process.
const maxNoise = 5

// Read delivers messages until the stream ends, and returns why it did.
func (s *Stream) Read(r io.Reader, limit int64) error {
	lines := newReader(r, limit)
	for first := true; ; first = false {
		line, err := lines.next()
		if err != nil {
			return err
		}
		if first {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := s.requests.Receive(line, s.unasked); err != nil {
			s.skip(line, err)
		}
	}
}

// unasked takes a message that is no response.
func (s *Stream) unasked(m *protocol.Message) { s.receiver.Receive(m, nil) }

// skip notes a line that is no use to anybody.
func (s *Stream) skip(line []byte, why error) {
	if s.noise++; s.noise <= maxNoise {
		s.log.Debug("skipped a line on the server's stdout", "line", protocol.Quote(line), "reason", why)
	}
}

// Fail ends the stream, also for who is writing; the first cause stays.
func (s *Stream) Fail(err error) {
	s.requests.Fail(err)
	_ = s.w.SetWriteDeadline(time.Unix(1, 0)) // unblocks Write
}

// Done is closed when the stream has ended.
func (s *Stream) Done() <-chan struct{} { return s.requests.Done() }
