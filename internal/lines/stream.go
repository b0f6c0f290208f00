package stdio

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

// A stream multiplexes requests over one pair of pipes. Its reader is run by
// the owner; writers take turns.
type stream struct {
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

func newStream(w deadlineWriter, r transport.Receiver, log *slog.Logger) *stream {
	return &stream{
		w: w, turn: make(chan struct{}, 1), expired: make(chan struct{}, 1),
		requests: pending.New(), receiver: r, log: log,
	}
}

// exchange sends req and waits for its response.
func (s *stream) exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	return s.requests.Await(ctx, req, func() error { return s.write(ctx, req.Body) })
}

// errCutOff is the end of a stream whose server stopped reading.
var errCutOff = fmt.Errorf("%w: a message was cut off while it was written", transport.ErrClosed)

// write sends one line, whole. When ctx ends before any of it was taken, the
// stream stays usable; a line cut in the middle ends it. An error means that
// the server has not got the message.
func (s *stream) write(ctx context.Context, body []byte) error {
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
		s.fail(errCutOff)
		return nil
	case ctx.Err() == nil:
		return s.broken(ctx, err)
	case n == 0:
		return ctx.Err()
	default:
		s.fail(errCutOff)
		return fmt.Errorf("%w: %w", errCutOff, ctx.Err())
	}
}

// writeLine writes body and a line end, and gives up when ctx ends.
func (s *stream) writeLine(ctx context.Context, body []byte) (int, error) {
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
func (s *stream) expire() {
	_ = s.w.SetWriteDeadline(time.Unix(1, 0))
	s.expired <- struct{}{}
}

// broken returns why the server takes no more. Its exit, which the reader will
// soon know of, tells more than the pipe.
func (s *stream) broken(ctx context.Context, err error) error {
	timer := time.NewTimer(3 * lastWords)
	defer timer.Stop()
	select {
	case <-s.requests.Done():
		return s.requests.Err()
	case <-ctx.Done():
	case <-timer.C:
	}
	s.fail(fmt.Errorf("%w: the server closed its input: %w", transport.ErrClosed, err))
	return s.requests.Err()
}

// maxKeptFrame bounds what the writer's buffer holds between messages.
const maxKeptFrame = 256 << 10

// maxNoise is how many useless lines are logged per process.
const maxNoise = 5

// read delivers messages until the stream ends, and returns why it did.
func (s *stream) read(r io.Reader, limit int64) error {
	lines := newLineReader(r, limit)
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
func (s *stream) unasked(m *protocol.Message) { s.receiver.Receive(m, nil) }

// skip notes a line that is no use to anybody.
func (s *stream) skip(line []byte, why error) {
	if s.noise++; s.noise <= maxNoise {
		s.log.Debug("skipped a line on the server's stdout", "line", protocol.Quote(line), "reason", why)
	}
}

// fail ends the stream, also for who is writing; the first cause stays.
func (s *stream) fail(err error) {
	s.requests.Fail(err)
	_ = s.w.SetWriteDeadline(time.Unix(1, 0)) // unblocks Write
}
