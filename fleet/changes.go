package fleet

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A Change is a change at one of the servers.
type Change struct {
	Server string
	client.Change
	// Err says why the server tells of no changes at present; Change is then
	// empty. The other servers go on.
	Err error
}

// Changes returns the changes that filter names of all servers that are not
// disabled, as they come, until ctx ends, the fleet is closed or the loop is
// left. Each server's first is client.Acknowledged. One that tells of no such
// changes is passed over.
//
// A server that fails gives a Change with an Err, and is tried again, with the
// waits of WithResubscribe. When it is heard again a client.Gap says so: what
// changed meanwhile is not known. The user is asked for a login at the first
// attempt only.
func (f *Fleet) Changes(ctx context.Context, filter protocol.SubscriptionFilter) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer context.AfterFunc(f.life, cancel)()
		changes := make(chan Change)
		var followers sync.WaitGroup
		for _, m := range f.members {
			if m.unusable() == nil {
				followers.Go(func() {
					(&follower{fleet: f, server: m.server.Name, filter: filter, to: changes}).run(ctx)
				})
			}
		}
		go func() {
			followers.Wait()
			close(changes)
		}()
		defer func() { // nothing is left when the loop is
			cancel()
			for range changes {
			}
		}()
		for change := range changes {
			if !yield(change) {
				return
			}
		}
	}
}

// A follower passes on the changes of one server.
type follower struct {
	fleet  *Fleet
	server string
	filter protocol.SubscriptionFilter
	to     chan<- Change

	heard    bool // the server has acknowledged a subscription
	failures int  // since it last did
}

// run follows the server until ctx ends or the server tells of nothing.
func (f *follower) run(ctx context.Context) {
	again := transport.Unattended(ctx)
	for err := f.once(ctx); ; err = f.once(again) {
		if errors.Is(err, ErrClosed) || errors.Is(err, client.ErrNoSubscriptions) {
			return
		}
		if !f.send(ctx, Change{Server: f.server, Err: err}) || !wait(ctx, f.fleet.config.again.Wait(f.failures, 0)) {
			return
		}
		f.failures++
	}
}

// once subscribes, and passes on changes until the subscription ends.
func (f *follower) once(ctx context.Context) error {
	return f.fleet.With(ctx, f.server, func(c *client.Client) error {
		for change, err := range c.Subscribe(ctx, f.filter) {
			if err != nil {
				return err
			}
			if change.Kind == client.Acknowledged {
				if f.heard {
					change.Kind = client.Gap
				}
				f.heard, f.failures = true, 0
			}
			if !f.send(ctx, Change{Server: f.server, Change: change}) {
				return ctx.Err()
			}
		}
		return nil
	})
}

// send reports whether the change was taken.
func (f *follower) send(ctx context.Context, change Change) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case f.to <- change:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait reports whether d passed before ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
