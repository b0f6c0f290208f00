package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/internal/memhttp"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A slowServer of either era takes takes for each tools/call, and notes how many
// it has at once. It is reached in memory.
type slowServer struct {
	takes time.Duration
	// before is written to the event stream of a tools/call before its result.
	before func(id string) string
	// forgetful servers know no session after the first call.
	forgetful bool

	mu               sync.Mutex
	calls, now, most int
	answered         chan struct{}
}

func (s *slowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, err := protocol.Decode(body)
	switch {
	case err != nil:
		w.WriteHeader(405)
	case m.IsResponse():
		w.WriteHeader(202)
		close(s.answered)
	case m.Method == "server/discover" && r.Header.Get("X-Era") == "modern":
		s.write(w, m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`)
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s")
		s.write(w, m, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"slow","version":"1"}}`)
	case m.Method == "tools/list":
		s.write(w, m, `{"resultType":"complete","tools":[]}`)
	case m.Method == "tools/call":
		s.call(w, r, m)
	case m.ID.IsZero():
		w.WriteHeader(202)
	default:
		w.WriteHeader(404)
	}
}

func (s *slowServer) write(w http.ResponseWriter, m *protocol.Message, result string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (s *slowServer) call(w http.ResponseWriter, r *http.Request, m *protocol.Message) {
	s.mu.Lock()
	s.calls++
	s.now++
	s.most = max(s.most, s.now)
	forgotten := s.forgetful && s.calls == 2
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	if forgotten {
		w.WriteHeader(404)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if s.before != nil {
		_, _ = io.WriteString(w, "data: "+s.before(m.ID.String())+"\n\n")
		_ = http.NewResponseController(w).Flush()
		if s.answered != nil {
			<-s.answered
		}
	}
	select {
	case <-time.After(s.takes):
	case <-r.Context().Done():
		return
	}
	_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\n\n", m.ID)
}

func (s *slowServer) concurrent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

func (s *slowServer) connect(t *testing.T, era negotiation.Era, opts ...client.Option) *client.Client {
	t.Helper()
	tr := httpTransport(t, "http://slow.example.com/mcp",
		mcphttp.WithClient(&http.Client{Transport: memhttp.Serve(t, s)}), mcphttp.WithHeader("X-Era", era.String()))
	c, err := client.Connect(t.Context(), tr, append(opts, client.WithEraCache(nil))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if c.Era() != era {
		t.Fatalf("the era is %s", c.Era())
	}
	return c
}

// Three calls of 50 s each, with a timeout of 1 min.
func TestSerializedCallsTakeTurns(t *testing.T) {
	serialized := []client.Option{client.WithSerializedCalls()}
	for name, tc := range map[string]struct {
		era   negotiation.Era
		opts  []client.Option
		most  int
		takes time.Duration
	}{
		"legacy":                    {negotiation.EraLegacy, serialized, 1, 150 * time.Second},
		"legacy without the option": {negotiation.EraLegacy, nil, 3, 50 * time.Second},
		"modern":                    {negotiation.EraModern, serialized, 3, 50 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &slowServer{takes: 50 * time.Second}
				c := s.connect(t, tc.era, tc.opts...)
				start := time.Now()
				var calls sync.WaitGroup
				for range 3 {
					calls.Go(func() {
						if _, err := c.CallTool(t.Context(), "x", nil); err != nil {
							t.Error(err)
						}
					})
				}
				calls.Wait()
				if took := time.Since(start); s.concurrent() != tc.most || took != tc.takes {
					t.Errorf("%d calls at once, %v in all; want %d and %v", s.concurrent(), took, tc.most, tc.takes)
				}
			})
		})
	}
}

func TestWaitingForATurnEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(cancel context.CancelFunc, c *client.Client)
		want error
	}{
		"with the caller": {func(cancel context.CancelFunc, _ *client.Client) { cancel() }, context.Canceled},
		"with its time":   {func(context.CancelFunc, *client.Client) {}, context.DeadlineExceeded},
		"with the client": {func(_ context.CancelFunc, c *client.Client) { _ = c.Close() }, client.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &slowServer{takes: 30 * time.Second}
				c := s.connect(t, negotiation.EraLegacy, client.WithSerializedCalls())
				first := make(chan error)
				go func() {
					_, err := c.CallTool(t.Context(), "x", nil)
					first <- err
				}()
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				time.AfterFunc(5*time.Second, func() { tc.end(cancel, c) })
				if _, err := c.CallTool(ctx, "x", nil); !errors.Is(err, tc.want) {
					t.Errorf("error %v, want %v", err, tc.want)
				}
				if err := <-first; (err == nil) != (tc.want != client.ErrClosed) {
					t.Errorf("the first call: %v", err)
				}
				if tc.want != client.ErrClosed { // the turn is free again
					if _, err := c.CallTool(t.Context(), "x", nil); err != nil {
						t.Error(err)
					}
				}
				s.mu.Lock()
				defer s.mu.Unlock()
				if want := map[bool]int{true: 1, false: 2}[tc.want == client.ErrClosed]; s.calls != want {
					t.Errorf("the server got %d calls, want %d: one that never had its turn is not sent", s.calls, want)
				}
			})
		})
	}
}

// What belongs to a call does not wait for it.
func TestNoCallWaitsForItself(t *testing.T) {
	t.Run("in a handler", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var c *client.Client
			s := &slowServer{answered: make(chan struct{}), before: func(string) string {
				return `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`
			}}
			c = s.connect(t, negotiation.EraLegacy, client.WithSerializedCalls(),
				client.WithHandler(rooter(func(ctx context.Context) ([]protocol.Root, error) {
					_, err := c.ListTools(ctx)
					return nil, err
				})))
			if _, err := c.CallTool(t.Context(), "x", nil); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("in a function that progress is told to", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &slowServer{before: func(id string) string {
				return strings.ReplaceAll(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":ID,"progress":1}}`, "ID", id)
			}}
			c := s.connect(t, negotiation.EraLegacy, client.WithSerializedCalls())
			told := make(chan error, 1)
			if _, err := c.CallTool(t.Context(), "x", nil, client.OnProgress(func(protocol.Progress) {
				_, err := c.ListTools(t.Context())
				told <- err
			})); err != nil {
				t.Error(err)
			}
			select {
			case err := <-told:
				if err != nil {
					t.Error(err)
				}
			default:
				t.Error("the call returned before its progress was told")
			}
		})
	})
	t.Run("when its session is renewed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &slowServer{forgetful: true}
			c := s.connect(t, negotiation.EraLegacy, client.WithSerializedCalls())
			for range 3 {
				if _, err := c.CallTool(t.Context(), "x", nil); err != nil {
					t.Error(err)
				}
			}
			if s.calls != 4 {
				t.Errorf("the server got %d calls, want 3 and one of them again", s.calls)
			}
		})
	})
}
