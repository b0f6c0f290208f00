package soak_test

import (
	"context"
	"sync"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// soon is a backoff that takes no time worth speaking of.
var soon = transport.Backoff{Max: 5 * time.Millisecond, MaxAfter: 5 * time.Millisecond}

// patience is what a call may take. Faults cost it, so that it is short.
const patience = 500 * time.Millisecond

// A worker connects, calls and closes, again and again.
type worker struct {
	dice *dice
	book *ledger
	eras *erecache.Cache
	open func() (transport.Transport, error)
}

// work goes on until the context ends. What is under way then comes to its end.
func (w worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		w.book.call(w.visit)
	}
}

// visit is one connection.
func (w worker) visit() error {
	tr, err := w.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if w.dice.roll(20) == 0 {
		defer time.AfterFunc(w.some(patience), cancel).Stop()
	}
	c, err := client.Connect(ctx, tr,
		client.WithEraCache(w.eras), client.WithRetries(1, soon), client.WithProbeTimeout(patience),
		client.WithConnectTimeout(4*patience), client.WithCallTimeout(patience), client.WithCallLimit(2*patience))
	if err != nil {
		return err
	}
	var calls sync.WaitGroup
	for range 1 + w.dice.roll(3) {
		calls.Go(func() {
			for range 1 + w.dice.roll(4) {
				w.book.call(func() error { return w.call(c) })
			}
		})
	}
	if w.dice.roll(8) == 0 {
		closing := time.AfterFunc(w.some(patience), func() { _ = c.Close() })
		defer closing.Stop()
	}
	calls.Wait()
	return c.Close()
}

// some returns a part of d.
func (w worker) some(d time.Duration) time.Duration {
	return d * time.Duration(w.dice.roll(100)) / 100
}

// call is one call of some kind.
func (w worker) call(c *client.Client) error {
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	switch w.dice.roll(7) {
	case 0:
		_, err := c.ListTools(ctx)
		return err
	case 1:
		for _, err := range c.Resources(ctx) {
			if err != nil {
				return err
			}
		}
		return nil
	case 2:
		_, err := c.CallTool(ctx, "test_tool_with_progress", nil, client.OnProgress(func(protocol.Progress) {}))
		return err
	case 3:
		defer time.AfterFunc(w.some(patience), cancel).Stop()
		_, err := c.CallTool(ctx, "sleep", map[string]any{"seconds": 0.2})
		return err
	case 4:
		return w.subscribe(ctx, c)
	default:
		_, err := c.CallTool(ctx, "count", map[string]any{"n": w.book.number()})
		return err
	}
}

// subscribe listens for a while, and has something to hear.
func (w worker) subscribe(ctx context.Context, c *client.Client) error {
	ctx, cancel := context.WithTimeout(ctx, w.some(patience))
	defer cancel()
	for change, err := range c.Subscribe(ctx, protocol.SubscriptionFilter{ToolsListChanged: true}) {
		switch {
		case err != nil:
			return err
		case change.Kind != client.Acknowledged:
			return nil
		}
		if _, err := c.CallTool(ctx, "test_trigger_tool_change", nil); err != nil {
			return err
		}
	}
	return nil
}
