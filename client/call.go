package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A CallOption adjusts one call.
type CallOption func(*call) error

// A call is one request of the program, whatever its method.
type call struct {
	method     string
	name       string // what it is about, for Mcp-Name
	params     any    // encodes as an object; nil for none
	idempotent bool   // may be sent again
	timeout    time.Duration
	cursor     *string
}

// Timeout bounds the call: by default what WithCallTimeout says. It holds for
// each page of an iterator.
func Timeout(d time.Duration) CallOption {
	return func(c *call) error { return positive("timeout of a call", d, &c.timeout) }
}

// Cursor asks a list for the page that a NextCursor named. Cursors are opaque.
func Cursor(cursor string) CallOption {
	return func(c *call) error {
		c.cursor = &cursor
		return nil
	}
}

// do sends a call and decodes its result into result.
func (c *Client) do(ctx context.Context, call *call, result any, opts []CallOption) error {
	call.timeout = c.config.callTimeout
	for _, opt := range opts {
		if err := opt(call); err != nil {
			return err
		}
	}
	req, err := c.encode(call)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, call.timeout)
	defer cancel()
	o := c.link.exchange(ctx, req)
	if o.Failure == negotiation.TimedOut || o.Failure == negotiation.Canceled {
		c.cancel(req.ID)
	}
	if err := c.link.fail(req, o); err != nil {
		c.refute(ctx, err)
		return err
	}
	raw, err := c.session.result(o.Message.Result)
	if err == nil {
		err = json.Unmarshal(raw, result)
	}
	if err != nil {
		return &transport.MessageError{
			Origin: c.link.target.String(), Method: call.method, Status: o.Status,
			Said: protocol.Quote(o.Message.Result), Err: err,
		}
	}
	return nil
}

// encode writes the call as a request of the connection's era.
func (c *Client) encode(call *call) (*transport.Request, error) {
	params := jsontext.Value(`{}`)
	if call.cursor != nil {
		call.params = struct {
			Cursor string `json:"cursor"`
		}{*call.cursor}
	}
	if call.params != nil {
		var err error
		if params, err = json.Marshal(call.params, json.Deterministic(true)); err != nil {
			return nil, fmt.Errorf("%s: encode the parameters: %w", call.method, err)
		}
	}
	req := c.session.request(c.link.nextID(), call.method, call.name, params)
	req.Idempotent = call.idempotent
	return req, nil
}

// cancel tells the server that a request is no longer wanted, where its era and
// transport need telling.
//
// Source: MCP 2026-07-28, patterns/cancellation.
func (c *Client) cancel(id protocol.ID) {
	if !c.session.cancels(c.link.Kind()) {
		return
	}
	c.spawn(func() {
		ctx, cancel := context.WithTimeout(c.life, answerTime)
		defer cancel()
		params, err := json.Marshal(protocol.CancelledParams{RequestID: id})
		if err != nil {
			return
		}
		_ = c.link.send(ctx, c.session.request(protocol.ID{}, protocol.MethodCancelled, "", params))
	})
}

// refute forgets a remembered modern verdict when a modern request is refused
// by a server that names legacy versions only. This connection stays modern;
// the next one asks again.
func (c *Client) refute(ctx context.Context, err error) {
	var server *protocol.Error
	if c.Era() != negotiation.EraModern || !errors.As(err, &server) {
		return
	}
	versions := server.SupportedVersions()
	if len(versions) == 0 {
		return
	}
	for _, v := range versions {
		if negotiation.EraOf(v) == negotiation.EraModern {
			return
		}
	}
	if err := c.config.eras.Forget(ctx, eraKey(c.link.target)); err != nil {
		c.config.log.Warn("the era cache failed", "server", c.link.target.String(), "reason", err)
	}
}
