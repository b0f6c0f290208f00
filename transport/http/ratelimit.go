package http

import (
	"context"
	"errors"
	"net/http"

	"golang.org/x/time/rate"

	"github.com/mcpera/mcpera/transport"
)

// A RateLimit bounds how often requests are sent to an origin. Transports that
// share one share the limit of each origin. Make one with NewRateLimit; it is
// safe for concurrent use.
type RateLimit struct {
	valid   bool
	origins origins[*rate.Limiter]
}

// NewRateLimit allows so many requests in a second to each origin, and burst of
// them at once. WithRateLimit fails unless both are above zero.
func NewRateLimit(perSecond float64, burst int) *RateLimit {
	return &RateLimit{
		valid: perSecond > 0 && burst > 0,
		origins: origins[*rate.Limiter]{
			create: func(string) *rate.Limiter { return rate.NewLimiter(rate.Limit(perSecond), burst) },
			idle:   func(l *rate.Limiter) bool { return l.Tokens() >= float64(burst) },
		},
	}
}

// WithRateLimit bounds how often requests are sent: by default there is no
// bound. Whatever goes to the server counts, retries and redirects too. A
// request waits for its turn until its context ends; one whose deadline comes
// before its turn fails at once, with a *transport.TimeoutError for a
// *RateLimitError. What waits has not been sent.
func WithRateLimit(l *RateLimit) Option {
	return func(o *options) error {
		if l == nil || !l.valid {
			return errors.New("http: a rate limit needs a rate and a burst above zero")
		}
		o.rateLimit = l
		return nil
	}
}

// A RateLimitError means that a request's time was over before its turn came
// under a RateLimit. Nothing was sent.
type RateLimitError struct {
	Origin string // scheme, host and port
}

func (e *RateLimitError) Error() string {
	return "the client's own rate limit for " + e.Origin + " leaves no time for the request"
}

// Timeout reports true, as net.Error does.
func (e *RateLimitError) Timeout() bool { return true }

// Temporary reports true, as net.Error does.
func (e *RateLimitError) Temporary() bool { return true }

// Unwrap returns transport.ErrHeldBack.
func (e *RateLimitError) Unwrap() error { return transport.ErrHeldBack }

// A limitedTripper sends each request when its turn has come.
type limitedTripper struct {
	next   http.RoundTripper
	limit  *RateLimit
	origin string
}

func (l limitedTripper) RoundTrip(hreq *http.Request) (*http.Response, error) {
	if err := l.wait(hreq.Context()); err != nil {
		closeBody(hreq)
		return nil, err
	}
	return l.next.RoundTrip(hreq)
}

func (l limitedTripper) wait(ctx context.Context) error {
	if f := flightOf(ctx); f != nil { // whose context has no deadline
		if deadline, ok := f.caller.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline)
			defer cancel()
		}
	}
	err := l.limit.origins.get(l.origin).Wait(ctx)
	if err != nil {
		return &RateLimitError{Origin: l.origin}
	}
	return nil
}
