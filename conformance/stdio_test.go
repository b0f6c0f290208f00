package conformance

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpera/mcpera/protocol"
)

// pipe is a server over stdio and the client's ends of it.
type pipe struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Scanner
	done chan error // has room for the result of ServeStdio
}

func servePipe(ctx context.Context, t *testing.T, srv *Server) *pipe {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	p := &pipe{t, toServer, bufio.NewScanner(fromServer), make(chan error, 1)}
	p.out.Buffer(nil, 1<<20)
	go func() {
		err := srv.ServeStdio(ctx, in, out)
		out.Close()
		p.done <- err
	}()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
		srv.Close()
	})
	return p
}

func (p *pipe) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pipe) receive() *protocol.Message {
	p.t.Helper()
	if !p.out.Scan() {
		p.t.Fatalf("no line: %v", p.out.Err())
	}
	m, err := protocol.Decode(p.out.Bytes())
	if err != nil {
		p.t.Fatalf("line %q: %v", p.out.Text(), err)
	}
	return m
}

func (p *pipe) ask(line string) *protocol.Message {
	p.t.Helper()
	p.send(line)
	return p.receive()
}

// finish ends the input and returns what ServeStdio says.
func (p *pipe) finish() error {
	p.in.Close()
	return <-p.done
}

func withID(body, id string) string { return strings.Replace(body, `"id":1`, `"id":`+id, 1) }

func TestStdioServesBothErasOnOneConnection(t *testing.T) {
	p := servePipe(t.Context(), t, New())
	if m := p.ask(modernBody("server/discover", "", emptyCaps)); m.Error != nil {
		t.Errorf("discover: %v", m.Error)
	}
	if m := p.ask(initializeBody); m.Error != nil {
		t.Errorf("initialize: %v", m.Error)
	}
	if m := p.ask(legacyBody("ping", `{}`)); string(m.Result) != "{}" {
		t.Errorf("ping: %s", m.Result)
	}
	if m := p.ask(modernBody("tools/call", `"name":"echo","arguments":{"message":"hi"}`, emptyCaps)); m.Error != nil {
		t.Errorf("a modern call after initialize: %v", m.Error)
	}
	if err := p.finish(); err != nil {
		t.Errorf("ServeStdio: %v", err)
	}
}

func TestStdioErrors(t *testing.T) {
	modernOnly, locked := New(WithEra(Modern)), New(WithStdioLock())
	for name, tc := range map[string]struct {
		srv  *Server
		open bool
		line string
		code int64
		id   string
	}{
		"a broken line":                              {New(), false, `{"jsonrpc"`, -32700, "null"},
		"a batch":                                    {New(), false, `[]`, -32600, "null"},
		"one key of two":                             {New(), false, request("tools/list", pv), -32602, "1"},
		"an unsupported version":                     {New(), false, strings.ReplaceAll(modernBody("tools/list", "", emptyCaps), "2026-07-28", "2031-01-01"), -32022, "1"},
		"a legacy method in a modern request":        {New(), false, modernBody("ping", "", emptyCaps), -32601, "1"},
		"a missing resource, modern":                 {New(), false, modernBody("resources/read", `"uri":"test://none"`, emptyCaps), -32602, "1"},
		"a missing resource, legacy":                 {New(), true, legacyBody("resources/read", `{"uri":"test://none"}`), -32002, "2"},
		"a listen request without a filter":          {New(), false, modernBody(methodListen, "", emptyCaps), -32602, "1"},
		"initialize on a modern-only server":         {modernOnly, false, initializeBody, -32022, `"init"`},
		"a modern method once initialize has locked": {locked, true, modernBody("server/discover", "", emptyCaps), -32601, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := servePipe(t.Context(), t, tc.srv)
			if tc.open {
				p.ask(initializeBody)
			}
			m := p.ask(tc.line)
			if m.Error == nil || m.Error.Code != tc.code || m.ID.String() != tc.id {
				t.Errorf("answer %+v %v", m, m.Error)
			}
		})
	}
}

