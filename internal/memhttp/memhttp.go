// Package memhttp is HTTP without a network, for tests: real requests and
// responses over pipes in memory. In a bubble of testing/synctest its time is
// the bubble's, so that waits take none and can be told exactly.
package memhttp

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
)

// Serve serves h until the test ends, and returns a transport that reaches it
// whatever the host.
func Serve(t testing.TB, h http.Handler) *http.Transport {
	t.Helper()
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) }) // ends with Close
	client := &http.Transport{DialContext: l.dial}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = server.Close()
		serving.Wait()
	})
	return client
}

// A listener accepts connections over pipes.
type listener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "pipe" }
func (address) String() string  { return "pipe" }
