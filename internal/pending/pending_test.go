package pending_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

// response is a response to the request with an id.
func response(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

// receive takes what came, none of which is unasked for.
func receive(r *pending.Requests, text string) error {
	return r.Receive([]byte(text), func(*protocol.Message) { panic("not a response") })
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
			_ = receive(r, response("7"))
			return nil
		}, end{Answer: "7", Attempts: 1}},
		"an id that became a string is the same": {func(t *testing.T, r *pending.Requests, _ func()) error {
			_ = receive(r, response(`"7"`))
			return nil
		}, end{Answer: `"7"`, Attempts: 1}},
		"a response before the end counts": {func(t *testing.T, r *pending.Requests, _ func()) error {
			_ = receive(r, response("7"))
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

// What came for nobody, late or twice is reported, and remembered nowhere.
func TestReceiveReportsWhetherAnyoneWaited(t *testing.T) {
	r := pending.New()
	var first, twice error
	r.Await(t.Context(), request(7), func() error {
		first, twice = receive(r, response("7")), receive(r, response("7"))
		return nil
	})
	if first != nil {
		t.Errorf("the response: %v", first)
	}
	for name, err := range map[string]error{
		"twice": twice, "late": receive(r, response("7")), "to nothing": receive(r, response("8")),
		"without an id": receive(r, response("null")), "to a name": receive(r, response(`"seven"`)),
	} {
		if !errors.Is(err, pending.ErrUnasked) {
			t.Errorf("%s: %v, want ErrUnasked", name, err)
		}
	}
}

// O-BAT-01: each row is what comes while request 7 waits.
func TestReceive(t *testing.T) {
	const (
		old   = "2025-03-26"
		other = `{"jsonrpc":"2.0","method":"note"}`
		wrong = `{"jsonrpc":"2.0","id":7,"Result":{}}`
	)
	seven := response("7")
	for name, tc := range map[string]struct {
		version string
		text    string
		answer  string // id of the response, or the body of a refusal
		err     string
		others  int
	}{
		"a response":                     {"2025-11-25", seven, "7", "", 0},
		"a notification":                 {"2025-11-25", other, "", "", 1},
		"noise":                          {"2025-11-25", "hello", "", "not a JSON object", 0},
		"a response that is none":        {"2025-11-25", wrong, wrong, "no method, result or error", 0},
		"a response that is too deep":    {"2025-11-25", `{"jsonrpc":"2.0","id":7,"result":` + strings.Repeat("[", 100_000), "start", "exceeded max depth", 0},
		"a batch":                        {old, "[" + other + "," + seven + "," + response("8") + "]", "7", "", 1},
		"a batch of others":              {old, "[" + other + "," + other + "]", "", "", 2},
		"a batch that breaks off":        {old, "[" + seven + "," + other[:9], "7", "unexpected EOF", 0},
		"a batch that should be none":    {"2025-11-25", "[" + other + "," + seven + "]", "[" + other + "," + seven + "]", "a batch", 0},
		"a batch before there is any":    {"", "[" + seven + "]", "[" + seven + "]", "a batch", 0},
		"a broken batch that may not be": {"2025-11-25", "[42]", "", "element 0", 0},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			r := pending.New()
			req := request(7)
			req.Version = tc.version
			var err error
			others := 0
			o := r.Await(ctx, req, func() error {
				err = r.Receive([]byte(tc.text), func(*protocol.Message) { others++ })
				if tc.answer == "" {
					cancel()
				}
				return nil
			})
			cancel()
			got := string(o.Body)
			switch {
			case o.Message != nil:
				got = o.Message.ID.String()
			case len(got) < len(tc.text) && strings.HasPrefix(tc.text, got) && got != "":
				got = "start"
			}
			if got != tc.answer || others != tc.others {
				t.Errorf("answered with %q and %d others, want %q and %d", got, others, tc.answer, tc.others)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want one that says %q", err, tc.err)
			}
			if refused := o.Message == nil && tc.answer != ""; refused && (o.Failure != negotiation.NoFailure || !errors.Is(err, o.Err) || o.Attempts != 1) {
				t.Errorf("the refusal is %+v", o)
			}
		})
	}
}

// The version of a message that is only sent counts, and no version changes
// nothing.
func TestSpeak(t *testing.T) {
	r := pending.New()
	r.Speak("2025-03-26")
	r.Speak("")
	n := 0
	if err := r.Receive([]byte(`[{"jsonrpc":"2.0","method":"note"}]`), func(*protocol.Message) { n++ }); err != nil || n != 1 {
		t.Errorf("%d messages, %v", n, err)
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
					go receive(r, response(fmt.Sprint(i)))
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

func TestSentIsToldBetweenSendingAndWaiting(t *testing.T) {
	for name, sendErr := range map[string]error{"a message on its way": nil, "one that failed": errors.New("broken pipe")} {
		t.Run(name, func(t *testing.T) {
			r := pending.New()
			var steps []string
			req := &transport.Request{ID: protocol.NumberID(1), Sent: func() {
				steps = append(steps, "sent")
				r.Fail(errors.New("the end"))
			}}
			r.Await(t.Context(), req, func() error {
				steps = append(steps, "send")
				return sendErr
			})
			if diff := cmp.Diff([]string{"send", "sent"}, steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}
