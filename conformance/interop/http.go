package interop

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// OverHTTP serves h on the loopback interface until the test ends, and records
// what it is asked.
func OverHTTP(t testing.TB, h http.Handler) *Server {
	t.Helper()
	return OverHTTPAt(t, h, "")
}

// OverHTTPAt is OverHTTP for a server whose endpoint is at path.
func OverHTTPAt(t testing.TB, h http.Handler, path string) *Server {
	t.Helper()
	r := &recorder{next: h}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return &Server{
		reach: func() (transport.Transport, error) { return mcphttp.New(server.URL + path) },
		asked: r.take,
	}
}

// ProxyTo returns a handler that passes everything on to endpoint.
func ProxyTo(t testing.TB, endpoint string) http.Handler {
	t.Helper()
	return proxy(t, endpoint, func(r *httputil.ProxyRequest, target *url.URL) {
		u := *target
		r.Out.URL = &u
	})
}

// ProxyToOrigin returns a handler that passes everything on to origin, with the
// path and the query that it came with.
func ProxyToOrigin(t testing.TB, origin string) http.Handler {
	t.Helper()
	return proxy(t, origin, (*httputil.ProxyRequest).SetURL)
}

func proxy(t testing.TB, endpoint string, direct func(*httputil.ProxyRequest, *url.URL)) http.Handler {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	pool := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(pool.CloseIdleConnections)
	return &httputil.ReverseProxy{
		Transport: pool,
		Rewrite: func(r *httputil.ProxyRequest) {
			direct(r, target)
			r.Out.Host = "" // the Host becomes the target's: servers check it
		},
	}
}

// A recorder notes the JSON-RPC method of every POST on its way to next, and
// the end of a session as DELETE. A GET, which only opens a stream, is passed
// on unnoted.
type recorder struct {
	next http.Handler

	mu      sync.Mutex
	methods []string
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch req.Method {
	case http.MethodPost:
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, "recorder: "+err.Error(), http.StatusBadGateway)
			return
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		r.note(methodOf(body))
	case http.MethodDelete:
		r.note(http.MethodDelete)
	}
	r.next.ServeHTTP(w, req)
}

func (r *recorder) note(method string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.methods = append(r.methods, method)
}

func (r *recorder) take() ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	methods := r.methods
	r.methods = nil
	return methods, nil
}

// methodOf returns the method of a message that a client sent.
func methodOf(message []byte) string {
	m, err := protocol.Decode(message)
	switch {
	case err != nil:
		return fmt.Sprintf("unreadable: %v", err)
	case m.IsResponse():
		return "response"
	default:
		return m.Method
	}
}