func TestStdioNotificationsHaveNoAnswer(t *testing.T) {
	p := servePipe(t.Context(), t, New())
	p.send(`{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{` + pv + `}}}`) // half the metadata
	p.send(`{"jsonrpc":"2.0","method":"notifications/x"}`)
	p.send(`{"jsonrpc":"2.0","id":5,"result":{}}`)
	p.send("")
	if m := p.ask(legacyBody("ping", "{}")); m.ID.String() != "2" {
		t.Errorf("first answer %+v", m)
	}
}

func TestStdioMixesNotificationsWithResponses(t *testing.T) {
	p := servePipe(t.Context(), t, New())
	p.send(modernBody("tools/call", `"name":"test_tool_with_progress"`, emptyCaps, token))
	for range 3 {
		if m := p.receive(); m.Method != "notifications/progress" {
			t.Fatalf("message %+v", m)
		}
	}
	if m := p.receive(); !m.IsResponse() || m.Error != nil {
		t.Errorf("message %+v", m)
	}
}

func TestStdioRequestsRunSideBySide(t *testing.T) {
	release := make(chan struct{})
	p := servePipe(t.Context(), t, New(WithTools(tool("wait", func(context.Context, *Call) (*protocol.CallToolResult, error) {
		<-release
		return Text("waited"), nil
	}))))
	p.send(withID(modernBody("tools/call", `"name":"wait"`, emptyCaps), `"slow"`))
	if m := p.ask(withID(modernBody("tools/list", "", emptyCaps), `"quick"`)); m.ID.String() != `"quick"` {
		t.Errorf("first answer is to %s", m.ID)
	}
	close(release)
	if m := p.receive(); m.ID.String() != `"slow"` {
		t.Errorf("second answer is to %s", m.ID)
	}
}

