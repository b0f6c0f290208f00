package http

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	result  = `{"jsonrpc":"2.0","id":1,"result":{"ok":true}}`
	failure = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"limit must be > 0","data":{"field":"limit"}}}`
)

// A server is a scripted HTTP server that records what came in.
type server struct {
	*httptest.Server
	conns atomic.Int64 // accepted so far

	mu       sync.Mutex
	requests []recorded
}

type recorded struct {
	Method string
	URI    string
	Header http.Header
	Body   string
}

// serve starts a server that answers by handler. Transports are closed before
// it is, since their streams may keep it busy.
func serve(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := newServer(handler)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func newServer(handler http.HandlerFunc) *server {
	s := new(server)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, recorded{r.Method, r.RequestURI, r.Header.Clone(), string(body)})
		s.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler(w, r)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // aborted connections are wanted
	return s
}

func (s *server) seen() []recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// open returns an open transport whose messages to the receiver are dropped
// unless r is given. It is closed at the end of the test.
func open(t *testing.T, endpoint string, opts ...Option) *Transport {
	t.Helper()
	return openTo(t, receiverFunc(func(*protocol.Message, *transport.Request) {}), endpoint, opts...)
}

func openTo(t *testing.T, r transport.Receiver, endpoint string, opts ...Option) *Transport {
	t.Helper()
	opts = append([]Option{WithBackoff(transport.Backoff{})}, opts...)
	tr, err := New(endpoint, opts...)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	if err := tr.Open(t.Context(), r); err != nil {
		t.Fatalf("Open: %v", err)
	}
	return tr
}

// A receiverFunc is a transport.Receiver.
type receiverFunc func(*protocol.Message, *transport.Request)

func (f receiverFunc) Receive(m *protocol.Message, on *transport.Request) { f(m, on) }

// toolCall is a modern request that must not be sent twice.
func toolCall() *transport.Request {
	return &transport.Request{
		ID: protocol.NumberID(1), Method: "tools/call", Name: "add",
		Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}`),
		Era:  negotiation.EraModern, Version: "2026-07-28",
	}
}

// toolList is a request that may be sent again.
func toolList() *transport.Request {
	req := toolCall()
	req.Method, req.Name, req.Idempotent = "tools/list", "", true
	return req
}

// answer is a handler that gives one answer.
func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		} else {
			w.Header()["Content-Type"] = nil
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// stream is a handler that writes each part to an event stream at once. It
// then ends, or with hold waits until the client has gone.
func stream(hold bool, parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, part := range parts {
			_, _ = io.WriteString(w, part)
			flush(w)
		}
		if hold {
			flush(w)
			<-r.Context().Done()
		}
	}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// exchange is Exchange and the error that its outcome means.
func exchange(ctx context.Context, tr *Transport, req *transport.Request) (negotiation.Outcome, error) {
	o := tr.Exchange(ctx, req)
	return o, transport.ErrorOf(tr.Target(), req, o)
}
