package comparison_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// dialed connects to a server that does nothing wrong at first.
func dialed(t *testing.T, ctx context.Context, c contender, to server) session {
	t.Helper()
	s, err := c.dial(ctx, to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, s) })
	return s
}

// serve runs the conformance server.
func serve(t *testing.T, opts ...conformance.Option) (*conformance.Server, string) {
	t.Helper()
	srv := conformance.New(opts...)
	web := httptest.NewServer(srv)
	t.Cleanup(func() {
		srv.Close()
		web.CloseClientConnections()
		web.Close()
	})
	return srv, web.URL
}

func forgotten(t *testing.T, ctx context.Context, c contender) string {
	srv, url := serve(t, conformance.WithEra(conformance.Legacy))
	s := dialed(t, ctx, c, server{url: url})
	if _, err := s.call(ctx, "test_simple_text", nil); err != nil {
		t.Fatal(err)
	}
	srv.ForgetSessions()
	if _, err := s.call(ctx, "test_simple_text", nil); err != nil {
		t.Log(err)
		return "an error"
	}
	return "works, in a new session"
}

func redirected(t *testing.T, ctx context.Context, c contender) string {
	const token = "s3cret"
	other := fault.NewHTTP(fault.Modern())
	t.Cleanup(other.Close)
	srv := fault.NewHTTP(fault.Modern().With(fault.Script{
		protocol.MethodCallTool: {{fault.Status(307), fault.Header("Location", other.URL)}},
	}))
	t.Cleanup(srv.Close)
	s := dialed(t, ctx, c, server{url: srv.URL, token: token})
	_, err := s.call(ctx, "echo", nil)
	records := other.Records()
	switch {
	case len(records) == 0 && err != nil:
		return "an error"
	case len(records) > 0 && records[0].Header.Get("Authorization") != "":
		return "followed, with the token"
	case len(records) > 0:
		return "followed"
	}
	t.Fatal("neither followed nor an error")
	return ""
}
