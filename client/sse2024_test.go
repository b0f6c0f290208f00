package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/internal/memhttp"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A sharedServer speaks HTTP+SSE of 2024-11-05 at /sse, and refuses a POST there
// with a status.
type sharedServer struct {
	*httptest.Server
	refusal  int
	answered chan struct{} // closed when the client has answered

	mu   sync.Mutex
	say  chan string // to the stream that was opened last
	seen []string
}

func serveShared(t *testing.T, refusal int) *sharedServer {
	t.Helper()
	s := &sharedServer{refusal: refusal, answered: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *sharedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, _ := protocol.Decode(body)
	note := r.Method
	if m != nil {
		note = m.Method
	}
	if m != nil && m.IsResponse() {
		note = "response"
	}
	s.mu.Lock()
	s.seen = append(s.seen, r.URL.Path+" "+note)
	s.mu.Unlock()
	switch {
	case r.URL.Path == "/sse" && r.Method == http.MethodGet:
		say := make(chan string, 10)
		s.mu.Lock()
		s.say = say
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		s.write(w, "event: endpoint\ndata: /messages?s=1\n\n")
		for {
			select {
			case text := <-say:
				s.write(w, "event: message\ndata: "+text+"\n\n")
			case <-r.Context().Done():
				return
			}
		}
	case r.URL.Path == "/messages" && m != nil:
		w.WriteHeader(http.StatusAccepted)
		if m.IsResponse() {
			close(s.answered)
		} else {
			s.answer(m)
		}
	default:
		http.Error(w, "Method Not Allowed", s.refusal)
	}
}

func (s *sharedServer) write(w http.ResponseWriter, text string) {
	_, _ = io.WriteString(w, text)
	_ = http.NewResponseController(w).Flush()
}

func (s *sharedServer) answer(m *protocol.Message) {
	const ask = `{"jsonrpc":"2.0","id":"q1","method":"roots/list"}`
	results := map[string]string{
		"initialize": `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`,
		"tools/call": `{"content":[{"type":"text","text":"done"}]}`,
	}
	s.mu.Lock()
	say := s.say
	s.mu.Unlock()
	if m.Method == "tools/call" {
		say <- ask
	}
	if result, ok := results[m.Method]; ok {
		say <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}
}

func (s *sharedServer) requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.seen, ", ")
}

// L-SSE-01, M-VER-12, O-SSE-03.
func TestServersOfHTTPAndSSEAreReached(t *testing.T) {
	for _, refusal := range []int{400, 404, 405} {
		t.Run(fmt.Sprint("POST gets ", refusal), func(t *testing.T) {
			s := serveShared(t, refusal)
			eras := erecache.New(time.Now)
			roots := rooter(func(context.Context) ([]protocol.Root, error) { return nil, nil })
			for visit, opening := range []string{
				"/sse server/discover, /sse initialize, /sse GET, /messages initialize, /messages notifications/initialized",
				"/sse initialize, /sse GET, /messages initialize, /messages notifications/initialized", // remembered
			} {
				c, err := client.Connect(t.Context(), httpTransport(t, s.URL+"/sse"), client.WithEraCache(eras), client.WithHandler(roots))
				if err != nil {
					t.Fatalf("visit %d: %v", visit, err)
				}
				defer c.Close()
				if got := s.requests(); got != opening {
					t.Errorf("visit %d: the server saw\n%s\nwant\n%s", visit, got, opening)
				}
				if c.Era() != negotiation.EraLegacy || c.ProtocolVersion() != "2024-11-05" {
					t.Errorf("visit %d: %s %s", visit, c.Era(), c.ProtocolVersion())
				}
				if visit == 0 {
					res, err := c.CallTool(t.Context(), "echo", nil)
					if err != nil || res.Text() != "done" {
						t.Errorf("CallTool: %v, %v", res, err)
					}
					<-s.answered // what it asked on the shared stream
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				s.mu.Lock()
				s.seen = nil
				s.mu.Unlock()
			}
		})
	}
}

// M-VER-12: where there is no HTTP+SSE either, the error tells both.
func TestNoSharedStreamIsAnErrorThatTellsBoth(t *testing.T) {
	refuse := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				http.Error(w, "no", http.StatusMethodNotAllowed)
				return
			}
			http.Error(w, "no", status)
		}
	}
	silent := func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    error
	}{
		"GET gets 405":                   {refuse(405), transport.ErrNoStream},
		"GET gets 401":                   {refuse(401), transport.ErrNoStream},
		"the stream never says anything": {silent, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				through := mcphttp.WithClient(&http.Client{Transport: memhttp.Serve(t, tc.handler)})
				_, err := client.Connect(t.Context(), httpTransport(t, "http://old.example.com/sse", through),
					client.WithEraCache(nil))
				var status *transport.StatusError
				if !errors.As(err, &status) || status.Status != 405 || !errors.Is(err, tc.want) {
					t.Errorf("error %v, want one with HTTP 405 and %v", err, tc.want)
				}
			})
		})
	}
}

// L-SSE-01, M-VER-12: only 400, 404 and 405 to initialize ask for the stream, and
// not where the body is a modern error.
func TestOtherAnswersToInitializeAskForNoStream(t *testing.T) {
	const modern = `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}`
	for _, tc := range []struct {
		status int
		body   string
		asks   bool
	}{
		{400, "", true}, {404, "", true}, {405, "", true},
		{401, "", false}, {403, "", false}, {406, "", false}, {422, "", false}, {500, "", false}, {503, "", false},
		{400, modern, false}, {404, modern, false}, {405, modern, false},
	} {
		var gets sync.Map
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				gets.Store(r.URL.Path, true)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, tc.body)
		}))
		_, err := client.Connect(t.Context(), httpTransport(t, web.URL, mcphttp.WithRetries(0)),
			client.WithEra(negotiation.EraLegacy), client.WithRetries(0, soon))
		if err == nil {
			t.Errorf("HTTP %d: connected", tc.status)
		}
		if _, asked := gets.Load("/"); asked != tc.asks {
			t.Errorf("HTTP %d %s: the stream was asked for: %v", tc.status, tc.body, asked)
		}
		web.Close()
	}
}

// The circuit breaker says nothing about the era: no request leaves, and no
// verdict is remembered.
func TestAnOpenBreakerFailsConnectAtOnce(t *testing.T) {
	var requests sync.WaitGroup
	requests.Add(1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Done() // a second one would panic
		w.WriteHeader(503)
	}))
	defer web.Close()
	breaker := mcphttp.NewBreaker(mcphttp.BreakerConfig{Failures: 1, Open: time.Hour})
	for visit := range 2 {
		_, err := client.Connect(t.Context(), httpTransport(t, web.URL, mcphttp.WithBreaker(breaker)),
			client.WithEraCache(nil), client.WithRetries(5, soon))
		down, ok := errors.AsType[*transport.UnavailableError](err)
		if !ok || down.Attempts != 1-visit || visit == 1 && down.RetryAfter <= 59*time.Minute {
			t.Errorf("visit %d: %#v", visit, err)
		}
	}
}
