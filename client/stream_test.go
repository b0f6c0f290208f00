package client_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// event is a server-sent event with an id.
func event(id, data string) fault.Step { return fault.Raw("id: " + id + "\ndata: " + data + "\n\n") }

const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// B021, B022, B025: a server without a stream of its own is a good server, and
// is not asked again.
func TestAServerWithoutItsOwnStreamIsUsedAllTheSame(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"400":                 {fault.Status(400), fault.Raw("session missing")},
		"401":                 {fault.Status(401), fault.Header("WWW-Authenticate", "Bearer")},
		"403":                 {fault.Status(403)},
		"404":                 {fault.Status(404)},
		"405":                 {fault.Status(405)},
		"406":                 {fault.Status(406)},
		"409":                 {fault.Status(409)},
		"501":                 {fault.Status(501)},
		"204":                 {fault.Status(204)},
		"200 of another type": {fault.Status(200), fault.Header("Content-Type", "text/html"), fault.Raw("<html>")},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, sessions(fault.Script{fault.GET: {answer}}))
			c := s.connected(t, client.WithStreamLost(func(err error) { t.Errorf("the stream was lost: %v", err) }))
			s.await(t, fault.GET, 1)
			for range 3 {
				if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
					t.Errorf("CallTool: %v", err)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if gets, inits := s.Count(fault.GET), s.Count(protocol.MethodInitialize); gets != 1 || inits != 1 {
				t.Errorf("%d GETs and %d initialize", gets, inits)
			}
		})
	}
}

// B010: the stream is opened once the version is agreed on, and names it.
func TestTheServersStreamIsOpenedAfterTheHandshake(t *testing.T) {
	s := overHTTP(t, withSession(fault.Script{fault.GET: {{fault.Stream(), fault.Raw(":\n\n"), fault.Silence()}}}))
	s.connected(t)
	r := s.await(t, fault.GET, 1)
	got := map[string]string{}
	for _, name := range []string{"Mcp-Protocol-Version", "Mcp-Session-Id", "Accept", "Last-Event-Id"} {
		got[name] = r.Header.Get(name)
	}
	want := map[string]string{"Mcp-Protocol-Version": "2025-06-18", "Mcp-Session-Id": "s-1", "Accept": "text/event-stream", "Last-Event-Id": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	before := ""
	for _, r := range s.Records() {
		if r.Key == fault.GET {
			break
		}
		before += r.Key + " "
	}
	if before != probeThenInit+" " {
		t.Errorf("before the GET came %s", before)
	}
}

// B023, B024: a stream that again and again brings nothing is given up. The
// program is told once, subscriptions end, and calls go on.
func TestAStreamThatBringsNothingIsGivenUp(t *testing.T) {
	s := overHTTP(t, telling().With(fault.Script{fault.GET: {
		{fault.Stream(), event("1", toolsChanged), fault.Hold("subscribed")},
		{fault.Stream()},
	}}))
	lost := make(chan error, 10)
	c := s.connected(t, client.WithStreamLost(func(err error) { lost <- err }))
	var end error
	for change, err := range c.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}) {
		if end = err; err != nil {
			break
		}
		if change.Kind == client.Acknowledged {
			s.Release("subscribed")
		}
	}
	told := <-lost
	if !errors.Is(told, transport.ErrStreamEnded) || !errors.Is(end, transport.ErrStreamEnded) {
		t.Errorf("told %v, the subscription ended with %v", told, end)
	}
	if n := s.Count(fault.GET); n < 2 || n > 10 {
		t.Errorf("%d GETs", n)
	}
	if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if len(lost) != 0 {
		t.Errorf("told again: %v", <-lost)
	}
}

// L-HTTP-05, L-HTTP-06: a stream that breaks is taken up where it broke.
func TestTheServersStreamIsTakenUpWhereItBroke(t *testing.T) {
	s := overHTTP(t, telling().With(fault.Script{fault.GET: {
		{fault.Stream(), fault.Raw("retry: 1\n"), event("e-1", toolsChanged), fault.Hold("go")},
		{fault.Status(503)},
		{fault.Stream(), event("e-2", toolsChanged), fault.Reset()},
		{fault.Stream(), fault.Raw(":\n\n"), fault.Silence()},
	}}))
	c := s.connected(t, client.WithStreamLost(func(err error) { t.Errorf("the stream was lost: %v", err) }))
	s.Release("go")
	for n, want := range []string{"", "e-1", "e-1", "e-2"} {
		if got := s.await(t, fault.GET, n+1).Header.Get("Last-Event-Id"); got != want {
			t.Errorf("GET %d has Last-Event-ID %q, want %q", n+1, got, want)
		}
	}
	if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
		t.Error(err)
	}
}

