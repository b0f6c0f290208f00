package conformance

import (
	"bufio"
	"io"
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

func TestBothErasAnswerOnOneEndpoint(t *testing.T) {
	e := serve(t)
	t.Run("a modern call needs no handshake", func(t *testing.T) {
		a := e.call("add_numbers", `{"a":2,"b":3}`)
		if got := string(a.result(t, "structuredContent")); got != `{"sum":5}` {
			t.Errorf("structuredContent = %s", got)
		}
		if got := string(a.result(t, "resultType")); got != `"complete"` {
			t.Errorf("resultType = %s", got)
		}
	})
	t.Run("a legacy call needs a session", func(t *testing.T) {
		if a := e.post(legacyBody("tools/list", `{}`)); a.Status != 400 {
			t.Errorf("without a session: status %d", a.Status)
		}
		e.open()
		a := e.post(legacyBody("tools/call", `{"name":"echo","arguments":{"message":"hi"}}`))
		got := decode[protocol.CallToolResult](t, a.Msg.Result)
		if got.Text() != "hi" {
			t.Errorf("text = %q", got.Text())
		}
		if a.result(t, "resultType") != nil {
			t.Error("a legacy result has a resultType")
		}
	})
}

func TestStdioServesBothErasOnOneConnection(t *testing.T) {
	srv := New()
	t.Cleanup(srv.Close)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := srv.ServeStdio(t.Context(), in, out)
		out.Close()
		done <- err
	}()
	lines := bufio.NewScanner(fromServer)
	ask := func(line string) *protocol.Message {
		t.Helper()
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() {
			t.Fatalf("no answer: %v", lines.Err())
		}
		m, err := protocol.Decode(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := ask(modernBody("server/discover", "", emptyCaps)); m.Error != nil {
		t.Errorf("discover: %v", m.Error)
	}
	if m := ask(initializeBody); m.Error != nil {
		t.Errorf("initialize: %v", m.Error)
	}
	if m := ask(legacyBody("ping", `{}`)); string(m.Result) != "{}" {
		t.Errorf("ping: %s", m.Result)
	}
	if m := ask(modernBody("tools/call", `"name":"echo","arguments":{"message":"hi"}`, emptyCaps)); m.Error != nil {
		t.Errorf("modern call after initialize: %v", m.Error)
	}
	toServer.Close()
	if err := <-done; err != nil {
		t.Errorf("ServeStdio: %v", err)
	}
}
