package fault

import (
	"bytes"
	"context"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"strconv"
)

// quiet takes what net/http complains of: all of it is on purpose.
var quiet = stdlog.New(io.Discard, "", 0)

// An httpPeer writes the response to one request.
type httpPeer struct {
	w     http.ResponseWriter
	owner *HTTP
	gone  func() // ends the answer: the client has left a hijacked connection

	code    int
	typed   bool // the script has set a Content-Type, or removed it
	events  bool
	started bool
	broken  bool     // the response must not end properly
	conn    net.Conn // the connection itself, once hijacked
}

func (p *httpPeer) frame(text []byte) []byte {
	if !p.events {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\n"), []byte("\ndata: "))
	return append(append([]byte("data: "), text...), "\n\n"...)
}

func (p *httpPeer) open(as kind, size int, cut bool) (io.WriteCloser, error) {
	if as == wire {
		if err := p.hijack(); err != nil {
			return nil, err
		}
		return open{p.conn}, nil
	}
	if p.conn != nil {
		return nil, errOver
	}
	if as == message && !p.events && !p.typed {
		p.w.Header().Set("Content-Type", "application/json")
	}
	if as == raw && !p.events && !p.typed {
		p.w.Header().Set("Content-Type", "text/plain")
	}
	if cut {
		p.broken = true
		if !p.events && !p.started {
			p.w.Header().Set("Content-Length", strconv.Itoa(size))
		}
	}
	p.start()
	return open{p.w}, nil
}

// open is a writer that stays open.
type open struct{ io.Writer }

func (open) Close() error { return nil }

// start sends the header, once.
func (p *httpPeer) start() {
	if p.started {
		return
	}
	p.started = true
	if p.code != 0 {
		p.w.WriteHeader(p.code)
	}
}

// flush sends what was written. It sends no header before there is something
// to send, so that silence is silence.
func (p *httpPeer) flush() error {
	if !p.started || p.conn != nil {
		return nil
	}
	return http.NewResponseController(p.w).Flush()
}

func (p *httpPeer) stderr([]byte) error { return nil }

func (p *httpPeer) status(code int) { p.code = code }

func (p *httpPeer) header(name, value string) {
	if http.CanonicalHeaderKey(name) == "Content-Type" {
		p.typed = true
	}
	if value == "" {
		p.w.Header()[http.CanonicalHeaderKey(name)] = nil // net/http then adds none
		return
	}
	p.w.Header().Add(name, value)
}

func (p *httpPeer) stream() error {
	p.events = true
	if !p.typed {
		p.w.Header().Set("Content-Type", "text/event-stream")
	}
	p.start()
	return p.flush()
}

func (p *httpPeer) reset() error {
	if err := p.flush(); err != nil {
		return err
	}
	if err := p.hijack(); err != nil {
		return err
	}
	conn := p.conn
	if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = tls.NetConn()
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // makes Close send RST
	}
	_ = conn.Close() // not the TLS connection, which would say goodbye first
	return errOver
}

func (p *httpPeer) exit(int) error {
	_ = p.flush() // what was written has left
	_ = p.owner.server.Close()
	return errOver
}

// hijack takes the connection over, and watches whether the client leaves.
func (p *httpPeer) hijack() error {
	if p.conn != nil {
		return nil
	}
	conn, _, err := http.NewResponseController(p.w).Hijack()
	if err != nil {
		return err
	}
	p.conn = conn
	p.owner.running.Go(func() {
		defer context.AfterFunc(p.owner.life, func() { _ = conn.Close() })()
		_, _ = io.Copy(io.Discard, conn)
		p.gone()
	})
	return nil
}

// finish ends the response: properly only if all of it was given.
func (p *httpPeer) finish(whole bool) {
	switch {
	case p.conn != nil:
		_ = p.conn.Close()
	case !whole, p.broken:
		_ = p.flush()
		panic(http.ErrAbortHandler)
	default:
		p.start()
	}
}
