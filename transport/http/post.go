package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/mcpera/mcpera/internal/origin"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// post sends one message and returns the response, whose body the caller
// closes, with the outcome filled in as far as the header goes. When the
// outcome has a failure there is no response.
func (t *Transport) post(f *flight, req *transport.Request) (*http.Response, negotiation.Outcome) {
	o := negotiation.Outcome{RequestID: req.ID}
	if err := f.Err(); err != nil { // sure to be unsent, which can't be told later
		f.failed(&o, err)
		return nil, o
	}
	to := t.endpoint
	if s := t.shared.Load(); s != nil {
		to = s.messages
	}
	hreq := &retryablehttp.Request{Request: newRequest(f, http.MethodPost, to)}
	if err := hreq.SetBody(req.Body); err != nil {
		f.failed(&o, err)
		return nil, o
	}
	t.addHeader(hreq.Header)
	setHeaders(hreq.Header, req)
	f.request = req
	resp, err := t.policy.Do(hreq)
	o.Attempts = f.attempts
	if err != nil {
		f.failed(&o, err)
		return nil, o
	}
	o.Status = resp.StatusCode
	o.ContentType = resp.Header.Get("Content-Type")
	o.Challenge = strings.Join(resp.Header.Values("Www-Authenticate"), ", ")
	o.Session = resp.Header.Get(headerSession)
	o.RetryAfter = retryAfter(resp)
	if resp.StatusCode/100 == 3 {
		o.Location = location(resp)
	}
	return resp, o
}

// newRequest returns a request without a body to a URL that is known to be good.
func newRequest(ctx context.Context, method string, to *url.URL) *http.Request {
	u := *to
	u.Host = strings.TrimSuffix(u.Host, ":") // as net/http does it
	hreq := http.Request{
		Method: method, URL: &u, Host: u.Host, Header: make(http.Header, 8),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	return hreq.WithContext(ctx)
}

// newPolicy returns what sends posts, again where the request allows it, and
// counts how often it may have reached the server. The contexts are flights.
func (t *Transport) newPolicy() *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: t.client,
		RetryMax:   t.options.retries,
		Backoff:    t.wait,
		CheckRetry: func(ctx context.Context, resp *http.Response, err error) (bool, error) {
			f := flightOf(ctx)
			if err == nil || !unsent(err) {
				f.attempts++
			}
			return retryable(ctx, f.request, resp, err), nil
		},
		PrepareRetry: t.resetCookies,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// resetCookies undoes what net/http did to the headers of the request that is
// sent again: it would add the jar's cookies to those of the time before.
func (t *Transport) resetCookies(hreq *http.Request) error {
	hreq.Header.Del("Cookie")
	if own := t.options.header["Cookie"]; own != nil {
		hreq.Header["Cookie"] = own
	}
	return nil
}

// redact takes the URL out of an error of net/http: its query and path may be
// secrets, and the error that it ends up in names the origin anyway. What no
// retry can mend then says so.
func redact(err error) error {
	final := permanent(err)
	if urlErr := new(url.Error); errors.As(err, &urlErr) {
		err = urlErr.Err
	}
	if final {
		return fmt.Errorf("%w; %w", err, transport.ErrPermanent)
	}
	return err
}

// unsent reports whether err says that the request never left: no connection
// was made.
func unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, new(*authorizeError)) || permanent(err) || refused(err)
}

// permanent reports whether no retry can mend err.
func permanent(err error) bool {
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var dns *net.DNSError
	return errors.As(err, new(*TargetError)) || errors.As(err, &cert) || errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, &dns) && dns.IsNotFound
}

// checkRedirect follows only what keeps the method and stays within the origin, up
// to most in a row. Everything else is the answer, and its Location is reported.
func checkRedirect(most int) func(next *http.Request, via []*http.Request) error {
	return func(next *http.Request, via []*http.Request) error {
		status := next.Response.StatusCode
		keepsMethod := status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
		if !keepsMethod || origin.Of(next.URL) != origin.Of(via[0].URL) {
			return http.ErrUseLastResponse
		}
		if len(via) > most {
			if f := flightOf(next.Context()); f != nil {
				f.refusal = fmt.Errorf("more redirects than the limit of %d", most)
			}
			return http.ErrUseLastResponse
		}
		return nil
	}
}

// location returns where a redirect points, without what may be secret.
func location(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return ""
	}
	if u.Host == "" {
		return fmt.Sprintf("a URL with scheme %q", u.Scheme)
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// A roundTripper sends requests like its base, with two differences. A redirect
// to what is no URL is an answer like any other, where http.Client would repeat
// the target in an error. And idle connections stay when a request fails, where
// go-retryablehttp would have http.Client drop them, other callers' too.
type roundTripper struct{ base http.RoundTripper }

func (r roundTripper) RoundTrip(hreq *http.Request) (*http.Response, error) {
	resp, err := r.base.RoundTrip(hreq)
	if err != nil || resp.StatusCode/100 != 3 {
		return resp, err
	}
	if _, err := hreq.URL.Parse(resp.Header.Get("Location")); err != nil {
		resp.Header.Del("Location")
	}
	return resp, nil
}
