package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A call is one request of the program, whatever its method. It takes one leg,
// or several when the server asks for input in between.
type call struct {
	method     string
	name       string            // what it is about, for Mcp-Name
	params     any               // encodes as a JSON object; nil for none
	headers    map[string]string // Mcp-Param-*, by full name
	idempotent bool              // may be sent again
	asks       bool              // the server may ask for input
	task       *protocol.Task    // where a task goes that comes in place of the result

	timeout  time.Duration // of a leg, restarted by progress
	limit    time.Duration // of a leg, whatever the progress
	cursor   *string
	progress func(protocol.Progress)
	wantsLog protocol.LogLevel
	log      func(protocol.LogMessage)
	meta     map[string]any

	cache    CacheMode
	topic    responsecache.Topic // of its answer, if that may be kept
	recalled bool                // the answer was a kept one
	asked    bool                // the answer depends on input

	token int64 // of progress; 0 when none is asked for
}

// do makes a call and decodes its result into result.
func (c *Client) do(ctx context.Context, call *call, result any, opts []CallOption) error {
	call.timeout, call.limit = c.config.callTimeout, c.config.callLimit
	for _, opt := range opts {
		if err := opt(call); err != nil {
			return err
		}
	}
	if call.cursor != nil {
		call.params = cursorParams{*call.cursor}
	}
	params, err := encodeParams(call)
	if err != nil {
		return err
	}
	if err := c.sessionLevel(ctx, call); err != nil {
		return err
	}
	for {
		raw, err := c.invoke(ctx, call, params)
		if err != nil || call.task != nil && call.task.TaskID != "" {
			return err
		}
		if done, err := c.decode(call, raw, result); done {
			return err
		}
	}
}

type cursorParams struct {
	Cursor string `json:"cursor"`
}

// encodedParams are params that are a JSON object already.
type encodedParams jsontext.Value

// encodeParams returns a call's params as a JSON object.
func encodeParams(call *call) (jsontext.Value, error) {
	if call.params == nil {
		return jsontext.Value(`{}`), nil
	}
	if params, ok := call.params.(encodedParams); ok {
		return jsontext.Value(params), nil
	}
	params, err := json.Marshal(call.params, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("%s: encode the parameters: %w", call.method, err)
	}
	return params, nil
}

// unusable is the error of a result that can't be read.
func (c *Client) unusable(call *call, raw jsontext.Value, err error) error {
	return &transport.MessageError{
		Origin: c.link.target.String(), Method: call.method, Said: protocol.Quote(raw), Err: err,
	}
}

// leg sends a call's request once and returns the result and its type.
func (c *Client) leg(ctx context.Context, call *call, params jsontext.Value) (jsontext.Value, string, error) {
	id, n := c.link.next()
	if call.token == 0 && (call.progress != nil || call.method == protocol.MethodCallTool) {
		call.token = n
	}
	meta, err := c.callMeta(ctx, call)
	if err != nil {
		return nil, "", err
	}
	message := outgoing{method: call.method, name: call.name, params: params, meta: meta}
	write := func() *transport.Request {
		req := c.session.request(id, message)
		req.Idempotent, req.Params = call.idempotent, call.headers
		return req
	}
	turnDone, err := c.takeTurn(ctx, call.method)
	if err != nil {
		return nil, "", err
	}
	defer turnDone()
	watch, ctx := c.watch(ctx, call)
	defer watch.stop()
	c.active.add(n, call, watch)
	req, o := c.deliver(ctx, write)
	turnDone() // what the program does about the call's notifications may be a call
	failed := c.active.remove(n, call)
	if o.Failure == negotiation.Canceled && errors.Is(context.Cause(ctx), errTooSlow) {
		o.Failure, o.Err = negotiation.TimedOut, errTooSlow
	}
	if gaveUp := o.Failure == negotiation.TimedOut || o.Failure == negotiation.Canceled; gaveUp && o.Attempts > 0 {
		c.cancel(id)
	}
	if err := c.link.fail(req, o); err != nil {
		c.refute(ctx, err)
		return nil, "", err
	}
	if failed != nil {
		return nil, "", failed
	}
	typ, err := c.session.resultType(o.Message.Result)
	if err != nil {
		return nil, "", c.unusable(call, o.Message.Result, err)
	}
	return o.Message.Result, typ, nil
}

// callMeta returns the members that a call adds to _meta.
func (c *Client) callMeta(ctx context.Context, call *call) ([]byte, error) {
	meta, err := c.ownMeta(ctx, call)
	if err != nil {
		return nil, fmt.Errorf("%s: encode _meta: %w", call.method, err)
	}
	if call.wantsLog != "" && c.Era() == negotiation.EraModern {
		level, err := jsontext.AppendQuote(nil, call.wantsLog)
		if err != nil {
			return nil, fmt.Errorf("%s: encode _meta: %w", call.method, err)
		}
		meta = append(appendName(meta, protocol.MetaLogLevel), level...)
	}
	if call.token != 0 {
		meta = strconv.AppendInt(appendName(meta, protocol.MetaProgressToken), call.token, 10)
	}
	return meta, nil
}

// ownMeta returns the members of _meta that the program adds to a call.
func (c *Client) ownMeta(ctx context.Context, call *call) ([]byte, error) {
	if len(call.meta) == 0 && c.config.traceContext == nil {
		return nil, nil
	}
	own := make(map[string]any, len(call.meta))
	if c.config.traceContext != nil {
		c.config.traceContext(ctx).addTo(own)
	}
	maps.Copy(own, call.meta)
	meta, err := json.Marshal(own, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return meta[1 : len(meta)-1], nil
}

// appendName appends the name of another member, which needs no escapes.
func appendName(members []byte, name string) []byte {
	if len(members) > 0 {
		members = append(members, ',')
	}
	members = append(members, '"')
	members = append(members, name...)
	return append(members, `":`...)
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
		ctx, cancel := context.WithTimeout(transport.Unattended(c.life), answerTime)
		defer cancel()
		_ = c.notify(ctx, protocol.MethodCancelled, protocol.CancelledParams{RequestID: id})
	})
}

// notify sends a notification.
func (c *Client) notify(ctx context.Context, method string, params any) error {
	encoded, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: encode the parameters: %w", method, err)
	}
	return c.send(ctx, c.session.request(protocol.ID{}, outgoing{method: method, params: encoded}))
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
	c.forget(responsecache.TopicOf(endpoint(c.link.Target()), protocol.MethodDiscover, ""))
	if firstModern(versions) != "" {
		return
	}
	c.forgetEra(ctx)
}

// forgetEra forgets the remembered verdict.
func (c *Client) forgetEra(ctx context.Context) {
	if err := c.config.eras.Forget(ctx, eraKey(c.link.target)); err != nil {
		c.config.log.Warn("the era cache failed", "server", c.link.target.String(), "reason", err)
	}
}
