package http

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/headervalue"
	"github.com/mcpera/mcpera/transport/target"
)

// An Option adjusts a Transport. The order of options does not matter. New fails on
// a value that makes no sense.
type Option func(*options) error

type options struct {
	principal  string // who the client's unseen credentials belong to; "" when not said
	client     *http.Client
	header     http.Header
	retries    int
	backoff    transport.Backoff
	maxMessage int64
	redirects  int
	policy     *target.Policy // nil for none, as the following
	breaker    *Breaker
	rateLimit  *RateLimit
	authorizer Authorizer
	messages   *url.URL // where to post over HTTP+SSE; nil where the server says
}

func defaults() *options {
	return &options{
		header: make(http.Header), retries: 3,
		backoff: transport.DefaultBackoff(), maxMessage: 32 << 20, redirects: 3,
	}
}

// WithClient sets the HTTP client whose Transport and Jar are used. It is
// copied, and its Timeout and CheckRedirect have no effect. By default the
// transport has a client of its own.
func WithClient(c *http.Client) Option {
	return func(o *options) error {
		if c == nil {
			return errors.New("http: the client must not be nil")
		}
		o.client = c
		return nil
	}
}

// WithPrincipal names those whose credentials the transport sends, where a
// client of WithClient adds them: a user's id, say, but no secret. Transports to
// one server with equal names and headers share what it answered to them alone.
// By default each transport with such a client stands for itself.
func WithPrincipal(name string) Option {
	return func(o *options) error {
		if name == "" {
			return errors.New("http: the principal must not be empty")
		}
		o.principal = name
		return nil
	}
}

// WithHeader adds a header to every request, such as Authorization. It is sent
// to the server's own origin only, and its value never stands in an error or a
// log. Headers that the protocol sets can't be set here.
func WithHeader(name, value string) Option {
	return func(o *options) error {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case name == "":
			return errors.New("http: a header needs a name")
		case tokenLength(name) < len(name):
			// Its start only: what follows may be a value that went astray.
			return fmt.Errorf("http: a header name can't go on after %q", name[:tokenLength(name)])
		case !validValue(value):
			return fmt.Errorf("http: the value of header %s has characters that a header can't carry", canonical)
		case reserved[canonical]:
			return fmt.Errorf("http: header %s is set by the protocol", canonical)
		}
		o.header.Add(canonical, value)
		return nil
	}
}

var reserved = map[string]bool{
	"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Trailer": true,
	"Content-Type": true, "Accept": true, "Last-Event-Id": true,
	headerVersion: true, headerMethod: true, headerName: true, headerSession: true,
}

// tokenLength returns how many bytes at the start of name are fit for a header
// name.
func tokenLength(name string) int {
	for i := range len(name) {
		if !headervalue.IsToken(name[i : i+1]) {
			return i
		}
	}
	return len(name)
}

// validValue reports whether value is visible ASCII, blanks and tabs.
func validValue(value string) bool {
	for i := range len(value) {
		if c := value[i]; c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}

// WithRetries sets how often an idempotent request is sent again after an
// outage, a network error or a 408, 429 or 5xx; by default 3 times, 0 for never.
func WithRetries(n int) Option {
	return func(o *options) error {
		if n < 0 {
			return errors.New("http: retries must not be negative")
		}
		o.retries = n
		return nil
	}
}

// WithBackoff sets the waits between retries: by default 200 ms doubling to
// 5 s, and what Retry-After asks for up to 30 s.
func WithBackoff(b transport.Backoff) Option {
	return func(o *options) error {
		if b.Min < 0 || b.Max < b.Min || b.MaxAfter < 0 {
			return errors.New("http: a backoff needs 0 <= Min <= Max and 0 <= MaxAfter")
		}
		o.backoff = b
		return nil
	}
}

// WithMaxMessage bounds one message from the server, be it a JSON body or an
// event, in bytes: by default 32 MiB.
func WithMaxMessage(bytes int64) Option {
	return func(o *options) error {
		if bytes <= 0 {
			return errors.New("http: the message limit must be above zero")
		}
		o.maxMessage = bytes
		return nil
	}
}

// WithMaxRedirects bounds how many redirects in a row are followed, which is only
// done within the origin and where the method stays: by default 3, 0 for none. One
// more is a *transport.StatusError.
func WithMaxRedirects(n int) Option {
	return func(o *options) error {
		if n < 0 {
			return errors.New("http: redirects must not be negative")
		}
		o.redirects = n
		return nil
	}
}

// dialTimeout bounds making a connection; the rest is for contexts.
const dialTimeout = 10 * time.Second
