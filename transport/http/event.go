package http

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/mcpera/mcpera/transport"
)

// events yields the events of a stream as they become complete. An event
// larger than limit bytes ends it with a *transport.LimitError. Unlike a
// browser it also yields a last event that lacks its blank line; unfinished
// then reports true. What the stream says about taking it up again goes to
// place.
//
// Source: WHATWG HTML, "Server-sent events".
func events(stream io.Reader, limit int64, place *place) (all iter.Seq2[sse.Event, error], unfinished func() bool) {
	e := &eventReader{limit: limit, place: place}
	all = func(yield func(sse.Event, error) bool) {
		e.r = readers.Get().(*bufio.Reader)
		e.r.Reset(stream)
		defer func() {
			e.r.Reset(nil)
			readers.Put(e.r)
		}()
		sse.Read(e, &sse.ReadConfig{MaxEventSize: math.MaxInt})(yield) // e holds the limit
	}
	return all, func() bool { return e.unfinished }
}

// readers are buffers that no stream uses now.
var readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

// A place is where a legacy stream can be taken up again, and when.
type place struct {
	lastID string        // of the last event that had one
	retry  time.Duration // how long the server wants to be left alone; 0: not said
	opened time.Time     // when it was last opened
	moved  bool          // an event came since then
	spoke  bool          // one with data did
	tries  int           // how often it was opened, or that was tried, in vain
	waits  int           // how often in a row that was waited for
}

// maxEventID bounds an event's id that is sent back: many servers take no more
// than 8 KiB of headers.
const maxEventID = 4 << 10

// takenUp returns the id of an event for a stream to be taken up after it; "" for
// one that no header can carry, after which that can't be done.
func takenUp(id string) string {
	control := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	if len(id) > maxEventID || strings.ContainsFunc(id, control) {
		return ""
	}
	return id
}

// steadyStream is how long a stream that brings nothing must last to be good:
// it may well be that there is nothing to say.
const steadyStream = 30 * time.Second

// settle counts how the stream did that has just ended. One that brought an
// event was not in vain, but only one that said something, or lasted, is taken
// up again as quickly as the first.
func (p *place) settle() {
	steady := time.Since(p.opened) >= steadyStream
	if p.moved || steady {
		p.tries = 0
	}
	if p.spoke || steady {
		p.waits = 0
	}
	p.moved, p.spoke = false, false
}

// note keeps the retry field of a complete event.
func (p *place) note(event []byte) {
	for line := range bytes.SplitSeq(event, []byte("\n")) {
		if value, ok := bytes.CutPrefix(line, []byte("retry:")); ok {
			if ms, err := strconv.ParseUint(string(bytes.TrimPrefix(value, []byte(" "))), 10, 32); err == nil {
				p.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// An eventReader hands on a stream event by event, and so keeps two promises
// that the parser behind it does not. The parser looks at an event from its
// start after every read, which takes time without bound for a large event in
// small pieces; and it drops a last event that lacks its blank line.
type eventReader struct {
	r          *bufio.Reader
	limit      int64
	place      *place
	event      []byte // what there is of the next event
	ready      []byte // what is left to hand on of a complete one
	lineLength int
	afterCR    bool
	unfinished bool // the last event lacked its blank line, and has been handed on
}

func (e *eventReader) Read(p []byte) (int, error) {
	if len(e.ready) == 0 {
		if err := e.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// next makes the next event ready.
func (e *eventReader) next() error {
	e.event = e.event[:0]
	for {
		_, err := e.r.Peek(1)
		if errors.Is(err, io.EOF) && len(e.event) > 0 {
			e.unfinished = true
			e.ready = append(e.event, "\n\n"...)
			e.event = nil
			return nil
		}
		if err != nil {
			return err
		}
		chunk, _ := e.r.Peek(e.r.Buffered())
		n, complete := e.scan(chunk)
		if int64(len(e.event)) > e.limit {
			return &transport.LimitError{What: "event", Limit: e.limit}
		}
		_, _ = e.r.Discard(n)
		if complete && len(e.event) > 0 {
			if bytes.Contains(e.event[:min(len(e.event), 1<<10)], []byte("retry:")) {
				e.place.note(e.event)
			}
			e.ready = append(e.event, '\n')
			return nil
		}
	}
}

// scan takes bytes from chunk up to the end of an event, and returns how many.
// Line ends become LF, and blank lines are left out.
func (e *eventReader) scan(chunk []byte) (n int, complete bool) {
	for n < len(chunk) {
		if e.afterCR {
			e.afterCR = false
			if chunk[n] == '\n' {
				n++
				continue
			}
		}
		line := chunk[n:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		if end := bytes.IndexByte(line, '\r'); end >= 0 {
			line = line[:end]
		}
		e.event = append(e.event, line...)
		e.lineLength += len(line)
		if n += len(line); n == len(chunk) {
			break
		}
		e.afterCR = chunk[n] == '\r'
		n++
		if e.lineLength == 0 {
			return n, true
		}
		e.lineLength = 0
		e.event = append(e.event, '\n')
	}
	return n, false
}
