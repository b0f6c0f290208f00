package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A tripper is an http.RoundTripper without a network.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(hreq *http.Request) (*http.Response, error) { return f(hreq) }

// reply is what a tripper returns.
func reply(status int, contentType, body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {contentType}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// through opens a transport whose requests go through f.
func through(t *testing.T, f tripper, opts ...Option) *Transport {
	t.Helper()
	return open(t, "https://api.example.com/mcp", append(opts, WithClient(&http.Client{Transport: f}))...)
}

// pass lets time go by in a bubble.
func pass(d time.Duration) { <-time.After(d) }

func TestWhatCountsForTheBreaker(t *testing.T) {
	status := func(status int, contentType, body string) tripper {
		return func(*http.Request) (*http.Response, error) { return reply(status, contentType, body) }
	}
	fails := func(err error) tripper {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	const asJSON = "application/json"
	for name, tc := range map[string]struct {
		trip tripper
		want bool // a failure
	}{
		"a result":                 {status(200, asJSON, result), false},
		"a JSON-RPC error":         {status(200, asJSON, failure), false},
		"one of another era":       {status(400, asJSON, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no"}}`), false},
		"400":                      {status(400, "", ""), false},
		"401":                      {status(401, "", ""), false},
		"403":                      {status(403, "", ""), false},
		"404":                      {status(404, "", ""), false},
		"405":                      {status(405, "", ""), false},
		"501":                      {status(501, "", ""), false},
		"a page":                   {status(200, "text/html", "<html>"), false},
		"a stream that opens":      {status(200, "text/event-stream", ""), false},
		"408":                      {status(408, "", ""), true},
		"429":                      {status(429, "", ""), true},
		"500":                      {status(500, "", ""), true},
		"500 with JSON-RPC":        {status(500, asJSON, failure), true},
		"503":                      {status(503, "", ""), true},
		"a network error":          {fails(io.ErrUnexpectedEOF), true},
		"a body that breaks off":   {func(*http.Request) (*http.Response, error) { return broken() }, true},
		"an answer above a limit":  {status(200, asJSON, strings.Repeat("x", 2000)), false},
		"a target that is refused": {fails(&TargetError{}), false},
	} {
		t.Run(name, func(t *testing.T) {
			opened := 0
			b := NewBreaker(BreakerConfig{Failures: 1, Changed: func(string, bool) { opened++ }})
			tr := through(t, tc.trip, WithBreaker(b), WithRetries(0), WithMaxMessage(1000))
			tr.Exchange(t.Context(), toolCall())
			if got := opened == 1; got != tc.want {
				t.Errorf("counts as a failure: %v, want %v", got, tc.want)
			}
		})
	}
}

func broken() (*http.Response, error) {
	resp, err := reply(200, "application/json", "")
	resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), failing{}))
	resp.ContentLength = 100
	return resp, err
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestTheEndOfACallCountsForTheBreakerByWhoseItIs(t *testing.T) {
	type end func(context.Context) (context.Context, context.CancelFunc)
	timeout := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Second)
	}
	cancelled := func(cause error) end {
		return func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(time.Second, func() { cancel(cause) })
			return ctx, func() { cancel(nil) }
		}
	}
	inHead := func(hreq *http.Request) (*http.Response, error) {
		<-hreq.Context().Done()
		return nil, hreq.Context().Err()
	}
	inBody := func(hreq *http.Request) (*http.Response, error) {
		resp, err := reply(200, "application/json", "")
		resp.Body, resp.ContentLength = io.NopCloser(endlessly{hreq.Context()}), -1
		return resp, err
	}
	for where, trip := range map[string]tripper{"before the header": inHead, "in the body": inBody} {
		for name, tc := range map[string]struct {
			end  end
			want bool
		}{
			"a deadline":                        {timeout, true},
			"a cause that is a deadline":        {cancelled(fmt.Errorf("too slow: %w", context.DeadlineExceeded)), true},
			"the caller's wish":                 {cancelled(nil), false},
			"the caller's wish, with its cause": {cancelled(errors.New("changed my mind")), false},
		} {
			t.Run(name+" "+where, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					opened := 0
					b := NewBreaker(BreakerConfig{Failures: 1, Changed: func(string, bool) { opened++ }})
					tr := through(t, trip, WithBreaker(b), WithRetries(0))
					ctx, cancel := tc.end(t.Context())
					defer cancel()
					o := tr.Exchange(ctx, toolCall())
					if got := opened == 1; got != tc.want {
						t.Errorf("counts as a failure: %v, want %v", got, tc.want)
					}
					if got := o.Failure == negotiation.TimedOut; got != tc.want {
						t.Errorf("failure %v", o.Failure)
					}
				})
			})
		}
	}
}

// endlessly reads nothing until its context ends.
type endlessly struct{ ctx context.Context }

func (e endlessly) Read([]byte) (int, error) {
	<-e.ctx.Done()
	return 0, e.ctx.Err()
}

func TestBreakerOpensHoldsBackAndTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent, status := 0, 503
		trip := func(*http.Request) (*http.Response, error) {
			sent++
			return reply(status, "application/json", result)
		}
		var changes []string
		b := NewBreaker(BreakerConfig{Failures: 3, Open: time.Minute, Changed: func(origin string, open bool) {
			changes = append(changes, fmt.Sprint(origin, " ", open))
		}})
		one := through(t, trip, WithBreaker(b), WithRetries(5))
		two := through(t, trip, WithBreaker(b))

		// The third failure opens it, and the retries that were left are none.
		_, err := exchange(t.Context(), one, toolList())
		if down, ok := errors.AsType[*transport.UnavailableError](err); !ok || sent != 3 || down.Attempts != 3 {
			t.Fatalf("%d requests, error %v; want 3", sent, err)
		}

		pass(20 * time.Second)
		for name, tr := range map[string]*Transport{"the same transport": one, "another one": two} {
			o, err := exchange(t.Context(), tr, toolList())
			down, ok := errors.AsType[*transport.UnavailableError](err)
			if !ok || down.Attempts != 0 || o.Attempts != 0 || down.RetryAfter != 40*time.Second || !errors.Is(err, transport.ErrHeldBack) {
				t.Errorf("%s: %#v", name, err)
			}
		}
		if sent != 3 {
			t.Errorf("%d requests, want 3", sent)
		}

		// A trial that fails holds it open for another minute.
		pass(41 * time.Second)
		one.Exchange(t.Context(), toolCall())
		if o := two.Exchange(t.Context(), toolList()); sent != 4 || o.RetryAfter != time.Minute {
			t.Errorf("%d requests, again in %v; want 4 and a minute", sent, o.RetryAfter)
		}

		// One that is well closes it.
		pass(61 * time.Second)
		status = 200
		if _, err := exchange(t.Context(), two, toolCall()); err != nil {
			t.Error(err)
		}
		if _, err := exchange(t.Context(), one, toolCall()); err != nil || sent != 6 {
			t.Errorf("%d requests, error %v", sent, err)
		}
		want := []string{
			"https://api.example.com true", "https://api.example.com true", "https://api.example.com false",
		}
		if diff := cmp.Diff(want, changes); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
	})
}

func TestOneRequestTriesForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		healthy := false
		goOn := make(chan struct{})
		b := NewBreaker(BreakerConfig{Failures: 1, Open: time.Minute})
		tr := through(t, func(*http.Request) (*http.Response, error) {
			if !healthy {
				return reply(503, "", "")
			}
			<-goOn
			return reply(200, "application/json", result)
		}, WithBreaker(b), WithRetries(0))
		tr.Exchange(t.Context(), toolCall())
		pass(61 * time.Second)
		healthy = true
		trial := make(chan error)
		go func() {
			_, err := exchange(t.Context(), tr, toolCall())
			trial <- err
		}()
		synctest.Wait()
		_, err := exchange(t.Context(), tr, toolCall())
		open, ok := errors.AsType[*BreakerError](err)
		if !ok || open.After != 0 || !strings.Contains(err.Error(), "another request tries") {
			t.Errorf("beside the trial: %v", err)
		}
		close(goOn)
		if err := <-trial; err != nil {
			t.Errorf("the trial: %v", err)
		}
	})
}

func TestBreakerHoldsBackWhateverIsSent(t *testing.T) {
	sent := 0
	b := NewBreaker(BreakerConfig{Failures: 1})
	tr := through(t, func(*http.Request) (*http.Response, error) {
		sent++
		return reply(503, "", "")
	}, WithBreaker(b), WithRetries(0))
	tr.Exchange(t.Context(), toolCall())
	other := through(t, func(*http.Request) (*http.Response, error) { return reply(200, "application/json", result) })
	for name, err := range map[string]error{
		"a notification":       tr.Send(t.Context(), &transport.Request{Method: "notifications/x", Era: negotiation.EraLegacy}),
		"the end of a session": tr.EndSession(t.Context(), "2025-11-25", "s1"),
		"an HTTP+SSE stream":   tr.Share(t.Context()),
	} {
		if !errors.As(err, new(*BreakerError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if sent != 1 {
		t.Errorf("%d requests, want 1", sent)
	}
	if _, err := exchange(t.Context(), other, toolCall()); err != nil {
		t.Errorf("a transport without the breaker: %v", err)
	}
}

func TestOriginsAreKeptApartAndBounded(t *testing.T) {
	created := 0
	busy := map[string]bool{}
	o := origins[string]{
		create: func(origin string) string { created++; return origin },
		idle:   func(v string) bool { return !busy[v] },
	}
	if o.get("a") != "a" || o.get("b") != "b" || o.get("a") != "a" || created != 2 {
		t.Fatalf("%d values created, want 2", created)
	}
	busy["a"] = true
	for i := range 2 * maxOrigins {
		o.get(fmt.Sprint(i))
	}
	if o.get("a"); created != 2*maxOrigins+2 || len(o.of) > maxOrigins {
		t.Errorf("%d created, %d kept: one in use was dropped, or too many are kept", created, len(o.of))
	}
	o.idle = func(string) bool { return false }
	for i := range 2 * maxOrigins {
		o.get(fmt.Sprint("x", i))
	}
	if len(o.of) > maxOrigins {
		t.Errorf("%d kept, none of them idle", len(o.of))
	}
	if _, err := New("https://example.com", WithBreaker(nil)); err == nil {
		t.Error("a nil breaker was taken")
	}
}
