package stdio

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// secret stands wherever the caller can put one: arguments, environment, the
// directory's name.
const secret = "s3cr3tmarker"

func secretive(t *testing.T, program string, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, "-c", script, "--token="+secret)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "API_KEY=" + secret}
	return cmd
}

// ignored is a receiver for servers that say nothing.
type ignored struct{}

func (ignored) Receive(*protocol.Message, *transport.Request) {}

// No error and no form of a transport shows what its command was given.
func TestNoErrorAndNoFormShowsASecret(t *testing.T) {
	request := func() *transport.Request {
		return &transport.Request{ID: protocol.NumberID(1), Method: "tools/list", Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)}
	}
	open := func(program, script string, opts ...Option) (*Transport, error) {
		tr, err := New(secretive(t, program, script), opts...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = tr.Close() })
		return tr, tr.Open(t.Context(), ignored{})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, meet := range map[string]func() (*Transport, error){
		"a program that is missing": func() (*Transport, error) { return open("no-such-program", "") },
		"a directory that is missing": func() (*Transport, error) {
			cmd := secretive(t, "/bin/sh", "")
			cmd.Dir = "/no/" + secret
			tr, err := New(cmd)
			if err != nil {
				t.Fatal(err)
			}
			return tr, tr.Open(t.Context(), ignored{})
		},
		"a variable that is no variable": func() (*Transport, error) {
			_, err := New(exec.Command("/bin/sh"), WithEnv(secret))
			return nil, err
		},
		"a process that exits": func() (*Transport, error) {
			tr, err := open("/bin/sh", "read line; exit 3")
			if err != nil {
				t.Fatal(err)
			}
			return tr, tr.Exchange(t.Context(), request()).Err
		},
		"a line above the limit": func() (*Transport, error) {
			tr, err := open("/bin/sh", "read line; head -c 200000 /dev/zero; cat", WithMaxMessage(10))
			if err != nil {
				t.Fatal(err)
			}
			return tr, tr.Exchange(t.Context(), request()).Err
		},
		"a caller who has left": func() (*Transport, error) {
			tr, err := open("/bin/sh", "cat >/dev/null")
			if err != nil {
				t.Fatal(err)
			}
			return tr, tr.Exchange(ended, request()).Err
		},
		"a transport that is closed": func() (*Transport, error) {
			tr, err := open("/bin/sh", "cat >/dev/null")
			if err != nil {
				t.Fatal(err)
			}
			if err := tr.Close(); err != nil {
				t.Fatal(err)
			}
			return tr, tr.Send(t.Context(), request())
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr, err := meet()
			if err == nil {
				t.Fatal("nothing went wrong")
			}
			if tr != nil {
				o := negotiation.Outcome{Failure: negotiation.Closed, Err: err}
				shows(t, transport.ErrorOf(tr.Target(), request(), o), tr.Target(), tr)
			}
			for ; err != nil; err = errors.Unwrap(err) {
				shows(t, err)
			}
		})
	}
}

// shows fails the test for each form of a value that holds the secret.
func shows(t *testing.T, values ...any) {
	t.Helper()
	for _, v := range values {
		for _, text := range []string{fmt.Sprint(v), fmt.Sprintf("%+v", v), fmt.Sprintf("%#v", v)} {
			if strings.Contains(text, secret) {
				t.Errorf("%T shows it: %s", v, text)
			}
		}
	}
}
