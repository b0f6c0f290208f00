package comparison_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// enough is how much of an answer a client is given: more than the bounds of
// those that have one.
const enough = 40 << 20

// An unending server is a scripted one whose tool answers without end.
type unending struct {
	script http.Handler
	body                 // what the answer begins with
	given  chan struct{} // closed once the client has been given enough
}

type body struct{ kind, start string }

func endless(t *testing.T, ctx context.Context, c contender) string {
	return each([]body{
		{"application/json", `{"jsonrpc":"2.0","id":1,"padding":"`},
		{"text/event-stream", "data: "},
	}, func(b body) string {
		srv := fault.NewHTTP(fault.Modern())
		u := &unending{script: srv, body: b, given: make(chan struct{})}
		web := httptest.NewServer(u)
		t.Cleanup(func() {
			web.CloseClientConnections()
			web.Close()
			srv.Close()
		})
		s, err := c.dial(ctx, server{url: web.URL})
		if err != nil {
			t.Error(err)
			return ""
		}
		defer closed(t, s)
		return u.serve(t, ctx, s)
	})
}

// serve says what a client makes of the answer.
func (u *unending) serve(t *testing.T, ctx context.Context, s session) string {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	returned := make(chan error, 1)
	go func() {
		_, err := s.call(ctx, "echo", nil)
		returned <- err
	}()
	select {
	case err := <-returned:
		return ended(t, err)
	case <-u.given:
	}
	select { // what is on its way to the client may be too much for it
	case err := <-returned:
		return ended(t, err)
	case <-time.After(patience):
		cancel()
		<-returned
		return "reads on"
	}
}

func ended(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		t.Error("an answer without end was read")
		return "reads it"
	}
	t.Log(err)
	return "an error"
}

func (u *unending) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	var message struct{ Method string }
	if json.Unmarshal(body, &message) != nil || message.Method != protocol.MethodCallTool {
		req.Body = io.NopCloser(bytes.NewReader(body))
		u.script.ServeHTTP(w, req)
		return
	}
	w.Header().Set("Content-Type", u.kind)
	_, err = io.WriteString(w, u.start)
	part := bytes.Repeat([]byte("x"), 1<<20)
	for n := 0; n < enough && err == nil; n += len(part) {
		_, err = w.Write(part)
	}
	if err == nil {
		close(u.given)
		<-req.Context().Done()
	}
}
