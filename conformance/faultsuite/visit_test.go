package faultsuite_test

import (
	"context"
	"sync"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

const (
	// brief is a deadline that is meant to pass: see cell.brief.
	brief = 100 * time.Millisecond
	// patient is one that is not.
	patient = 10 * time.Second
)

// brief is a deadline that is meant to pass, but not before the call has
// reached the server. On a slow machine it has to be longer.
func (c cell) brief() time.Duration { return brief << c.slack }

// A visit is a connection from Connect to Close, and what came of it.
type visit struct {
	connect error
	opened  bool            // there was a connection, of this era:
	era     negotiation.Era //
	met     error           // what the call that meets the fault ended in
	next    error           // what the next call ended in, if the first one failed
	lost    error           // why the server's stream was lost
	close   error
}

// visit connects to s, does what meets the fault, and closes.
func (c cell) visit(s scripted, eras *erecache.Cache) (v visit) {
	tr, err := s.open()
	if err != nil {
		v.connect = err
		return v
	}
	ctx, cancel := context.WithCancel(context.Background())
	var leaving sync.WaitGroup
	defer leaving.Wait()
	defer cancel()
	leave := func(how func()) {
		leaving.Go(func() {
			if _, err := s.Await(ctx, c.key(), 1); err == nil {
				how()
			}
		})
	}
	if c.fault.leave == cancels {
		leave(cancel)
	}
	lost := make(chan error, 1)
	cl, err := client.Connect(ctx, tr, append(c.options(),
		client.WithEraCache(eras), client.WithStreamLost(func(err error) { lost <- err }))...)
	if err != nil {
		v.connect = err
		return v
	}
	v.opened, v.era = true, cl.Era()
	if c.fault.leave == closes {
		leave(func() { _ = cl.Close() })
	}
	if v.met = c.meet(ctx, cl); v.met != nil && !c.spoilsNext() {
		v.next = c.another(cl)
	}
	v.close = cl.Close()
	select {
	case v.lost = <-lost:
	default:
	}
	return v
}

// options make brief what the fault makes the client wait for, and nothing else.
func (c cell) options() []client.Option {
	probing, connecting, calling, limit, slow := patient, patient, patient, patient, patient
	if c.isSilent() {
		switch c.phase {
		case probe:
			probing, slow = c.brief(), c.brief()
			if c.spoilsNext() || c.recalls() == negotiation.EraModern && !c.wire.isHTTP() { // a slow start is waited for
				connecting = 20 * c.brief()
			}
		case initialize, initialized:
			connecting = 5 * c.brief()
			if !c.wire.isHTTP() {
				connecting = 20 * c.brief() // a process has to start in it
			}
		case listen:
			calling = c.brief()
		case progress:
			limit = c.brief()
		}
	}
	return []client.Option{
		client.WithResponseCache(nil), client.WithRetries(1, soon),
		client.WithProbeTimeout(probing), client.WithConnectTimeout(connecting),
		client.WithCallTimeout(calling), client.WithCallLimit(limit), client.WithSlowStart(slow),
	}
}

// meet makes the call that meets the fault, or one that must not mind it.
func (c cell) meet(ctx context.Context, cl *client.Client) error {
	wait := client.Timeout(patient)
	if c.isSilent() {
		wait = client.Timeout(c.brief())
	}
	switch c.phase {
	case list:
		_, err := cl.ListTools(ctx, wait)
		return err
	case call:
		_, err := cl.CallTool(ctx, "echo", nil, wait)
		return err
	case progress:
		_, err := cl.CallTool(ctx, "echo", nil, wait, client.OnProgress(func(protocol.Progress) {}))
		return err
	case listen:
		return c.subscribe(ctx, cl)
	default:
		_, err := cl.CallTool(ctx, "echo", nil, client.Timeout(patient))
		return err
	}
}

// spoilsNext reports whether the server left half a line, which the next
// message will end.
func (c cell) spoilsNext() bool {
	return !c.wire.isHTTP() && c.place == body && c.fault.name != "exit" && c.fault.over
}

// another makes a call that no fault waits for.
func (c cell) another(cl *client.Client) error {
	if c.phase == list {
		_, err := cl.CallTool(context.Background(), "echo", nil, client.Timeout(patient))
		return err
	}
	_, err := cl.ListTools(context.Background(), client.Timeout(patient))
	return err
}

// subscribe reads a subscription to its end. Once it is granted silence is no
// fault, and the program's own deadline ends it.
func (c cell) subscribe(ctx context.Context, cl *client.Client) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	gaps := 0
	for change, err := range cl.Subscribe(ctx, protocol.SubscriptionFilter{ToolsListChanged: true}) {
		switch {
		case err != nil:
			return err
		case change.Kind == client.Gap:
			gaps++
		case change.Kind == client.Acknowledged && c.isSilent():
			time.AfterFunc(c.brief(), cancel)
		}
		if gaps == 2 { // it is granted and lost again and again, and the program may go on so
			break
		}
	}
	return nil
}
