package client

import (
	"context"
	"regexp"

	"github.com/mcpera/mcpera/protocol"
)

// A TraceContext is what W3C trace context puts into a request's _meta:
// traceparent, tracestate and baggage, each in its W3C format. Empty members
// and other keys are left out, and everything is when traceparent is not in its
// format.
//
// Source: MCP 2026-07-28, basic, "_meta"; W3C Trace Context, 3.2.
type TraceContext map[string]string

var traceparent = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// addTo adds the members to those of a _meta.
func (t TraceContext) addTo(meta map[string]any) {
	if parent := t["traceparent"]; parent != "" && !traceparent.MatchString(parent) {
		return
	}
	for _, key := range []string{"traceparent", "tracestate", "baggage"} {
		if value := t[key]; value != "" {
			meta[key] = value
		}
	}
}

// WithTraceContext calls f for each request and puts what it returns into the
// request's _meta, under the keys traceparent, tracestate and baggage. So a
// program ties servers into its traces without this SDK knowing how it traces.
func WithTraceContext(f func(context.Context) TraceContext) Option {
	return func(c *config) error {
		c.traceContext = f
		return nil
	}
}

// WithIncoming calls f for every notification, and in the legacy era every
// request, that comes from the server, before it is acted on. f runs on the
// goroutine that reads and must not wait.
func WithIncoming(f func(*protocol.Message)) Option {
	return func(c *config) error {
		c.incoming = f
		return nil
	}
}
