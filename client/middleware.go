package client

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// An Invocation is a call as middleware sees it: all rounds of input are one.
type Invocation struct {
	Method string
	// Name is what the call is about: a tool's or prompt's name, a resource's URI.
	// To change it, change the params.
	Name   string
	Params jsontext.Value // a JSON object, without _meta
	// Meta are the members that the program adds to _meta; nil for none. The option
	// Meta says which keys there can be.
	Meta map[string]any
}

// An Invoker makes a call and returns its result.
type Invoker func(ctx context.Context, call Invocation) (jsontext.Value, error)

// WithMiddleware puts f around every call of the program. It may change the
// params, Meta, the result and the error, or answer by itself. The first middleware
// is the outermost.
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
		params, err := c.amend(call, inv.Params)
		if err != nil {
			return nil, fmt.Errorf("%s: the middleware's params: %w", call.method, err)
		}
		for key := range inv.Meta {
			if err := protocol.CheckMetaKey(key); err != nil {
				return nil, fmt.Errorf("%s: the middleware's Meta: %w", call.method, err)
			}
		}
		call.meta = inv.Meta
		return c.obtain(ctx, call, params)
	}
	for i := len(c.config.middleware) - 1; i >= 0; i-- {
		next = c.config.middleware[i](next)
	}
	return next(ctx, Invocation{Method: call.method, Name: call.name, Params: params, Meta: maps.Clone(call.meta)})
}

// naming are the params that say what a call is about, by method.
var naming = map[string]string{
	protocol.MethodCallTool: "name", protocol.MethodGetPrompt: "name", protocol.MethodReadResource: "uri",
	protocol.MethodGetTask: "taskId", protocol.MethodUpdateTask: "taskId", protocol.MethodCancelTask: "taskId",
}

// amend returns params of middleware's for a call, fit to be sent, and has the call's
// headers say what they say.
func (c *Client) amend(call *call, params jsontext.Value) (jsontext.Value, error) {
	if params.Kind() != '{' {
		return nil, errors.New("they are no JSON object")
	}
	params = params.Clone()
	if err := params.Compact(); err != nil { // a line break would end the message
		return nil, err
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(params, &members); err != nil {
		return nil, err
	}
	if members["_meta"] != nil {
		return nil, errors.New("_meta goes into Meta")
	}
	if name := naming[call.method]; name != "" {
		if members[name].Kind() != '"' {
			return nil, fmt.Errorf("%s is no string", name)
		}
		if err := json.Unmarshal(members[name], &call.name); err != nil {
			return nil, err
		}
	}
	if call.method != protocol.MethodCallTool {
		return params, nil
	}
	var err error
	call.headers, err = c.headersOf(call.name, members["arguments"])
	return params, err
}
