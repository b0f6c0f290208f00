package http

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/mcpera/mcpera/transport"
)

// retryable says whether a request is sent again. Only what certainly did not
// reach the server is repeated for a request that is not idempotent.
func retryable(ctx context.Context, req *transport.Request, resp *http.Response, err error) bool {
	switch {
	case ctx.Err() != nil, req.Once:
		return false
	case err != nil && (permanent(err) || refused(err)):
		return false
	case err != nil:
		return req.Idempotent || unsent(err)
	case !req.Idempotent:
		return false
	default:
		return resp.StatusCode == http.StatusRequestTimeout ||
			resp.StatusCode == http.StatusTooManyRequests ||
			resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented
	}
}

// wait is the backoff of go-retryablehttp by our own rule: what the server
// asks for is honoured up to a limit.
func (t *Transport) wait(_, _ time.Duration, attempt int, resp *http.Response) time.Duration {
	var after time.Duration
	if resp != nil {
		after = retryAfter(resp)
	}
	return t.options.backoff.Wait(attempt, after)
}

// maxRetryAfter bounds what is reported; what is waited for is bounded lower.
const maxRetryAfter = 24 * time.Hour

// retryAfter returns the delay that a response asks for; 0 when it names none
// that can be read. A date is taken relative to the response's own Date, so
// that the two clocks need not agree.
//
// Source: RFC 9110, 10.2.3.
func retryAfter(resp *http.Response) time.Duration {
	value := resp.Header.Get("Retry-After")
	if value == "" {
		return 0
	}
	seconds, err := strconv.ParseUint(value, 10, 32)
	if err == nil || errors.Is(err, strconv.ErrRange) { // then it is the largest
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, min(at.Sub(now), maxRetryAfter))
}
