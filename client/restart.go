package client

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// ErrRestarts means that a server process left again and again, and was not
// started once more. It is tried again when a minute has passed.
var ErrRestarts = errors.New("the server left too often to be started again")

// WithRestarts sets how often in a row a server process that left unasked is
// started again: by default 3 times; 0 for never. The first time that happens at
// once, then with the waits of WithRetries. A process that lasts for a minute
// ends the row.
//
// What was under way when the process left fails, since the server may have done
// it: only a request that was certainly never written is sent to the new
// process. That one is started by the next call, or at once when there is a
// subscription, is opened in the era of the connection, and gets the log level
// and the subscriptions of the old one. What else a legacy server kept for its
// session is lost, so a program that depends on that should have no restarts.
//
// Source: MCP 2026-07-28, stdio, "Unexpected Termination".
func WithRestarts(n int) Option {
	return func(c *config) error {
		if n < 0 {
			return errors.New("client: restarts must not be negative")
		}
		c.restarts = n
		return nil
	}
}

// A row counts restarts that follow closely on each other.
type row struct {
	length int
	last   time.Time // when the last one was due
}

// calm is how long a process lasts whose end begins a new row.
const calm = time.Minute

// next returns how long to wait before a restart at now, and false when there
// have been limit of them.
func (r *row) next(now time.Time, limit int, backoff transport.Backoff) (time.Duration, bool) {
	if now.Sub(r.last) > calm {
		r.length = 0
	}
	if r.length >= limit {
		return 0, false
	}
	var wait time.Duration
	if r.length > 0 {
		wait = backoff.Wait(r.length-1, 0)
	}
	r.length++
	r.last = now.Add(wait)
	return wait, true
}

// A lane is what requests go through where the process behind the transport can
// be replaced by another. Requests under way hold one place each, a restart holds
// all: so no request meets a process that is not open yet, and each knows which
// process it met.
type lane struct {
	restarter transport.Restarter
	places    *semaphore.Weighted
	// The rest is guarded by places.
	process int64 // which one it is, counted from 1
	broken  error // why it can't be used, after a restart that failed
	row     row
}

// allPlaces are more than there will ever be requests.
const allPlaces = math.MaxInt64

// newLane returns the lane of t, nil when t can't be restarted or must not.
func newLane(t transport.Transport, restarts int) *lane {
	r, ok := t.(transport.Restarter)
	if !ok || restarts == 0 {
		return nil
	}
	return &lane{restarter: r, places: semaphore.NewWeighted(allPlaces), process: 1}
}

// exchange sends one request of the program and returns what came of it, and
// which process that concerns, 0 where none can be restarted.
func (c *Client) exchange(ctx context.Context, req *transport.Request) (negotiation.Outcome, int64) {
	if c.lane == nil {
		return c.link.exchange(ctx, req), 0
	}
	if err := c.lane.places.Acquire(ctx, 1); err != nil {
		return unsent(ctx, req, err), 0
	}
	defer c.lane.places.Release(1)
	if err := c.lane.broken; err != nil {
		return unsent(ctx, req, err), c.lane.process
	}
	return c.link.exchange(ctx, req), c.lane.process
}

// unsent is the outcome of a request that was not sent because of err.
func unsent(ctx context.Context, req *transport.Request, err error) negotiation.Outcome {
	o := negotiation.Outcome{Failure: negotiation.Closed, Err: err, RequestID: req.ID}
	switch {
	case ctx.Err() == nil:
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		o.Failure, o.Err = negotiation.TimedOut, ctx.Err()
	default:
		o.Failure, o.Err = negotiation.Canceled, ctx.Err()
	}
	return o
}

// send sends one message that has no response.
func (c *Client) send(ctx context.Context, req *transport.Request) error {
	if c.lane == nil {
		return c.link.send(ctx, req)
	}
	if err := c.lane.places.Acquire(ctx, 1); err != nil {
		return err
	}
	defer c.lane.places.Release(1)
	if err := c.lane.broken; err != nil {
		return err
	}
	return c.link.send(ctx, req)
}

// restart starts the process anew in place of the one that is lost, and opens
// it, unless that has been done.
func (c *Client) restart(lost int64) error {
	l := c.lane
	if err := l.places.Acquire(c.life, allPlaces); err != nil { // what was under way has failed by now
		return ErrClosed
	}
	defer l.places.Release(allPlaces)
	if l.process != lost {
		return nil
	}
	wait, ok := l.row.next(time.Now(), c.config.restarts, c.config.backoff)
	if !ok {
		return fmt.Errorf("%w, after %d times", ErrRestarts, c.config.restarts)
	}
	if err := sleep(c.life, wait); err != nil {
		return ErrClosed
	}
	c.serving.cancelAll()
	ctx, cancel := context.WithTimeout(c.life, c.config.connectTimeout)
	defer cancel()
	err := l.restarter.Restart(ctx)
	if err == nil {
		err = c.openAgain(ctx)
	}
	if err != nil {
		c.config.log.Warn("the server's process left, and could not be started again",
			"server", c.link.target.String(), "reason", err)
		err = fmt.Errorf("starting the server again: %w", err)
		l.broken = fmt.Errorf("%w: %w", transport.ErrClosed, err)
		return err
	}
	c.config.log.Warn("the server's process left, and was started again", "server", c.link.target.String())
	l.process, l.broken = lost+1, nil
	c.mind(l.process)
	c.sessionRenewed()
	return nil
}

// mind sees to the loss of a legacy process that nobody asks anything: what the
// server had asked is answered no more, and where changes are waited for, it is
// started again. (A modern subscription is a request, which ends with the process
// and sees to it.)
func (c *Client) mind(process int64) {
	t, ok := c.link.Transport.(transport.LossReporter)
	if !ok || c.lane == nil || c.Era() == negotiation.EraModern {
		return
	}
	lost := t.Lost()
	c.spawn(func() {
		select {
		case <-lost:
		case <-c.life.Done():
			return
		}
		if c.subs.hearing() {
			c.revive(process)
			return
		}
		if c.lane.places.Acquire(c.life, 1) != nil {
			return
		}
		defer c.lane.places.Release(1)
		if c.lane.process == process {
			c.serving.cancelAll()
		}
	})
}

// revive starts a process again for the subscriptions, and ends them when that
// can't be done.
func (c *Client) revive(process int64) {
	for {
		err := c.renew(c.life, loss{process: process})
		if err == nil {
			return
		}
		if errors.Is(err, ErrRestarts) || c.life.Err() != nil {
			c.subs.lost(err)
			return
		}
	}
}

// present starts the process again if it has left and nobody has noticed.
func (c *Client) present(ctx context.Context) error {
	t, ok := c.link.Transport.(transport.LossReporter)
	if !ok || c.lane == nil {
		return nil
	}
	if err := c.lane.places.Acquire(ctx, 1); err != nil {
		return err
	}
	lost, process := t.Lost(), c.lane.process
	c.lane.places.Release(1)
	select {
	case <-lost:
		return c.renew(ctx, loss{process: process})
	default:
		return nil
	}
}
