package comparison_test

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/mcpera/mcpera/conformance/fault"
)

func noise(t *testing.T, ctx context.Context, c contender) string {
	srv := fault.NewStdio(fault.Modern().With(fault.Script{fault.Start: {{fault.Raw("listening\n")}}}))
	t.Cleanup(srv.Close)
	s, err := c.dial(ctx, server{command: srv.Command()})
	if err != nil {
		t.Log(err)
		return "an error"
	}
	defer closed(t, s)
	if _, err := s.call(ctx, "echo", nil); err != nil {
		t.Log(err)
		return "an error"
	}
	return "skipped"
}

// tree runs a server that has a child, and asks the child after Close whether
// it is still there.
func tree(t *testing.T, ctx context.Context, c contender) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.dial(ctx, server{command: exec.Command(self, "tree", l.Addr().String())})
	if err != nil {
		t.Fatal(err)
	}
	child, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close() // the child leaves, if it is there
	closed(t, s)
	if _, err := child.Write([]byte("?")); err == nil {
		_, err = io.ReadFull(child, make([]byte, 1))
		if err == nil {
			return "still there"
		}
	}
	return "gone"
}

// serveWithChild is a stdio server that starts a child of its own.
func serveWithChild(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// Its streams are none of ours: nobody waits for them to end.
	if err := exec.Command(self, "leaf", args[0]).Start(); err != nil {
		return err
	}
	fault.Main(fault.Modern())
	return nil
}

// linger stays until the connection to address ends, and answers on it.
func linger(args []string) error {
	conn, err := net.Dial("tcp", args[0])
	if err != nil {
		return err
	}
	_, err = io.Copy(conn, conn)
	return err
}
