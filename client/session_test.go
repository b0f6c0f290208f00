package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// sessions is a legacy server that gives a new session with each initialize:
// s-1, s-2 and so on.
func sessions(overlay fault.Script) fault.Script {
	return fault.Legacy("2025-11-25").With(fault.Script{
		protocol.MethodInitialize: {
			{fault.Header("Mcp-Session-Id", "s-1"), fault.Initialize("2025-11-25")},
			{fault.Header("Mcp-Session-Id", "s-2"), fault.Initialize("2025-11-25")},
			{fault.Header("Mcp-Session-Id", "s-3"), fault.Initialize("2025-11-25")},
		},
		fault.DELETE: {{fault.Status(204)}},
	}).With(overlay)
}

// wire is what the server saw of sessions: the method and the session it names.
func wire(s *scripted) []string {
	var seen []string
	for _, r := range s.Records() {
		switch r.Key {
		case fault.GET, fault.Left, protocol.MethodDiscover:
		default:
			seen = append(seen, fmt.Sprintf("%s %s", r.Key, r.Header.Get("Mcp-Session-Id")))
		}
	}
	return seen
}

// L-SES-03, B015: a session that the server has forgotten is opened anew, once,
// without the old id, and the request is sent again, once.
func TestALostSessionIsOpenedAnew(t *testing.T) {
	done := fault.Answer{fault.Content("done")}
	for name, lost := range map[string]fault.Answer{
		"404":                        {fault.Status(404)},
		"404 with a text":            {fault.Status(404), fault.Raw("session not found")},
		"404 with an error":          {fault.Status(404), fault.Error(-32001, "session not found")},
		"404 with an error, id null": {fault.Status(404), fault.Message(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`)},
		"400 without a response":     {fault.Status(400), fault.Raw("Bad Request: no valid session ID")},
		"400 with an error, id null": {fault.Status(400), fault.Message(`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, sessions(fault.Script{protocol.MethodCallTool: {done, lost, done}}))
			c := s.connected(t)
			for range 3 {
				if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
					t.Errorf("CallTool: %v, %v", r, err)
				}
			}
			want := []string{
				"initialize ", "notifications/initialized s-1", "tools/call s-1", "tools/call s-1",
				"initialize ", "notifications/initialized s-2", "tools/call s-2", "tools/call s-2",
			}
			if diff := cmp.Diff(want, wire(s)); diff != "" {
				t.Errorf("the server saw (-want +got):\n%s", diff)
			}
		})
	}
}

// M-ERR-01: what says nothing about the session, or comes again, goes to the
// caller. B018, B019, and the second of two losses.
func TestWhatIsNoLostSessionGoesToTheCaller(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		opened int // how often initialize was sent
		check  func(error) bool
	}{
		"503 with -32001 (B018)": {fault.Answer{fault.Status(503), fault.Raw(`{"error":{"code":-32001,"message":"unknown session on this node"}}`)}, 1,
			func(err error) bool {
				return errors.Is(err, transport.ErrUnavailable) && containsAll(err.Error(), "unknown session")
			}},
		"200 with code 404 (B019)": {fault.Answer{fault.Error(404, "row not found")}, 1, func(err error) bool { return code(err) == 404 }},
		"400 with its own error": {fault.Answer{fault.Status(400), fault.Error(-32602, "limit must be > 0", `{"field":"limit"}`)}, 1,
			func(err error) bool { return code(err) == -32602 }}, // B041
		"401":                   {fault.Answer{fault.Status(401)}, 1, func(err error) bool { return errors.Is(err, transport.ErrUnauthorized) }},
		"405":                   {fault.Answer{fault.Status(405)}, 1, isStatus(405)},
		"a second loss, by 404": {fault.Answer{fault.Status(404), fault.Raw("gone")}, 2, isStatus(404)},
		"a second loss, by 400": {fault.Answer{fault.Status(400), fault.Raw("gone")}, 2, isStatus(400)},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, sessions(fault.Script{protocol.MethodCallTool: {tc.answer}}))
			_, err := s.connected(t).CallTool(t.Context(), "echo", nil)
			if !tc.check(err) {
				t.Errorf("CallTool: %v", err)
			}
			if n := s.Count(protocol.MethodInitialize); n != tc.opened {
				t.Errorf("initialize was sent %d times, want %d", n, tc.opened)
			}
		})
	}
}

