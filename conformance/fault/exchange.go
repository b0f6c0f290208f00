package fault

import (
	"context"
	"errors"
	"io"
	"time"
)

// An exchange is one answer being given.
type exchange struct {
	ctx    context.Context // ends when the client leaves or the server closes
	log    *log
	peer   peer
	record Record // what is answered
	n      int    // how often its key has come

	cutting bool // the next text is cut
	cut     int
	slow    bool // texts go out byte by byte
	pause   time.Duration
}

// A peer is a client as one transport reaches it, for one answer.
type peer interface {
	// frame returns a message in the form in which the transport sends it.
	frame(message []byte) []byte
	// open readies a way to send size bytes. Close does not end the answer, it
	// lets others write.
	open(as kind, size int, cut bool) (io.WriteCloser, error)
	// flush brings to the client what was written.
	flush() error
	stderr(text []byte) error
	status(code int)
	header(name, value string)
	stream() error
	reset() error
	exit(status int) error
}

// A kind says what a text is.
type kind uint8

const (
	message kind = iota // framed
	raw
	wire // on the connection itself
)

// errOver ends an answer before its last step: there is no connection left.
var errOver = errors.New("the connection is over")

// run takes the steps. The error is errOver, or that the client left.
func (e *exchange) run(answer Answer) error {
	for _, step := range answer {
		if err := step(e); err != nil {
			return err
		}
	}
	return nil
}

// write sends a text, as far and as fast as the script wants.
func (e *exchange) write(as kind, text []byte) error {
	if as == message {
		text = e.peer.frame(text)
	}
	size, cut := len(text), e.cutting
	if cut {
		n := e.cut
		if n < 0 {
			n += size
		}
		text, e.cutting = text[:max(0, min(n, size))], false
	}
	w, err := e.peer.open(as, size, cut)
	if err != nil {
		return err
	}
	defer w.Close()
	if !e.slow {
		_, err = w.Write(text)
		return err
	}
	return e.dribble(w, text)
}

// dribble writes byte by byte.
func (e *exchange) dribble(w io.Writer, text []byte) error {
	for i := range text {
		if _, err := w.Write(text[i : i+1]); err != nil {
			return err
		}
		if err := e.peer.flush(); err != nil {
			return err
		}
		if err := e.sleep(e.pause); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until the log fulfils done.
func (e *exchange) wait(done func(*log) bool) error {
	if err := e.peer.flush(); err != nil {
		return err
	}
	return e.log.wait(e.ctx, done)
}

func (e *exchange) sleep(d time.Duration) error {
	if d <= 0 {
		return e.ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-e.ctx.Done():
		return e.ctx.Err()
	}
}
