package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// A listener is an HTTP server at work. Close it.
type listener struct {
	url   string
	web   *http.Server
	ended chan struct{} // closed when it serves no more
	err   error         // why it ended by itself, once ended is closed
}

// leaveTime is what requests under way get when a listener is closed.
const leaveTime = 2 * time.Second

// listen starts web on addr, with TLS when it has a configuration for it.
func listen(addr string, web *http.Server) (*listener, error) {
	inner, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	web.ReadHeaderTimeout = 10 * time.Second
	l := &listener{url: urlOf(inner.Addr(), web.TLSConfig != nil), web: web, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		if web.TLSConfig != nil {
			err = web.ServeTLS(inner, "", "")
		} else {
			err = web.Serve(inner)
		}
		if !errors.Is(err, http.ErrServerClosed) {
			l.err = err
		}
	}()
	return l, nil
}

// urlOf is where a client on this machine finds addr.
func urlOf(addr net.Addr, secure bool) string {
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		return scheme + net.JoinHostPort("127.0.0.1", port) + "/mcp"
	}
	return scheme + addr.String() + "/mcp"
}

// hostOf is the host that addr names, "" when it names none.
func hostOf(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	return host
}

// close ends the server and its connections, and waits for that. It returns
// why the server had ended before, if it had.
func (l *listener) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	if l.web.Shutdown(ctx) != nil {
		_ = l.web.Close() // the listener is closed already; this cuts what is left
	}
	<-l.ended
	return l.err
}
