package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

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
	receiver transport.Receiver
	log      *slog.Logger

	mu      sync.Mutex
	waiting map[int64]chan<- *protocol.Message
	err     error         // why the stream ended; set before done closes
	done    chan struct{} // closed when nothing more will be read
}

// A deadlineWriter is what a stream needs of a pipe.
type deadlineWriter interface {
	io.Writer
	SetWriteDeadline(time.Time) error
}

func newStream(w deadlineWriter, r transport.Receiver, log *slog.Logger) *stream {
	return &stream{
		w: w, turn: make(chan struct{}, 1), receiver: r, log: log,
		waiting: make(map[int64]chan<- *protocol.Message), done: make(chan struct{}),
	}
}

// exchange sends req and waits for its response.
func (s *stream) exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	id, ok := req.ID.Int64()
	if !ok {
		return s.ended(ctx, req, errors.New("stdio: request ids must be whole numbers"), 0)
	}
	answer := make(chan *protocol.Message, 1)
	s.mu.Lock()
	s.waiting[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
	}()

	if err := s.write(ctx, req.Body); err != nil {
		return s.ended(ctx, req, err, 0)
	}
	select {
	case m := <-answer:
		return negotiation.Outcome{Message: m, RequestID: req.ID, Attempts: 1}
	case <-ctx.Done():
		return s.ended(ctx, req, ctx.Err(), 1)
	case <-s.done:
	}
	select { // the answer may have been the last thing said
	case m := <-answer:
		return negotiation.Outcome{Message: m, RequestID: req.ID, Attempts: 1}
	default:
		return s.ended(ctx, req, s.err, 1)
	}
}

// ended is the outcome of an exchange without an answer.
func (s *stream) ended(ctx context.Context, req *transport.Request, err error, attempts int) negotiation.Outcome {
	o := negotiation.Outcome{Failure: negotiation.Closed, Err: err, RequestID: req.ID, Attempts: attempts}
	select {
	case <-s.done:
		if !errors.Is(err, errCutOff) {
			o.Err = s.err
			return o
		}
	default:
	}
	switch ctx.Err() {
	case nil:
	case context.DeadlineExceeded:
		o.Failure = negotiation.TimedOut
	default:
		o.Failure = negotiation.Canceled
	}
	return o
}

// errCutOff is the end of a stream whose server stopped reading.
var errCutOff = fmt.Errorf("%w: a message was cut off while it was written", transport.ErrClosed)

// write sends one line, whole. When ctx ends before any of it was taken, the
// stream stays usable; a line cut in the middle ends it.
func (s *stream) write(ctx context.Context, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return s.err
	}
	defer func() { <-s.turn }()
	n, err := s.writeLine(ctx, body)
	switch {
	case err == nil:
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
	expired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = s.w.SetWriteDeadline(time.Unix(1, 0)) // unblocks Write below
		close(expired)
	})
	s.frame = append(append(s.frame[:0], body...), '\n')
	n, err := s.w.Write(s.frame)
	if !stop() {
		<-expired
		_ = s.w.SetWriteDeadline(time.Time{})
	}
	if cap(s.frame) > maxKeptFrame {
		s.frame = nil
	}
	return n, err
}

// broken returns why the server takes no more. Its exit, which the reader will
// soon know of, tells more than the pipe.
func (s *stream) broken(ctx context.Context, err error) error {
	timer := time.NewTimer(3 * lastWords)
	defer timer.Stop()
	select {
	case <-s.done:
		return s.err
	case <-ctx.Done():
	case <-timer.C:
	}
	s.fail(fmt.Errorf("%w: the server closed its input: %w", transport.ErrClosed, err))
	return s.err
}

// maxKeptFrame bounds what the writer's buffer holds between messages.
const maxKeptFrame = 256 << 10

// maxNoise is how many unreadable lines are logged per process.
const maxNoise = 5

// read delivers messages until the stream ends, and returns why it did.
func (s *stream) read(r io.Reader, limit int64) error {
	lines := newLineReader(r, limit)
	noise := 0
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
		m, err := protocol.Decode(line)
		if err != nil {
			if noise++; noise <= maxNoise {
				s.log.Debug("skipped a line on the server's stdout", "line", protocol.Quote(line), "reason", err)
			}
			continue
		}
		s.deliver(m)
	}
}

// deliver hands a response to the request that waits for it, and everything
// else to the receiver. A response that nobody waits for came too late.
func (s *stream) deliver(m *protocol.Message) {
	if !m.IsResponse() {
		s.receiver.Receive(m, nil)
		return
	}
	id, ok := m.ID.Int64()
	if !ok {
		s.log.Debug("skipped a response without a usable id", "id", m.ID.String())
		return
	}
	s.mu.Lock()
	answer := s.waiting[id]
	delete(s.waiting, id)
	s.mu.Unlock()
	if answer != nil {
		answer <- m // has room for one, and gets one
	}
}

// fail ends the stream; the first cause stays.
func (s *stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.done)
	}
}
