package inmemory

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/mcpera/mcpera/internal/lines"
	"github.com/mcpera/mcpera/transport"
)

// A run is one call of the server. Two goroutines belong to it, both started by
// start: one calls the server, one reads what it writes.
type run struct {
	options *options
	stream  *lines.Stream
	in, out net.Conn           // our ends of what the server reads and writes
	cancel  context.CancelFunc // ends the server's context
	ended   chan struct{}      // closed when the server has returned
	err     error              // what it returned
	read    chan struct{}      // closed when its output has been read to its end
}

func start(serve Serve, o *options, r transport.Receiver) *run {
	theirIn, in := net.Pipe()
	out, theirOut := net.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	p := &run{
		options: o, stream: lines.New(in, r, o.log), in: in, out: out, cancel: cancel,
		ended: make(chan struct{}), read: make(chan struct{}),
	}
	go func() {
		p.err = serve(ctx, theirIn, theirOut)
		close(p.ended)
		_ = theirIn.Close()
		_ = theirOut.Close()
	}()
	go p.follow()
	return p
}

// follow delivers what the server writes, then says how it ended.
func (p *run) follow() {
	defer close(p.read)
	err := p.stream.Read(p.out, p.options.maxMessage)
	_ = p.out.Close() // a server that goes on writing is told
	p.cancel()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		err = nil
	}
	select {
	case <-p.ended:
		if err == nil {
			err = p.err
		}
	default: // it closed its output and goes on
	}
	p.stream.Fail(&EndError{err})
}

// Stream leads to the server.
func (p *run) Stream() *lines.Stream { return p.stream }

// Stop ends the server and waits until it has returned.
func (p *run) Stop() error {
	p.stream.Fail(transport.ErrClosed)
	_ = p.in.Close()
	if !p.endedWithin(p.options.inputGrace) {
		p.cancel()
		_ = p.out.Close()
		if !p.endedWithin(p.options.contextGrace) {
			return ErrStillRuns
		}
	}
	<-p.read
	return nil
}

func (p *run) endedWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}
