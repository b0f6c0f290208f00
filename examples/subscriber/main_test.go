package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func tool(name string) conformance.Tool {
	return conformance.Tool{
		Definition: protocol.Tool{Name: name},
		Run: func(context.Context, *conformance.Call) (*protocol.CallToolResult, error) {
			return conformance.Text(name), nil
		},
	}
}

// serve runs a server with two tools.
func serve(t *testing.T, opts ...conformance.Option) (*conformance.Server, string) {
	t.Helper()
	srv := conformance.New(append(opts, conformance.WithoutFixtures(), conformance.WithTools(tool("a"), tool("b")))...)
	web := httptest.NewServer(srv)
	t.Cleanup(func() {
		srv.Close()
		web.Close()
	})
	return srv, web.URL
}

func TestTheSubscriberFollows(t *testing.T) {
	for _, era := range []conformance.Era{conformance.Modern, conformance.Legacy} {
		t.Run(era.String(), func(t *testing.T) {
			srv, url := serve(t, conformance.WithEra(era))
			ctx, stop := context.WithCancel(t.Context())
			r, w := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				ended <- run(ctx, url, w)
				_ = w.Close()
			}()
			lines := bufio.NewScanner(r)
			expect := func(want string) {
				t.Helper()
				if !lines.Scan() || lines.Text() != want {
					t.Fatalf("the subscriber wrote %q, want %q", lines.Text(), want)
				}
			}
			expect("acknowledged: +a +b")
			srv.SetTool(tool("c"))
			expect("tools: +c")
			srv.RemoveTool("a")
			expect("tools: -a")
			stop()
			for lines.Scan() {
				t.Errorf("the subscriber wrote %q, too", lines.Text())
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

func TestTheSubscriberSaysWhyItEnds(t *testing.T) {
	_, url := serve(t, conformance.WithEra(conformance.Legacy), conformance.WithStateless())
	err := run(t.Context(), url, io.Discard)
	if err == nil || err.Error() != "the server does not tell when its tools change" {
		t.Errorf("a server that tells of nothing ended it with %v", err)
	}
	srv, url := serve(t, conformance.WithEra(conformance.Modern))
	r, w := io.Pipe()
	go func() {
		_, _ = r.Read(make([]byte, 1)) // it has begun
		srv.EndSubscriptions()
		_, _ = io.Copy(io.Discard, r)
	}()
	if err := run(t.Context(), url, w); !errors.Is(err, client.ErrSubscriptionEnded) {
		t.Errorf("an orderly end gave %v", err)
	}
	_ = w.Close()
}
