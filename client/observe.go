package client

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// An Invocation is a call as middleware sees it: all rounds of input are one.
type Invocation struct {
	Method string
	Name   string         // the tool's or prompt's name, or the resource's URI
	Params jsontext.Value // a JSON object, without _meta
}

// An Invoker makes a call and returns its result.
type Invoker func(ctx context.Context, call Invocation) (jsontext.Value, error)

// WithMiddleware puts f around every call of the program. It may change the
// params, the result and the error, or answer by itself; Method and Name are
// for it to read. The first middleware is the outermost.
func WithMiddleware(f func(next Invoker) Invoker) Option {
	return func(c *config) error {
		if f == nil {
			return errors.New("client: the middleware must not be nil")
		}
		c.middleware = append(c.middleware, f)
		return nil
	}
}

// invoke makes a call through the middleware.
func (c *Client) invoke(ctx context.Context, call *call, params jsontext.Value) (jsontext.Value, error) {
	if len(c.config.middleware) == 0 {
		return c.obtain(ctx, call, params)
	}
	next := func(ctx context.Context, inv Invocation) (jsontext.Value, error) {
		params := inv.Params.Clone()
		if err := params.Compact(); err != nil || params.Kind() != '{' { // a line break would end the message
			return nil, fmt.Errorf("%s: the middleware's params are no JSON object", call.method)
		}
		return c.obtain(ctx, call, params)
	}
	for i := len(c.config.middleware) - 1; i >= 0; i-- {
		next = c.config.middleware[i](next)
	}
	return next(ctx, Invocation{Method: call.method, Name: call.name, Params: params})
}

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
