package fault

import (
	"context"
	"io"
	"net"
	"net/http"
)

// An HTTP is a scripted server on a real socket of the loopback interface. It
// is an http.Handler too, to be mounted in another server of HTTP/1.1, behind
// TLS for example.
type HTTP struct {
	*Server
	// URL is the endpoint. Every path of its host is the same endpoint.
	URL string

	server *http.Server
}

// NewHTTP starts a server. It panics if there is no port to be had, like
// httptest.NewServer.
func NewHTTP(s Script) *HTTP {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic("fault: no port on the loopback interface: " + err.Error())
	}
	h := &HTTP{Server: newServer(s), URL: "http://" + listener.Addr().String() + "/mcp"}
	h.server = &http.Server{Handler: h, ErrorLog: quiet}
	h.running.Go(func() { _ = h.server.Serve(listener) }) // ends with Close or Exit
	return h
}

// Close drops all connections, listens no more, and waits for that. Silent
// answers end with it.
func (h *HTTP) Close() {
	h.stop()
	_ = h.server.Close()
	h.running.Wait()
}

// maxBody bounds what is recorded of one request.
const maxBody = 64 << 20

// ServeHTTP plays the script for one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if !h.begin() {
		panic(http.ErrAbortHandler)
	}
	defer h.running.Done()
	body, err := io.ReadAll(io.LimitReader(req.Body, maxBody))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r := recordOf(body)
	if req.Method != http.MethodPost {
		r.Key = req.Method
	}
	r.Header = req.Header.Clone()
	ctx, cancel := context.WithCancel(req.Context())
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	p := &httpPeer{w: w, owner: h, gone: cancel}
	p.finish(h.answer(ctx, r, h.log.add(r), p))
}