func isStatus(status int) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[*transport.StatusError](err)
		return ok && e.Status == status
	}
}

// A server without sessions has none to lose.
func TestWithoutASessionNothingIsOpenedAnew(t *testing.T) {
	for _, status := range []int{400, 404} {
		s := overHTTP(t, fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodCallTool: {{fault.Status(status)}}}))
		if _, err := s.connected(t).CallTool(t.Context(), "echo", nil); !isStatus(status)(err) {
			t.Errorf("CallTool: %v", err)
		}
		if n := s.Count(protocol.MethodInitialize); n != 1 {
			t.Errorf("initialize was sent %d times", n)
		}
	}
}

// A new session that can't be opened leaves the loss to the caller.
func TestARenewalThatFailsLeavesTheLoss(t *testing.T) {
	s := overHTTP(t, sessions(fault.Script{
		protocol.MethodInitialize: {
			{fault.Header("Mcp-Session-Id", "s-1"), fault.Initialize("2025-11-25")},
			{fault.Error(-32603, "full")},
			{fault.Header("Mcp-Session-Id", "s-3"), fault.Initialize("2025-11-25")},
		},
		protocol.MethodCallTool: {{fault.Status(404)}, {fault.Status(404)}, {fault.Content("done")}},
	}))
	c := s.connected(t)
	if _, err := c.CallTool(t.Context(), "echo", nil); !isStatus(404)(err) {
		t.Errorf("CallTool: %v", err)
	}
	if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
		t.Errorf("the next call: %v, %v", r, err)
	}
}

// B016: however many calls notice the loss, there is one initialize, and each
// is sent again once.
func TestManyCallsThatLoseTheirSessionOpenOneAnew(t *testing.T) {
	srv := newReference(conformance.Legacy)
	var opened, called atomic.Int64
	c := connectTo(t, httpTransport(t, serveReference(t, srv, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := peek(r)
			if containsAll(body, `"method":"initialize"`) {
				opened.Add(1)
			}
			if containsAll(body, `"method":"tools/call"`) {
				called.Add(1)
			}
			h.ServeHTTP(w, r)
		})
	})), client.WithoutServerStream())
	for range 5 {
		before := called.Load()
		opened.Store(0)
		srv.ForgetSessions()
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() {
				if r, err := c.CallTool(t.Context(), "test_simple_text", nil); err != nil || r.IsError {
					t.Errorf("CallTool: %v, %v", r, err)
				}
			})
		}
		calls.Wait()
		if n := opened.Load(); n != 1 {
			t.Errorf("initialize was sent %d times", n)
		}
		if n := called.Load() - before; n > 16 {
			t.Errorf("8 calls were sent %d times", n)
		}
	}
}

// The renewal does not depend on the call that came first.
func TestARenewalOutlivesTheCallThatBeganIt(t *testing.T) {
	s := overHTTP(t, sessions(fault.Script{
		protocol.MethodInitialize: {
			{fault.Header("Mcp-Session-Id", "s-1"), fault.Initialize("2025-11-25")},
			{fault.Hold("second waits"), fault.Header("Mcp-Session-Id", "s-2"), fault.Initialize("2025-11-25")},
		},
		protocol.MethodCallTool:  {{fault.Status(404)}},
		protocol.MethodListTools: {{fault.Status(404)}, {fault.Tools("a")}},
	}))
	c := s.connected(t, client.WithoutServerStream())
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, "echo", nil)
		first <- err
	}()
	s.await(t, protocol.MethodInitialize, 2)
	go func() {
		_, err := c.ListTools(t.Context())
		second <- err
	}()
	s.await(t, protocol.MethodListTools, 1)
	cancel()
	if err := <-first; err == nil {
		t.Error("the first call: no error")
	}
	s.Release("second waits")
	if err := <-second; err != nil {
		t.Errorf("the second call: %v", err)
	}
	if n := s.Count(protocol.MethodInitialize); n != 2 {
		t.Errorf("initialize was sent %d times", n)
	}
}