// L-HTTP-04, B037: so is the stream of a call, and its answer is the call's.
func TestACallsStreamIsTakenUpWhereItBroke(t *testing.T) {
	s := overHTTP(t, sessions(fault.Script{
		protocol.MethodCallTool: {{
			fault.Stream(), fault.Raw("id: p\nretry: 1\ndata:\n\n"),
			fault.Raw(`id: c-1` + "\n" + `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"progress":1}}` + "\n\n"),
		}},
		fault.GET: {
			{fault.Status(405)},
			{fault.Stream(), event("c-2", `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"resumed"}]}}`)},
		},
	}))
	c := s.connected(t)
	progress := 0
	r, err := c.CallTool(t.Context(), "echo", nil, client.OnProgress(func(protocol.Progress) { progress++ }))
	if err != nil || r.Text() != "resumed" || progress != 1 {
		t.Errorf("CallTool: %v, %v, progress %d", r, err, progress)
	}
	if got := s.await(t, fault.GET, 2).Header.Get("Last-Event-Id"); got != "c-1" {
		t.Errorf("resumed after %q", got)
	}
	if n := s.Count(protocol.MethodCallTool); n != 1 {
		t.Errorf("the tool was called %d times (B017)", n)
	}
}

// The reference server hangs up in the middle of a call.
func TestACallThatTheServerHangsUpOnIsAnswered(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			if r, err := p.connect(t).CallTool(t.Context(), "test_reconnection", nil); err != nil || r.Text() == "" {
				t.Errorf("CallTool: %v, %v", r, err)
			}
		})
	}
}

// Without an event to go on from, a call whose stream ends fails at once; the
// modern era has none to go on from (M-HTTP-22).
func TestACallWhoseStreamEndsFails(t *testing.T) {
	cut := fault.Answer{fault.Stream(), fault.Message(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`)}
	withID := fault.Answer{fault.Stream(), event("1", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`)}
	for name, script := range map[string]fault.Script{
		"legacy without an id": sessions(fault.Script{protocol.MethodCallTool: {cut}}),
		"modern":               modernCalls(cut),
		"modern with an id":    modernCalls(withID),
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, script)
			c := s.connected(t, client.WithoutServerStream())
			if _, err := c.CallTool(t.Context(), "echo", nil); !errors.Is(err, transport.ErrStreamEnded) {
				t.Errorf("CallTool: %v", err)
			}
			if calls, gets := s.Count(protocol.MethodCallTool), s.Count(fault.GET); calls != 1 || gets != 0 {
				t.Errorf("%d calls and %d GETs", calls, gets)
			}
		})
	}
}

// L-MSG-13: what a server asks on its own stream is answered.
func TestRequestsOnTheServersOwnStreamAreAnswered(t *testing.T) {
	s := overHTTP(t, sessions(fault.Script{fault.GET: {{
		fault.Stream(),
		fault.Message(`{"jsonrpc":"2.0","id":"p","method":"ping"}`),
		fault.Message(`{"jsonrpc":"2.0","id":"r","method":"roots/list"}`),
		fault.Silence(),
	}}}))
	s.connected(t, client.WithHandler(rooter(func(context.Context) ([]protocol.Root, error) { return nil, nil })))
	got := map[string]bool{}
	for n := range 2 {
		r := s.await(t, fault.Response, n+1)
		got[r.Body] = true
		if r.Header.Get("Mcp-Session-Id") != "s-1" {
			t.Errorf("answered in session %q", r.Header.Get("Mcp-Session-Id"))
		}
	}
	want := map[string]bool{
		`{"jsonrpc":"2.0","id":"p","result":{}}`: true, `{"jsonrpc":"2.0","id":"r","result":{"roots":[]}}`: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// M-HTTP-23: a modern connection opens no stream and ends no session, whatever
// ids it is given; nor does a legacy one that was told not to.
func TestWhoOpensNoStream(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{
		protocol.MethodCallTool: {{fault.Header("Mcp-Session-Id", "tempting"), fault.Content("done")}},
	}))
	c := s.connected(t)
	for range 2 {
		if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
			t.Error(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for _, r := range s.Records() {
		if r.Key == fault.GET || r.Key == fault.DELETE || r.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("modern: %v", r)
		}
	}
	s = overHTTP(t, sessions(nil))
	if err := s.connected(t, client.WithoutServerStream()).Close(); err != nil {
		t.Error(err)
	}
	if n := s.Count(fault.GET); n != 0 {
		t.Errorf("legacy: %d GETs", n)
	}
}

// A stream that finds its session forgotten renews it, but does not follow a
// server that forgets again and again.
func TestAStreamDoesNotRenewSessionsForEver(t *testing.T) {
	s := overHTTP(t, sessions(fault.Script{fault.GET: {
		{fault.Stream(), event("1", toolsChanged)}, {fault.Status(404)},
		{fault.Stream(), event("2", toolsChanged)}, {fault.Status(404)},
	}}))
	lost := make(chan error, 1)
	c := s.connected(t, client.WithStreamLost(func(err error) { lost <- err }))
	if err := <-lost; !isStatus(404)(err) {
		t.Errorf("told %v", err)
	}
	if n := s.Count(protocol.MethodInitialize); n != 2 {
		t.Errorf("initialize was sent %d times, want 2", n)
	}
	if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
		t.Error(err)
	}
}
