package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// Subscribe returns the changes that filter names, as the server tells of them,
// in either era. The first is Acknowledged, and says what the server grants of
// the filter. Changes that come faster than they are read are one.
//
// When the connection breaks, the subscription is opened again, with growing
// waits, and a Gap says that changes may have been missed. An error ends it:
// ErrSubscriptionEnded when the server did, ErrNoSubscriptions when it tells of
// nothing that was asked for, that of ctx, or what kept the subscription from
// being opened again. Leaving the loop ends it too.
//
// Source: MCP 2026-07-28, patterns/subscriptions; 2025-11-25, server/resources,
// "Subscriptions".
func (c *Client) Subscribe(ctx context.Context, filter protocol.SubscriptionFilter) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.life, cancel)()
		var err error
		if c.Era() == negotiation.EraModern {
			err = c.subscribeModern(ctx, filter, yield)
		} else {
			err = c.subscribeLegacy(ctx, filter, yield)
		}
		switch {
		case errors.Is(err, errLeft):
		case c.life.Err() != nil:
			yield(Change{}, ErrClosed)
		default:
			yield(Change{}, err)
		}
	}
}

// errLeft means that the reader has left the loop.
var errLeft = errors.New("the reader left")

// maxRelistens is how often in a row a subscription is opened in vain before it
// is given up.
const maxRelistens = 10

// subscribeModern keeps a subscriptions/listen request open.
func (c *Client) subscribeModern(ctx context.Context, filter protocol.SubscriptionFilter, yield func(Change, error) bool) error {
	params, err := json.Marshal(protocol.ListenParams{Notifications: filter})
	if err != nil {
		return fmt.Errorf("%s: encode the parameters: %w", protocol.MethodListen, err)
	}
	for granted, failures := false, 0; ; {
		acknowledged, err := c.listenOnce(ctx, params, granted, yield)
		if acknowledged {
			granted, failures = true, 0
		}
		if !c.listensAgain(err) || failures == maxRelistens {
			return err
		}
		c.config.log.Warn("lost a subscription", "server", c.link.target.String(), "reason", err)
		if err := sleep(ctx, c.config.backoff.Wait(failures, 0)); err != nil {
			return err
		}
		failures++
	}
}

// listensAgain reports whether a subscription that ended with err is opened
// again: when the connection broke, or the server is down for a while.
func (c *Client) listensAgain(err error) bool {
	return c.link.Kind() == negotiation.HTTP && errors.Is(err, transport.ErrUnavailable)
}

// listenOnce opens a subscription and passes on its changes until it ends. It
// reports whether the server acknowledged it.
func (c *Client) listenOnce(ctx context.Context, params jsontext.Value, again bool, yield func(Change, error) bool) (acknowledged bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id, n := c.link.next()
	req := c.session.request(id, outgoing{method: protocol.MethodListen, params: params})
	f := newFeed()
	c.subs.addModern(n, f)
	defer c.subs.removeModern(n)
	over := make(chan struct{})
	if !c.spawn(func() {
		defer close(over)
		f.end(c.listenEnd(req, c.link.exchange(ctx, req)))
	}) {
		return false, ErrClosed
	}
	defer func() { // the request is over when this returns
		cancel()
		<-over
		if errors.Is(err, errLeft) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			c.cancel(id)
		}
	}()

	patience := time.NewTimer(c.config.callTimeout)
	defer patience.Stop()
	for {
		select {
		case <-f.news:
		case <-ctx.Done():
			return acknowledged, ctx.Err()
		case <-patience.C:
			return false, &transport.TimeoutError{Origin: c.link.target.String(), Method: req.Method}
		}
		changes, end := f.take()
		for _, change := range changes {
			if change.Kind == Acknowledged {
				acknowledged = true
				patience.Stop()
				if again {
					change.Kind = Gap
					c.forgetChanged(change.Granted)
				}
			}
			if !yield(change, nil) {
				return acknowledged, errLeft
			}
		}
		if end != nil {
			return acknowledged, end
		}
	}
}

// listenEnd says why a listen request is over.
func (c *Client) listenEnd(req *transport.Request, o negotiation.Outcome) error {
	err := c.link.fail(req, o)
	if err == nil {
		return ErrSubscriptionEnded
	}
	if server, ok := errors.AsType[*transport.ServerError](err); ok && server.Err.Code == protocol.CodeMethodNotFound {
		return fmt.Errorf("%w: %w", ErrNoSubscriptions, err)
	}
	return err
}

// subscribeLegacy subscribes to the resources, and hears of lists unasked where
// the server declared that it tells.
func (c *Client) subscribeLegacy(ctx context.Context, filter protocol.SubscriptionFilter, yield func(Change, error) bool) error {
	granted := declaredChanges(c.Capabilities(), filter)
	f := newFeed()
	fresh := c.subs.addLegacy(f, granted)
	defer func() {
		for _, uri := range c.subs.removeLegacy(f) {
			c.spawn(func() { _ = c.resourceSubscription(c.life, protocol.MethodUnsubscribe, uri) })
		}
	}()
	for _, uri := range fresh {
		if err := c.resourceSubscription(ctx, protocol.MethodSubscribe, uri); err != nil {
			if _, refused := errors.AsType[*transport.ServerError](err); !refused {
				return err
			}
			granted.ResourceSubscriptions = slices.DeleteFunc(slices.Clone(granted.ResourceSubscriptions),
				func(s string) bool { return s == uri })
		}
	}
	if !granted.ToolsListChanged && !granted.PromptsListChanged && !granted.ResourcesListChanged && len(granted.ResourceSubscriptions) == 0 {
		return ErrNoSubscriptions
	}
	if !yield(Change{Kind: Acknowledged, Granted: granted}, nil) {
		return errLeft
	}
	for {
		select {
		case <-f.news:
		case <-ctx.Done():
			return ctx.Err()
		}
		changes, end := f.take()
		for _, change := range changes {
			if !yield(change, nil) {
				return errLeft
			}
		}
		if end != nil {
			return end
		}
	}
}

// declaredChanges is what of a filter a legacy server declared to tell of.
func declaredChanges(caps protocol.ServerCapabilities, f protocol.SubscriptionFilter) protocol.SubscriptionFilter {
	granted := protocol.SubscriptionFilter{
		ToolsListChanged:     f.ToolsListChanged && caps.Tools != nil && caps.Tools.ListChanged,
		PromptsListChanged:   f.PromptsListChanged && caps.Prompts != nil && caps.Prompts.ListChanged,
		ResourcesListChanged: f.ResourcesListChanged && caps.Resources != nil && caps.Resources.ListChanged,
	}
	if caps.Resources != nil && caps.Resources.Subscribe {
		granted.ResourceSubscriptions = f.ResourceSubscriptions
	}
	return granted
}

// resourceSubscription begins or ends a legacy subscription to a resource.
func (c *Client) resourceSubscription(ctx context.Context, method, uri string) error {
	var ignored jsontext.Value
	return c.do(ctx, &call{method: method, idempotent: true, params: protocol.ResourceParams{URI: uri}}, &ignored, nil)
}
