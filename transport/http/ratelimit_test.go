package http

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// B-CMP-02.
func TestRateLimitIsSharedByTheTransportsOfAnOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var at []time.Duration
		status := 503
		trip := func(*http.Request) (*http.Response, error) {
			at = append(at, time.Since(start))
			s := status
			status = 200
			return reply(s, "application/json", result)
		}
		limit := NewRateLimit(2, 2)
		one, two := through(t, trip, WithRateLimit(limit)), through(t, trip, WithRateLimit(limit))
		elsewhere := open(t, "https://other.example.com/mcp", WithRateLimit(limit), WithClient(&http.Client{Transport: tripper(trip)}))
		for i, tr := range []*Transport{one, two, one} { // the first is sent again
			if _, err := exchange(t.Context(), tr, toolList()); err != nil {
				t.Errorf("request %d: %v", i, err)
			}
		}
		elsewhere.Exchange(t.Context(), toolList())
		want := []time.Duration{0, 0, 500 * time.Millisecond, time.Second, time.Second}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("sent at (-want +got):\n%s", diff)
		}
	})
}

func TestWaitingForTheRateLimitEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		ctx   func(context.Context) (context.Context, context.CancelFunc)
		close bool
		want  negotiation.Failure
		after time.Duration
	}{
		"at once when the deadline comes first": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 10*time.Second)
			}, false, negotiation.TimedOut, 0,
		},
		"with the caller": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(10*time.Second, cancel)
				return ctx, cancel
			}, false, negotiation.Canceled, 10 * time.Second,
		},
		"with the transport": {context.WithCancel, true, negotiation.Closed, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sent := 0
				tr := through(t, func(*http.Request) (*http.Response, error) {
					sent++
					return reply(200, "application/json", result)
				}, WithRateLimit(NewRateLimit(1.0/3600, 1)))
				tr.Exchange(t.Context(), toolList())
				if tc.close {
					time.AfterFunc(10*time.Second, func() { _ = tr.Close() })
				}
				start := time.Now()
				ctx, cancel := tc.ctx(t.Context())
				defer cancel()
				o, err := exchange(ctx, tr, toolList())
				if o.Failure != tc.want || o.Attempts != 0 || sent != 1 {
					t.Errorf("%v after %d attempts, %d requests: %v", o.Failure, o.Attempts, sent, err)
				}
				if got := time.Since(start); got != tc.after {
					t.Errorf("waited %v, want %v", got, tc.after)
				}
				if tc.want == negotiation.TimedOut && !errors.As(err, new(*transport.TimeoutError)) {
					t.Errorf("%T, want a *transport.TimeoutError", err)
				}
			})
		})
	}
}

func TestRateLimitsNeedARateAndABurst(t *testing.T) {
	for name, limit := range map[string]*RateLimit{
		"nil": nil, "zero": {}, "no rate": NewRateLimit(0, 1), "no burst": NewRateLimit(1, 0), "less than none": NewRateLimit(-1, 1),
	} {
		if _, err := New("https://example.com", WithRateLimit(limit)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
