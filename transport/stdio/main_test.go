package stdio

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// serverEnv makes the test binary act as one of the servers.
const serverEnv = "MCPERA_TEST_SERVER"

func TestMain(m *testing.M) {
	if name := os.Getenv(serverEnv); name != "" {
		serve, ok := servers[name]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such server:", name)
			os.Exit(2)
		}
		serve()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// server returns a command that runs one of the servers.
func server(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	// The race detector would have every server linger for a second.
	cmd.Env = append(os.Environ(), serverEnv+"="+name, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// shell returns a command that runs script in sh, with a server at "$0".
func shell(t *testing.T, name, script string) *exec.Cmd {
	t.Helper()
	cmd := server(t, name)
	sh := exec.Command("sh", "-c", script, cmd.Path)
	sh.Env = cmd.Env
	return sh
}

// open returns an open transport, which is closed at the end of the test.
func open(t *testing.T, cmd *exec.Cmd, opts ...Option) *Transport {
	t.Helper()
	return openTo(t, receiverFunc(func(*protocol.Message, *transport.Request) {}), cmd, opts...)
}

func openTo(t *testing.T, r transport.Receiver, cmd *exec.Cmd, opts ...Option) *Transport {
	t.Helper()
	tr, err := New(cmd, append([]Option{WithShutdown(time.Minute, time.Minute)}, opts...)...)
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

// ask is a request with an id and parameters.
func ask(id int64, params string) *transport.Request {
	return &transport.Request{
		ID: protocol.NumberID(id), Method: "ask",
		Body: protocol.AppendRequest(nil, protocol.NumberID(id), "ask", []byte(params)),
	}
}

// exchange is Exchange and the error that its outcome means.
func exchange(ctx context.Context, tr *Transport, req *transport.Request) (negotiation.Outcome, error) {
	o := tr.Exchange(ctx, req)
	return o, transport.ErrorOf(tr.Target(), req, o)
}

// ping fails the test unless the server answers.
func ping(t *testing.T, tr *Transport, id int64) {
	t.Helper()
	if _, err := exchange(t.Context(), tr, ask(id, `{}`)); err != nil {
		t.Fatalf("ping %d: %v", id, err)
	}
}
