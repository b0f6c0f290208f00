package conformance

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/mcpera/mcpera/protocol"
)

const (
	token    = `"progressToken":"p"`
	logLevel = `"io.modelcontextprotocol/logLevel":`
)

// tool is a tool for one test.
func tool(name string, run Run) Tool { return Tool{Definition: define(name, name, ""), Run: run} }

// startCall sends a modern tools/call and returns before it is answered.
func (e *endpoint) startCall(tool string, meta ...string) *http.Response {
	e.t.Helper()
	return e.do("POST", modernBody("tools/call", `"name":"`+tool+`","arguments":{}`, emptyCaps, meta...), modernHeaders("tools/call", tool)...)
}

func TestAStreamCarriesProgressBeforeTheResult(t *testing.T) {
	e := serve(t)
	es := openEvents(t, e.startCall("test_tool_with_progress", token))
	if got := es.resp.Header.Get("X-Accel-Buffering"); got != "no" {
		t.Errorf("X-Accel-Buffering = %q", got)
	}
	for _, want := range []float64{0, 50, 100} {
		m := es.message()
		p := decode[protocol.Progress](t, m.Params)
		if m.Method != "notifications/progress" || p.Token.String() != `"p"` || p.Progress != want || *p.Total != 100 {
			t.Errorf("%s %s", m.Method, m.Params)
		}
	}
	if m := es.message(); !m.IsResponse() || m.Error != nil || m.ID.String() != "1" {
		t.Errorf("last message: %+v", m)
	}
	if _, ok := es.next(); ok {
		t.Error("the stream goes on after the response")
	}
}

func TestWhoGetsAStream(t *testing.T) {
	e := serve(t)
	for name, tc := range map[string]struct {
		tool, accept string
		meta         []string
		stream       bool
	}{
		"a progress token does":                      {"test_tool_with_progress", "text/event-stream", []string{token}, true},
		"a log level does":                           {"test_logging_tool", "text/event-stream", []string{logLevel + `"debug"`}, true},
		"neither of them does not":                   {"test_tool_with_progress", "text/event-stream", nil, false},
		"a client that does not accept one does not": {"test_tool_with_progress", "application/json", []string{token}, false},
		"a wildcard is no acceptance":                {"test_tool_with_progress", "*/*", []string{token}, false},
		"a result that comes first goes out as JSON": {"test_simple_text", "text/event-stream", []string{token}, false},
		"logs below the level open none":             {"test_tool_with_logging", "text/event-stream", []string{logLevel + `"error"`}, false},
		"a progress token that is no token does not": {"test_tool_with_progress", "text/event-stream", []string{`"progressToken":{}`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			body := modernBody("tools/call", `"name":"`+tc.tool+`"`, emptyCaps, tc.meta...)
			a := e.post(body, modernHeaders("tools/call", tc.tool, "Accept", tc.accept)...)
			if got := a.Header.Get("Content-Type") == eventStreamType; got != tc.stream {
				t.Errorf("event stream: %v, want %v: %s", got, tc.stream, a.Body)
			}
		})
	}
}

func TestLogMessagesStartAtTheLevelThatWasAskedFor(t *testing.T) {
	e := serve(t)
	for level, want := range map[string]int{"debug": 8, "warning": 5, "emergency": 1} {
		t.Run(level, func(t *testing.T) {
			es := openEvents(t, e.startCall("test_logging_tool", logLevel+`"`+level+`"`))
			got := 0
			for m := es.message(); !m.IsResponse(); m = es.message() {
				if m.Method != "notifications/message" {
					t.Errorf("method %s", m.Method)
				}
				got++
			}
			if got != want {
				t.Errorf("%d messages, want %d", got, want)
			}
		})
	}
}

func TestAToolThatPanicsEndsItsStreamWithAnError(t *testing.T) {
	e := serve(t, WithTools(tool("report_then_panic", func(_ context.Context, c *Call) (*protocol.CallToolResult, error) {
		c.Progress(1, 0, "")
		panic("boom")
	})))
	es := openEvents(t, e.startCall("report_then_panic", token))
	es.message()
	if m := es.message(); m.Error == nil || m.Error.Code != -32603 {
		t.Errorf("last message: %+v", m)
	}
	if _, ok := es.next(); ok {
		t.Error("the stream goes on after the error")
	}
}