// B026, B027: whatever a server says to DELETE, Close is done.
func TestNoAnswerToDELETEFailsClose(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"200": {fault.Status(200)}, "204": {fault.Status(204)}, "404": {fault.Status(404)}, "405": {fault.Status(405)},
		"501": {fault.Status(501)}, "503": {fault.Status(503), fault.Header("Retry-After", "60")}, "reset": {fault.Reset()},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, sessions(fault.Script{fault.DELETE: {answer}}))
			c := s.connected(t)
			if err := c.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if r := s.await(t, fault.DELETE, 1); r.Header.Get("Mcp-Session-Id") != "s-1" {
				t.Errorf("DELETE of session %q", r.Header.Get("Mcp-Session-Id"))
			}
			if n := s.Count(protocol.MethodInitialize); n != 1 || s.Count(fault.DELETE) != 1 {
				t.Errorf("initialize %d times, DELETE %d times", n, s.Count(fault.DELETE))
			}
		})
	}
}

// A new session has the log level and the subscriptions of the old one, and a
// stream of its own; readers are told of the gap once nothing is missed again.
func TestANewSessionIsSetUpLikeTheOld(t *testing.T) {
	srv := newReference(conformance.Legacy)
	c := connectTo(t, httpTransport(t, serveReference(t, srv, func(h http.Handler) http.Handler { return h })))
	if err := c.SetLogLevel(t.Context(), protocol.LogEmergency); err != nil {
		t.Fatal(err)
	}
	filter := protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"test://watched-resource"}}
	var got []string
	for change, err := range c.Subscribe(t.Context(), filter) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(change.Kind)+" "+change.URI)
		switch {
		case len(got) == 7:
			want := []string{
				"acknowledged ", "gap ", "resource test://watched-resource", "tools ", "gap ", "resource test://watched-resource", "tools ",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			return
		case change.Kind == client.Acknowledged, change.Kind == client.ToolsChanged:
			srv.ForgetSessions()
			if _, err := c.ListTools(t.Context()); err != nil {
				t.Fatal(err)
			}
		case change.Kind == client.Gap:
			if diff := cmp.Diff(filter, change.Granted); diff != "" {
				t.Errorf("granted (-want +got):\n%s", diff)
			}
			srv.NotifyResourceUpdated("test://watched-resource")
		case change.Kind == client.ResourceUpdated:
			n := 0
			if _, err := c.CallTool(t.Context(), "test_logging_tool", nil, client.Logs(protocol.LogEmergency, func(protocol.LogMessage) { n++ })); err != nil || n != 1 {
				t.Errorf("%d log messages, %v", n, err)
			}
			srv.NotifyToolsChanged()
		}
	}
}

// When nobody calls, the stream itself finds the session forgotten.
func TestTheServersStreamNoticesALostSession(t *testing.T) {
	srv := newReference(conformance.Legacy)
	opened := make(chan struct{}, 10) // gets a token for each stream, once it is there
	c := connectTo(t, httpTransport(t, serveReference(t, srv, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				w = &flushNoter{ResponseWriter: w, first: sync.OnceFunc(func() { opened <- struct{}{} })}
			}
			h.ServeHTTP(w, r)
		})
	})), client.WithStreamLost(func(err error) { t.Errorf("the stream was lost: %v", err) }))
	var got []string
	for change, err := range c.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(change.Kind))
		switch change.Kind {
		case client.Acknowledged:
			<-opened // a session that is forgotten before has no stream to lose
			srv.ForgetSessions()
		case client.Gap:
			<-opened
			srv.NotifyToolsChanged()
		default:
			if diff := cmp.Diff([]string{"acknowledged", "gap", "tools"}, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			return
		}
	}
}

// A flushNoter calls first when the head of a response has left.
type flushNoter struct {
	http.ResponseWriter
	first func()
}

func (f *flushNoter) FlushError() error {
	err := http.NewResponseController(f.ResponseWriter).Flush()
	f.first()
	return err
}
