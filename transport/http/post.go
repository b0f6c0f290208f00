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
	to := t.endpoint
	if s := t.shared.Load(); s != nil {
		to = s.messages
	}
	hreq, err := retryablehttp.NewRequestWithContext(f, http.MethodPost, to.String(), req.Body)
	if err != nil {
		f.failed(&o, err)
		return nil, o
	}
	t.addHeader(hreq.Header)
	setHeaders(hreq.Header, req)
	f.request = req
	resp, attempts, err := t.do(hreq, req)
	o.Attempts = attempts
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

// do sends hreq, again where the request allows it, and counts how often it
// may have reached the server.
func (t *Transport) do(hreq *retryablehttp.Request, req *transport.Request) (*http.Response, int, error) {
	attempts := 0
	policy := retryablehttp.Client{
		HTTPClient: t.client,
		RetryMax:   t.options.retries,
		Backoff:    t.wait,
		CheckRetry: func(ctx context.Context, resp *http.Response, err error) (bool, error) {
			if err == nil || !unsent(err) {
				attempts++
			}
			return retryable(ctx, req, resp, err), nil
		},
		PrepareRetry: t.resetCookies,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	resp, err := policy.Do(hreq)
	return resp, attempts, err
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

// maxRedirects bounds redirects within the origin.
const maxRedirects = 3

// checkRedirect follows only what keeps the method and stays within the
// origin. Everything else is the answer, and its Location is reported.
func checkRedirect(next *http.Request, via []*http.Request) error {
	status := next.Response.StatusCode
	keepsMethod := status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
	if !keepsMethod || len(via) > maxRedirects || origin.Of(next.URL) != origin.Of(via[0].URL) {
		return http.ErrUseLastResponse
	}
	return nil
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
