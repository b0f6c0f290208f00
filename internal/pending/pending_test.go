package pending_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/internal/pending"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	errGone = errors.New("gone")
	errSend = errors.New("not sent")
)

func request(id int64) *transport.Request {
	return &transport.Request{ID: protocol.NumberID(id), Method: "tools/call"}
}

func response(t *testing.T, id string) *protocol.Message {
	t.Helper()
	m, err := protocol.Decode([]byte(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// An end is an outcome in short.
type end struct {
	Answer   string // the id of the response
	Failure  negotiation.Failure
	Err      error
	Attempts int
}

func endOf(o negotiation.Outcome) end {
	e := end{Failure: o.Failure, Err: o.Err, Attempts: o.Attempts}
	if o.Message != nil {
		e.Answer = o.Message.ID.String()
	}
	return e
}

// Each row is what happens while a request is sent, and how its wait ends.
func TestAwait(t *testing.T) {
	canceled := errors.Join(errGone, context.Canceled)
	for name, tc := range map[string]struct {
		send func(t *testing.T, r *pending.Requests, giveUp func()) error
		want end
	}{
		"the response ends it": {func(t *testing.T, r *pending.Requests, _ func()) error {
			r.Deliver(response(t, "7"))
			return nil
		}, end{Answer: "7", Attempts: 1}},
		"an id that became a string is the same": {func(t *testing.T, r *pending.Requests, _ func()) error {
			r.Deliver(response(t, `"7"`))
			return nil
		}, end{Answer: `"7"`, Attempts: 1}},
		"a response before the end counts": {func(t *testing.T, r *pending.Requests, _ func()) error {
			r.Deliver(response(t, "7"))
			r.Fail(errGone)
			return nil
		}, end{Answer: "7", Attempts: 1}},
		"the stream's end ends it": {func(_ *testing.T, r *pending.Requests, _ func()) error {
			r.Fail(errGone)
			return nil
		}, end{Failure: negotiation.Closed, Err: errGone, Attempts: 1}},
		"the first cause stays": {func(_ *testing.T, r *pending.Requests, _ func()) error {
			r.Fail(errGone)
			r.Fail(errSend)
			return nil
		}, end{Failure: negotiation.Closed, Err: errGone, Attempts: 1}},
		"the end of the context ends it": {func(_ *testing.T, _ *pending.Requests, giveUp func()) error {
			giveUp()
			return nil
		}, end{Failure: negotiation.Canceled, Err: context.Canceled, Attempts: 1}},
		"what can't be sent was not": {func(*testing.T, *pending.Requests, func()) error {
			return errSend
		}, end{Failure: negotiation.Closed, Err: errSend}},
		"a context that ends before it is sent": {func(_ *testing.T, _ *pending.Requests, giveUp func()) error {
			giveUp()
			return context.Canceled
		}, end{Failure: negotiation.Canceled, Err: context.Canceled}},
		"a stream that ends tells more than the context": {func(_ *testing.T, r *pending.Requests, giveUp func()) error {
			giveUp()
			r.Fail(errGone)
			return context.Canceled
		}, end{Failure: negotiation.Closed, Err: errGone}},
		"unless the context ended the stream": {func(_ *testing.T, r *pending.Requests, giveUp func()) error {
			giveUp()
			r.Fail(errGone)
			return canceled
		}, end{Failure: negotiation.Canceled, Err: canceled}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := pending.New()
			o := r.Await(ctx, request(7), func() error { return tc.send(t, r, cancel) })
			if diff := cmp.Diff(tc.want, endOf(o), cmpopts.EquateErrors()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if o.RequestID != protocol.NumberID(7) {
				t.Errorf("the outcome is that of %s", o.RequestID)
			}
		})
	}
}

func TestADeadlineIsATimeout(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	o := pending.New().Await(ctx, request(7), func() error { return nil })
	want := end{Failure: negotiation.TimedOut, Err: context.DeadlineExceeded, Attempts: 1}
	if diff := cmp.Diff(want, endOf(o), cmpopts.EquateErrors()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnIDMustBeAWholeNumber(t *testing.T) {
	var id protocol.ID
	if err := id.UnmarshalJSON([]byte(`"seven"`)); err != nil {
		t.Fatal(err)
	}
	o := pending.New().Await(t.Context(), &transport.Request{ID: id}, func() error {
		t.Error("it was sent")
		return nil
	})
	want := end{Failure: negotiation.Closed, Err: pending.ErrID}
	if diff := cmp.Diff(want, endOf(o), cmpopts.EquateErrors()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingIsSentAfterTheEnd(t *testing.T) {
	r := pending.New()
	r.Fail(errGone)
	<-r.Done()
	o := r.Await(t.Context(), request(7), func() error {
		t.Error("it was sent")
		return nil
	})
	want := end{Failure: negotiation.Closed, Err: errGone}
	if diff := cmp.Diff(want, endOf(o), cmpopts.EquateErrors()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is delivered to nobody, late or twice is reported, and remembered
// nowhere.
func TestDeliverReportsWhetherAnyoneWaited(t *testing.T) {
	r := pending.New()
	var first, twice bool
	r.Await(t.Context(), request(7), func() error {
		first, twice = r.Deliver(response(t, "7")), r.Deliver(response(t, "7"))
		return nil
	})
	got := []bool{
		first, twice, r.Deliver(response(t, "7")), r.Deliver(response(t, "8")),
		r.Deliver(response(t, "null")), r.Deliver(response(t, `"seven"`)),
	}
	if diff := cmp.Diff([]bool{true, false, false, false, false, false}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every wait ends once, and with its own response.
func TestManyWaitAtTheSameTime(t *testing.T) {
	const n = 100
	r := pending.New()
	var all sync.WaitGroup
	got := make([]end, n)
	for i := range n {
		all.Go(func() {
			got[i] = endOf(r.Await(t.Context(), request(int64(i)), func() error {
				if i%2 == 0 {
					go r.Deliver(response(t, fmt.Sprint(i)))
				}
				if i == 1 {
					go r.Fail(errGone)
				}
				return nil
			}))
		})
	}
	all.Wait()
	for i, e := range got {
		if answered, failed := e.Answer == fmt.Sprint(i), errors.Is(e.Err, errGone); answered == failed {
			t.Errorf("request %d ended with %+v", i, e)
		}
	}
}
