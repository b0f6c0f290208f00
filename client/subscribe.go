package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
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

// Whatever WithRetries says, since it may go on for ever: how long a subscription
// lasts that was not opened in vain, and the pause before it is opened again.
const (
	steadySubscription = time.Second
	relistenPause      = 10 * time.Millisecond
)

// subscribeModern keeps a subscriptions/listen request open.
func (c *Client) subscribeModern(ctx context.Context, filter protocol.SubscriptionFilter, yield func(Change, error) bool) error {
	params, err := json.Marshal(protocol.ListenParams{Notifications: filter})
	if err != nil {
		return fmt.Errorf("%s: encode the parameters: %w", protocol.MethodListen, err)
	}
	for granted, failures := false, 0; ; {
		began := time.Now()
		got, err := c.listenOnce(ctx, params, granted, yield)
		granted = granted || got.acknowledged
		if got.changes || got.acknowledged && time.Since(began) > max(c.config.backoff.Max, steadySubscription) {
			failures = 0 // one that is granted and lost at once is opened in vain
		}
		if !c.listensAgain(err) || failures == maxRelistens {
			return err
		}
		c.config.log.Warn("lost a subscription", "server", c.link.target.String(), "reason", err)
		if err := sleep(ctx, max(c.config.backoff.Wait(failures, 0), relistenPause)); err != nil {
			return err
		}
		failures++
	}
}

// listensAgain reports whether a subscription that ended with err is opened
// again: when the connection broke, or the server is down for a while.
func (c *Client) listensAgain(err error) bool {
	if c.lane != nil {
		return errors.Is(err, transport.ErrClosed) && !errors.Is(err, ErrRestarts) && c.life.Err() == nil
	}
	return c.link.Kind() == negotiation.HTTP && errors.Is(err, transport.ErrUnavailable)
}

// listened is what came on a subscription.
type listened struct{ acknowledged, changes bool }

// listenOnce opens a subscription and passes on its changes until it ends.
func (c *Client) listenOnce(ctx context.Context, params jsontext.Value, again bool, yield func(Change, error) bool) (got listened, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id, n := c.link.next()
	write := func() *transport.Request {
		return c.session.request(id, outgoing{method: protocol.MethodListen, params: params})
	}
	f := newFeed()
	c.subs.addModern(n, f)
	defer c.subs.removeModern(n)
	over := make(chan struct{})
	givenUp := false // by this end, so that the server is told
	if !c.spawn(func() {
		defer close(over)
		req, o := c.deliver(ctx, write)
		givenUp = o.Failure == negotiation.Canceled || o.Failure == negotiation.TimedOut
		f.end(c.listenEnd(req, o))
	}) {
		return got, ErrClosed
	}
	defer func() { // the request is over when this returns
		cancel()
		<-over
		if givenUp && !errors.Is(err, ErrSubscriptionEnded) {
			c.cancel(id)
		}
	}()

	patience := time.NewTimer(c.config.callTimeout)
	defer patience.Stop()
	for {
		select {
		case <-f.news:
		case <-ctx.Done():
			return got, ctx.Err()
		case <-patience.C:
			return got, &transport.TimeoutError{Origin: c.link.target.String(), Method: protocol.MethodListen}
		}
		changes, end := f.take()
		for _, change := range changes {
			switch {
			case change.Kind != Acknowledged:
				got.changes = true
			case namesNothing(change.Granted):
				return got, ErrNoSubscriptions
			default:
				got.acknowledged = true
				patience.Stop()
				if again {
					change.Kind = Gap
					c.forgetChanged(change.Granted)
				}
			}
			if !yield(change, nil) {
				return got, errLeft
			}
		}
		if end != nil {
			return got, end
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
	f := newFeed()
	defer c.leaveLegacy(f)
	granted, err := c.joinLegacy(ctx, f, declaredChanges(c.Capabilities(), filter))
	if err != nil {
		return err
	}
	if namesNothing(granted) {
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

// joinLegacy makes f hear what the filter names, and returns what of it the
// server grants. The server is told of resources that no other feed hears of.
func (c *Client) joinLegacy(ctx context.Context, f *feed, filter protocol.SubscriptionFilter) (protocol.SubscriptionFilter, error) {
	if err := c.subs.lock(ctx); err != nil {
		return filter, err
	}
	defer c.subs.unlock()
	c.subs.hear(f, filter) // a change may come before the answer
	if err := c.present(ctx); err != nil {
		return filter, err
	}
	wanted := filter.ResourceSubscriptions
	filter.ResourceSubscriptions = nil
	var failed error
	for _, uri := range wanted {
		if !c.subs.watches(uri) {
			err := c.resourceSubscription(ctx, protocol.MethodSubscribe, uri)
			if _, refused := errors.AsType[*transport.ServerError](err); refused {
				continue
			}
			if failed = err; failed != nil {
				break
			}
		}
		filter.ResourceSubscriptions = append(filter.ResourceSubscriptions, uri)
		c.subs.watch(uri)
	}
	c.subs.hear(f, filter)
	return filter, failed
}

// leaveLegacy lets f hear no more, and tells the server of resources that
// nobody wants to hear of then.
func (c *Client) leaveLegacy(f *feed) {
	uris := c.subs.removeLegacy(f)
	if len(uris) == 0 {
		return
	}
	c.spawn(func() {
		if c.subs.lock(c.life) != nil {
			return
		}
		defer c.subs.unlock()
		for _, uri := range uris {
			if !c.subs.watches(uri) { // nobody came meanwhile
				_ = c.resourceSubscription(c.life, protocol.MethodUnsubscribe, uri)
			}
		}
	})
}

// namesNothing reports whether a filter is empty.
func namesNothing(f protocol.SubscriptionFilter) bool {
	return !f.ToolsListChanged && !f.PromptsListChanged && !f.ResourcesListChanged &&
		len(f.ResourceSubscriptions) == 0 && len(f.TaskIDs) == 0 && len(f.Extra) == 0
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
