package conformance

import (
	"io"
	"sync"
)

// A lineWriter writes messages one a line from a goroutine of its own, so that
// a client that does not read holds nobody up. It is safe for concurrent use.
type lineWriter struct {
	w    io.Writer
	done chan struct{}
	err  error // of the first failed write; read it after close

	mu      sync.Mutex
	waiting [][]byte
	closed  bool
	ready   chan struct{} // has room for one
}

func newLineWriter(w io.Writer) *lineWriter {
	lw := &lineWriter{w: w, done: make(chan struct{}), ready: make(chan struct{}, 1)}
	go lw.run()
	return lw
}

func (lw *lineWriter) put(message []byte) {
	lw.mu.Lock()
	lw.waiting = append(lw.waiting, append(message, '\n'))
	lw.mu.Unlock()
	lw.wake()
}

// close writes what waits and returns when the goroutine has ended.
func (lw *lineWriter) close() {
	lw.mu.Lock()
	lw.closed = true
	lw.mu.Unlock()
	lw.wake()
	<-lw.done
}

func (lw *lineWriter) wake() {
	select {
	case lw.ready <- struct{}{}:
	default:
	}
}

func (lw *lineWriter) run() {
	defer close(lw.done)
	for range lw.ready {
		lw.mu.Lock()
		lines, closed := lw.waiting, lw.closed
		lw.waiting = nil
		lw.mu.Unlock()
		for _, line := range lines {
			if lw.err == nil {
				_, lw.err = lw.w.Write(line)
			}
		}
		if closed {
			return
		}
	}
}