func TestStdioServerRequests(t *testing.T) {
	p := servePipe(t.Context(), t, New())
	p.ask(initializeBody)
	m := p.ask(legacyBody("tools/call", `{"name":"test_list_roots"}`))
	if m.Method != "roots/list" {
		t.Fatalf("message %+v", m)
	}
	got := p.ask(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,"result":{"roots":[{"uri":"file:///x"}]}}`)
	if text := decode[protocol.CallToolResult](t, got.Result); text.Text() != "Roots: file:///x" {
		t.Errorf("result %s", got.Result)
	}
}

func TestStdioCancellation(t *testing.T) {
	started := make(chan struct{})
	p := servePipe(t.Context(), t, New(WithTools(tool("wait", func(ctx context.Context, _ *Call) (*protocol.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	}))))
	p.send(withID(modernBody("tools/call", `"name":"wait"`, emptyCaps), "7"))
	<-started
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	if err := p.finish(); err != nil { // waits for the call to end
		t.Errorf("ServeStdio: %v", err)
	}
	if p.out.Scan() {
		t.Errorf("a cancelled request was answered: %s", p.out.Text())
	}
}

func TestStdioSubscriptions(t *testing.T) {
	srv := New()
	p := servePipe(t.Context(), t, srv)
	listen := func(id, filter string) {
		t.Helper()
		m := p.ask(withID(modernBody(methodListen, `"notifications":`+filter, emptyCaps), id))
		if m.Method != "notifications/subscriptions/acknowledged" || subscriptionID(t, m) != id {
			t.Fatalf("message %s %s", m.Method, m.Params)
		}
	}
	listen("7", `{"toolsListChanged":true}`)
	listen("8", `{"promptsListChanged":true}`)
	srv.NotifyToolsChanged()
	if m := p.receive(); m.Method != "notifications/tools/list_changed" || subscriptionID(t, m) != "7" {
		t.Errorf("message %s %s", m.Method, m.Params)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	p.ask(modernBody("tools/list", "", emptyCaps)) // the cancellation has been read
	t.Run("the end of the input ends what was not cancelled with a result", func(t *testing.T) {
		p.in.Close()
		m := p.receive()
		if m.ID.String() != "8" || m.Error != nil || subscriptionID(t, m) != "8" {
			t.Errorf("message %+v", m)
		}
		if p.out.Scan() {
			t.Errorf("one more line: %s", p.out.Text())
		}
		if err := <-p.done; err != nil {
			t.Errorf("ServeStdio: %v", err)
		}
	})
}

func TestStdioLegacyClientsHearOfChanges(t *testing.T) {
	srv := New()
	p := servePipe(t.Context(), t, srv)
	srv.NotifyToolsChanged() // before initialize: nobody to tell
	p.ask(initializeBody)
	srv.NotifyToolsChanged()
	if m := p.receive(); m.Method != "notifications/tools/list_changed" {
		t.Errorf("message %+v", m)
	}
}

func TestStdioEnds(t *testing.T) {
	t.Run("with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := servePipe(ctx, t, New())
		p.ask(legacyBody("ping", "{}"))
		cause := errors.New("enough")
		cancel(cause)
		if err := <-p.done; !errors.Is(err, cause) {
			t.Errorf("ServeStdio: %v", err)
		}
	})
	t.Run("with the server, after a farewell", func(t *testing.T) {
		srv := New()
		p := servePipe(t.Context(), t, srv)
		p.ask(modernBody(methodListen, `"notifications":{}`, emptyCaps))
		go srv.Close()
		if m := p.receive(); !m.IsResponse() || m.Error != nil {
			t.Errorf("message %+v", m)
		}
		if err := <-p.done; !errors.Is(err, errClosed) {
			t.Errorf("ServeStdio: %v", err)
		}
	})
	t.Run("with a line that is too long", func(t *testing.T) {
		err := New(WithMaxBody(10)).ServeStdio(t.Context(), strings.NewReader(strings.Repeat("x", 100)), io.Discard)
		if !errors.Is(err, bufio.ErrTooLong) {
			t.Errorf("ServeStdio: %v", err)
		}
	})
	t.Run("with an output that fails", func(t *testing.T) {
		err := New().ServeStdio(t.Context(), strings.NewReader("{}\n"), failingWriter{})
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("ServeStdio: %v", err)
		}
	})
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestStdioGivesRequestsOneMoreSecond(t *testing.T) {
	for name, tc := range map[string]struct {
		seconds string
		took    time.Duration
		code    int64
	}{
		"to finish":             {"0.9", 900 * time.Millisecond, 0},
		"and no more than that": {"3600", time.Second, -32800},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				line := modernBody("tools/call", `"name":"sleep","arguments":{"seconds":`+tc.seconds+`}`, emptyCaps)
				var out strings.Builder
				if err := New().ServeStdio(t.Context(), strings.NewReader(line), &out); err != nil {
					t.Errorf("ServeStdio: %v", err)
				}
				m, err := protocol.Decode([]byte(strings.TrimSpace(out.String())))
				if err != nil {
					t.Fatal(err)
				}
				if got := (answer{Msg: m}).code(); got != tc.code || time.Since(began) != tc.took {
					t.Errorf("code %d after %v, want %d after %v", got, time.Since(began), tc.code, tc.took)
				}
			})
		})
	}
}

func TestSeededServersAnswerAlike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := modernBody("tools/call", `"name":"test_input_required_result_elicitation"`, everyCap) + "\n"
		transcript := func() string {
			var out strings.Builder
			if err := New(WithSeed("s")).ServeStdio(t.Context(), strings.NewReader(lines), &out); err != nil {
				t.Error(err)
			}
			return out.String()
		}
		if a, b := transcript(), transcript(); a != b {
			t.Errorf("transcripts differ:\n%s\n%s", a, b)
		}
	})
}
