package http

import (
	"context"
	"net/http"
	"testing"

	"github.com/mcpera/mcpera/internal/memhttp"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// What sends requests may be the program's, and so is what receives messages.
// When it panics and the program goes on, Close must not wait for what is gone.
func TestAPanicLeavesNothingForCloseToWaitFor(t *testing.T) {
	panics := roundTripFunc(func(*http.Request) (*http.Response, error) { panic("no") })
	for name, use := range map[string]func(ctx context.Context, tr *Transport){
		"Exchange":   func(ctx context.Context, tr *Transport) { tr.Exchange(ctx, toolCall()) },
		"Send":       func(ctx context.Context, tr *Transport) { _ = tr.Send(ctx, toolCall()) },
		"EndSession": func(ctx context.Context, tr *Transport) { _ = tr.EndSession(ctx, "2025-11-25", "s1") },
		"Listen":     func(ctx context.Context, tr *Transport) { _ = tr.Listen(ctx, resumable(), func() {}) },
		"Share":      func(ctx context.Context, tr *Transport) { _ = tr.Share(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			tr := openTo(t, new(received), "http://api.example.com/mcp", WithClient(&http.Client{Transport: panics}))
			if !panicked(func() { use(t.Context(), tr) }) {
				t.Error("the panic is lost")
			}
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("a receiver", func(t *testing.T) {
		s := &streamServer{post: stream(true, news, ending)}
		client := &http.Client{Transport: memhttp.Serve(t, s)}
		tr := openTo(t, receiverFunc(func(*protocol.Message, *transport.Request) { panic("no") }), "http://api.example.com/mcp", WithClient(client))
		if !panicked(func() { tr.Exchange(t.Context(), resumable()) }) {
			t.Error("the panic is lost")
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		if o := tr.Exchange(t.Context(), resumable()); o.Failure != negotiation.Closed {
			t.Errorf("after Close: %v", o.Failure)
		}
	})
}

func panicked(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
