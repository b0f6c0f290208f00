package comparison_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// opened says what came of connecting to a scripted server.
func opened(t *testing.T, ctx context.Context, c contender, srv *fault.HTTP) string {
	t.Helper()
	s, err := c.dial(ctx, server{url: srv.URL})
	if err == nil {
		defer closed(t, s)
		if err := s.list(ctx); err != nil {
			t.Errorf("a list after a connection: %v", err)
		}
	}
	switch sent := slices.Contains(srv.Methods(), protocol.MethodInitialize); {
	case err != nil && sent:
		return "`initialize`, then an error"
	case err != nil:
		return "an error"
	case sent:
		return "goes on as legacy"
	default:
		return "goes on as modern"
	}
}

// closed closes a session. What that comes to is no row's matter.
func closed(t *testing.T, s session) {
	t.Helper()
	if err := s.close(); err != nil {
		t.Logf("Close: %v", err)
	}
}

// refusals says what all of them come to, or each if they differ.
func refusals(t *testing.T, ctx context.Context, c contender) string {
	faults := []fault.Answer{{fault.Reset()}}
	for _, status := range []int{401, 403, 408, 429, 503} {
		faults = append(faults, fault.Answer{fault.Status(status)})
	}
	return each(faults, func(f fault.Answer) string {
		// Either era, as most modern servers serve.
		srv := fault.NewHTTP(fault.Dual().With(fault.Script{protocol.MethodDiscover: {f}}))
		t.Cleanup(srv.Close)
		return opened(t, ctx, c, srv)
	})
}

// each tries all at the same time, since some of it takes a while, and says what
// came of them: once, if it is the same.
func each[T any](all []T, try func(T) string) string {
	said := make([]string, len(all))
	var tries sync.WaitGroup
	for i, one := range all {
		tries.Go(func() { said[i] = try(one) })
	}
	tries.Wait()
	if same := slices.Compact(slices.Clone(said)); len(same) == 1 {
		return same[0]
	}
	return strings.Join(said, "; ")
}

// shared connects to a server of the oldest kind.
func shared(t *testing.T, ctx context.Context, c contender) string {
	s := mcp.NewServer(&mcp.Implementation{Name: "shared", Version: "1"}, nil)
	web := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	got, err := c.dial(ctx, server{url: web.URL})
	if err == nil {
		closed(t, got)
		return "connects"
	}
	t.Log(err)
	if got, err = c.dialShared(ctx, web.URL); err != nil {
		t.Fatal(err)
	}
	closed(t, got)
	return "an error; another transport connects"
}
