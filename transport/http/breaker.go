package http

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/mcpera/mcpera/transport"
)

// A Breaker is a circuit breaker for each origin: after some failures in a row
// nothing is sent there for a while, then a single request tries, and what
// comes of it decides. Transports that share a Breaker share its state. Make one
// with NewBreaker; it is safe for concurrent use.
//
// Only an origin's health counts. Failures are what the network does, timeouts,
// and the statuses 408, 429 and 5xx but 501. Any other answer is a success: a
// refusal, a JSON-RPC error, an answer of the other era. A stream counts when it
// opens, however it ends. What the caller cancels counts neither way.
type Breaker struct {
	origins origins[*circuit]
}

// A BreakerConfig says when a Breaker opens, and for how long. Values that are
// not above zero stand for the defaults.
type BreakerConfig struct {
	// Failures in a row open the circuit: by default 5. Each attempt counts,
	// retries too.
	Failures int
	// Open is how long nothing is sent: by default 30 s.
	Open time.Duration
	// Changed is called, if not nil, when the circuit of an origin opens, and
	// when it closes again. It must be quick and send nothing itself.
	Changed func(origin string, open bool)
}

// Defaults of a BreakerConfig.
const (
	breakerFailures = 5
	breakerOpen     = 30 * time.Second
)

// NewBreaker returns a Breaker with all circuits closed.
func NewBreaker(config BreakerConfig) *Breaker {
	if config.Failures <= 0 {
		config.Failures = breakerFailures
	}
	if config.Open <= 0 {
		config.Open = breakerOpen
	}
	return &Breaker{origins: origins[*circuit]{
		create: func(origin string) *circuit { return newCircuit(origin, config) },
		idle:   (*circuit).idle,
	}}
}

// WithBreaker holds requests back while b's circuit for the server's origin is
// open: they fail at once, with a *transport.UnavailableError for a
// *BreakerError, and nothing is sent. By default there is no breaker.
func WithBreaker(b *Breaker) Option {
	return func(o *options) error {
		if b == nil {
			return errors.New("http: the breaker must not be nil")
		}
		o.breaker = b
		return nil
	}
}

// A BreakerError means that a Breaker held a request back. Nothing was sent.
type BreakerError struct {
	Origin string // scheme, host and port
	// After is when the server is tried again at the soonest, counted from the
	// error; 0 while another request is trying it.
	After time.Duration
}

func (e *BreakerError) Error() string {
	if e.After == 0 {
		return "the circuit breaker is open, and another request tries the server now"
	}
	return "the circuit breaker is open"
}

// Unwrap returns transport.ErrHeldBack.
func (e *BreakerError) Unwrap() error { return transport.ErrHeldBack }

// A circuit is the breaker of one origin.
type circuit struct {
	origin  string
	breaker *gobreaker.TwoStepCircuitBreaker[struct{}]
	reopens atomic.Pointer[time.Time] // when it may be tried again, if it is open
}

// What a circuit is told of a request. nil is a success.
var (
	errUnwell    = errors.New("the origin is not well")
	errNoFinding = errors.New("this says nothing about the origin's health")
)

func newCircuit(origin string, config BreakerConfig) *circuit {
	c := &circuit{origin: origin}
	c.breaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name:    origin,
		Timeout: config.Open,
		ReadyToTrip: func(counts gobreaker.Counts) bool {
			return int64(counts.ConsecutiveFailures) >= int64(config.Failures)
		},
		IsExcluded: func(err error) bool { return errors.Is(err, errNoFinding) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				at := time.Now().Add(config.Open)
				c.reopens.Store(&at)
			}
			if config.Changed != nil && to != gobreaker.StateHalfOpen {
				config.Changed(origin, to == gobreaker.StateOpen)
			}
		},
	})
	return c
}

// idle reports whether the circuit is closed and has met no failure.
func (c *circuit) idle() bool {
	return c.breaker.State() == gobreaker.StateClosed && c.breaker.Counts().ConsecutiveFailures == 0
}

// allow lets a request through, whose finding done must be told once, or
// returns a *BreakerError.
func (c *circuit) allow() (done func(finding error), err error) {
	done, err = c.breaker.Allow()
	switch {
	case err == nil:
		return done, nil
	case errors.Is(err, gobreaker.ErrOpenState):
		return nil, &BreakerError{Origin: c.origin, After: max(time.Until(*c.reopens.Load()), time.Millisecond)}
	default:
		return nil, &BreakerError{Origin: c.origin}
	}
}

// A breakingTripper sends requests while the circuit is closed, and tells it how
// they went.
type breakingTripper struct {
	next    http.RoundTripper
	breaker *Breaker
	origin  string
}

func (b breakingTripper) RoundTrip(hreq *http.Request) (*http.Response, error) {
	done, err := b.breaker.origins.get(b.origin).allow()
	if err != nil {
		closeBody(hreq)
		return nil, err
	}
	resp, err := b.next.RoundTrip(hreq)
	switch {
	case err != nil:
		done(findingOf(hreq.Context(), err))
		return nil, err
	case unwell(resp.StatusCode):
		done(errUnwell)
	case resp.Body == http.NoBody, isEventStream(resp.Header.Get("Content-Type")):
		done(nil)
	default:
		resp.Body = &judgedBody{ReadCloser: resp.Body, ctx: hreq.Context(), done: done}
	}
	return resp, nil
}

// unwell reports whether a status says that the origin can't serve now. 501 says
// something about the method.
func unwell(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests ||
		status >= 500 && status != http.StatusNotImplemented
}

// findingOf is what an error says about the origin's health.
func findingOf(ctx context.Context, err error) error {
	if refused(err) || errors.Is(err, context.Canceled) && !timedOut(ctx) {
		return errNoFinding
	}
	return errUnwell
}

// timedOut reports whether the request was ended by the time that its caller
// gave it.
func timedOut(ctx context.Context) bool {
	f := flightOf(ctx)
	return f != nil && f.pastDeadline()
}

// A judgedBody tells the circuit whether a body came whole. One that is closed
// early was good so far.
type judgedBody struct {
	io.ReadCloser
	ctx  context.Context
	once sync.Once
	done func(error)
}

func (b *judgedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		b.judge(nil)
	case err != nil:
		b.judge(findingOf(b.ctx, err))
	}
	return n, err
}

func (b *judgedBody) Close() error {
	b.judge(nil)
	return b.ReadCloser.Close()
}

func (b *judgedBody) judge(finding error) { b.once.Do(func() { b.done(finding) }) }
