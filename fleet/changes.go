package fleet

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

// A Change is a change at one of the servers.
type Change struct {
	Server string
	client.Change
	// Err says why a server tells of no more changes; Change is then empty. The
	// other servers go on.
	Err error
}

// resubscribe is how long a server whose subscription was lost is left alone.
const resubscribe = 5 * time.Second

// Changes returns the changes of all connected and connectable servers, as they
// come, until ctx ends or the loop is left. A server that tells of none is
// passed over; one whose subscription is lost is subscribed to again while it
// can be.
func (f *Fleet) Changes(ctx context.Context, filter protocol.SubscriptionFilter) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(f.life, cancel)()
		changes := make(chan Change)
		running := 0
		over := make(chan struct{})
		for _, m := range f.members {
			if m.server.Disabled {
				continue
			}
			running++
			go func() {
				defer func() { over <- struct{}{} }()
				f.follow(ctx, m.server.Name, filter, changes)
			}()
		}
		reading := true
		for running > 0 {
			select {
			case change := <-changes:
				if reading && !yield(change) {
					reading = false
					cancel()
				}
			case <-over:
				running--
			}
		}
	}
}

// follow passes on the changes of one server.
func (f *Fleet) follow(ctx context.Context, server string, filter protocol.SubscriptionFilter, to chan<- Change) {
	send := func(change Change) bool {
		select {
		case to <- change:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for ctx.Err() == nil {
		err := f.With(ctx, server, func(c *client.Client) error {
			for change, err := range c.Subscribe(ctx, filter) {
				if err != nil {
					return err
				}
				if !send(Change{Server: server, Change: change}) {
					return ctx.Err()
				}
			}
			return nil
		})
		if ctx.Err() != nil || errors.Is(err, client.ErrNoSubscriptions) || !send(Change{Server: server, Err: err}) {
			return
		}
		timer := time.NewTimer(resubscribe)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}
