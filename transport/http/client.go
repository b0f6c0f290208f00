package http

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpera/mcpera/internal/origin"
	"github.com/mcpera/mcpera/transport/target"
)

// TargetError means that the target policy refused the endpoint, the address
// that its name resolved to, or where a redirect points. Nothing was sent there.
type TargetError = target.Error

// PublicTargets returns the policy for WithTargetPolicy that allows public
// servers over https; see target.Public.
func PublicTargets(opts ...target.Option) *target.Policy { return target.Public(opts...) }

// WithTargetPolicy sends requests only where p allows: use it in programs that
// take URLs from others. New then fails with a *TargetError for an endpoint that
// tells by itself, and requests do for one whose name resolves to a refused
// address. Proxies from the environment are not used. Of a client of
// WithClient, its Transport must be an *http.Transport or nil, and neither its
// dialers nor its proxy are used. By default every target is allowed.
func WithTargetPolicy(p *target.Policy) Option {
	return func(o *options) error {
		if p == nil {
			return errors.New("http: the target policy must not be nil")
		}
		o.policy = p
		return nil
	}
}

// newClient returns the client that sends requests to endpoint, and what of it
// is ours to close, nil for nothing.
func newClient(o *options, endpoint *url.URL) (*http.Client, idleCloser, error) {
	client := new(http.Client)
	if o.client != nil {
		*client = *o.client
		client.Timeout = 0 // would cut event streams
	}
	base, own, err := newTripper(o, endpoint.Scheme, client.Transport)
	if err != nil {
		return nil, nil, err
	}
	at := origin.Of(endpoint)
	if o.rateLimit != nil {
		base = limitedTripper{base, o.rateLimit, at}
	}
	if o.breaker != nil {
		base = breakingTripper{base, o.breaker, at}
	}
	if o.authorizer != nil {
		base = authorizingTripper{base, o.authorizer, endpoint}
	}
	client.Transport = roundTripper{base}
	client.CheckRedirect = checkRedirect(o.redirects)
	if o.policy != nil {
		if err := o.policy.CheckURL(endpoint); err != nil {
			return nil, nil, err
		}
	}
	return client, own, nil
}

// An idleCloser has connections to close that are not in use.
type idleCloser interface{ CloseIdleConnections() }

// newTripper returns what sends requests to a URL of scheme: given, which is the
// caller's, or one of our own, or one that holds to the target policy.
func newTripper(o *options, scheme string, given http.RoundTripper) (http.RoundTripper, idleCloser, error) {
	if o.policy != nil {
		base, ok := given.(*http.Transport)
		switch {
		case given == nil:
			base = pooled(scheme)
		case !ok || base == nil:
			return nil, nil, errors.New("http: a target policy can't be held to by a client whose Transport is no *http.Transport")
		}
		guard := o.policy.Guard(base)
		return guard, guard, nil
	}
	switch {
	case given != nil:
		return given, nil, nil
	case o.client != nil:
		return http.DefaultTransport, nil, nil
	default:
		t := pooled(scheme)
		return t, t, nil
	}
}

// pooled returns a transport that keeps enough connections for many callers.
func pooled(scheme string) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     scheme == "https", // else it could not be spoken, but costs as much to set up as two requests
		MaxIdleConnsPerHost:   512,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   dialTimeout,
		ExpectContinueTimeout: time.Second,
		// Retries would multiply the 10 MB that net/http reads otherwise.
		MaxResponseHeaderBytes: 1 << 20,
	}
}

// refused reports whether err says that the client itself did not send the
// request.
func refused(err error) bool {
	var byPolicy *TargetError
	var byBreaker *BreakerError
	var byLimit *RateLimitError
	return errors.As(err, &byPolicy) || errors.As(err, &byBreaker) || errors.As(err, &byLimit)
}

func closeBody(hreq *http.Request) {
	if hreq.Body != nil {
		_ = hreq.Body.Close()
	}
}