func TestKeepAliveCommentsOpenAndFillASilentStream(t *testing.T) {
	release := make(chan struct{})
	e := serve(t, WithKeepAlive(time.Millisecond), WithTools(tool("silent", func(ctx context.Context, _ *Call) (*protocol.CallToolResult, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return Text("done"), nil
	})))
	es := openEvents(t, e.startCall("silent", token))
	for range 3 {
		if ev, ok := es.next(); !ok || !ev.Comment {
			t.Fatalf("event %+v, %v; want a comment", ev, ok)
		}
	}
	close(release)
	if m := es.message(); m.Error != nil {
		t.Errorf("result: %v", m.Error)
	}
}

func TestAtTheStreamLimit(t *testing.T) {
	e := serve(t, WithMaxStreams(1))
	listening := openEvents(t, e.listen(`{"toolsListChanged":true}`))
	listening.message()
	t.Run("a tool call is answered as JSON without its notifications", func(t *testing.T) {
		a := e.read(e.startCall("test_tool_with_progress", token))
		if a.Status != 200 || a.Msg == nil || a.code() != 0 {
			t.Errorf("status %d, body %s", a.Status, a.Body)
		}
	})
	t.Run("another listener is refused with 503", func(t *testing.T) {
		if a := e.read(e.listen(`{}`)); a.Status != 503 || a.code() != -32000 {
			t.Errorf("status %d, body %s", a.Status, a.Body)
		}
	})
	t.Run("a legacy GET stream is refused with 503", func(t *testing.T) {
		e.open()
		defer func() { e.session = "" }()
		if a := e.read(e.do("GET", "", "Accept", eventStreamType)); a.Status != 503 {
			t.Errorf("status %d", a.Status)
		}
	})
	t.Run("a legacy tool that must ask its client fails", func(t *testing.T) {
		e.open()
		defer func() { e.session = "" }()
		a := e.post(legacyBody("tools/call", `{"name":"test_list_roots"}`))
		if got := decode[protocol.CallToolResult](t, a.Msg.Result); !got.IsError {
			t.Errorf("body %s", a.Body)
		}
	})
}

func TestAClientThatDisconnectsCancelsItsCall(t *testing.T) {
	cancelled := make(chan error, 1)
	e := serve(t, WithTools(tool("wait", func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
		c.Progress(0, 0, "")
		<-ctx.Done()
		c.Progress(1, 0, "nobody hears this")
		cancelled <- ctx.Err()
		return nil, ctx.Err()
	})))
	es := openEvents(t, e.startCall("wait", token))
	es.message()
	es.resp.Body.Close()
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("the tool's context: %v", err)
	}
}

func TestARequestThatOutlivesItsLifetime(t *testing.T) {
	release := make(chan struct{})
	tools := WithTools(
		tool("stubborn", func(context.Context, *Call) (*protocol.CallToolResult, error) {
			<-release
			return Text("too late"), nil
		}),
		tool("obedient", func(ctx context.Context, _ *Call) (*protocol.CallToolResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
		tool("quick", func(ctx context.Context, _ *Call) (*protocol.CallToolResult, error) {
			<-ctx.Done()
			return Text("as far as I got"), nil
		}),
	)
	for name, tc := range map[string]struct {
		tool     string
		patience time.Duration
		want     int64
	}{
		"is given up after the cancel timeout":             {"stubborn", time.Millisecond, -32603},
		"has failed when its tool stops":                   {"obedient", time.Hour, -32603},
		"still has a result that its tool returns in time": {"quick", time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, WithStreamLifetime(time.Millisecond), WithCancelTimeout(tc.patience), tools)
			if a := e.call(tc.tool, "{}"); a.Status != 200 || a.code() != tc.want {
				t.Errorf("status %d, body %s", a.Status, a.Body)
			}
			if tc.tool == "stubborn" {
				close(release) // the server waits for its tools when it closes
			}
		})
	}
}

func TestCloseCancelsWhatRuns(t *testing.T) {
	started := make(chan struct{})
	e := serve(t, WithTools(tool("wait", func(ctx context.Context, _ *Call) (*protocol.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	})))
	got := make(chan answer, 1)
	go func() { got <- e.call("wait", "{}") }()
	<-started
	e.srv.Close()
	if a := <-got; a.code() != -32603 {
		t.Errorf("body %s", a.Body)
	}
}
