package http

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/mcpera/mcpera/internal/origin"
	"github.com/mcpera/mcpera/transport/challenge"
)

// An Authorizer adds credentials to requests, and gets new ones when the server
// asks for them. Package auth has one for OAuth 2.1. Its methods are called
// concurrently, and return soon after ctx ends.
//
// While it asks the user, the time that a call has does not count if it calls
// transport.Hold. It must not ask where transport.IsUnattended says so.
type Authorizer interface {
	// Authorize may change the header of a.Request, which is sent next. It is
	// called for everything that goes to the server's origin, and for each time
	// that it goes there. On an error nothing is sent: the credentials can't be
	// had at present, and to ask again later may help.
	Authorize(ctx context.Context, a *Attempt) error

	// Refused is told that the server answered a.Request with 401, or with 403
	// and insufficient_scope. It reports whether to send the request again, which
	// goes through Authorize. Of an error the call's *transport.AuthError tells.
	Refused(ctx context.Context, a *Attempt, r Refusal) (again bool, err error)
}

// An Attempt is a request on its way to the server. There is one for all the
// times that it is sent because of Refused.
type Attempt struct {
	// Endpoint is what the transport was made for, without userinfo.
	Endpoint *url.URL
	// Request is what is sent this time. Only its header may be changed, and only
	// by Authorize.
	Request *http.Request
	// Operation is what the request is about, such as "tools/call add": a
	// JSON-RPC method and a name; "" for a stream and the end of a session.
	Operation string
	// Number counts how often the request has been sent, from 1.
	Number int
	// Memo is the Authorizer's own, kept from one time to the next.
	Memo any
}

// An Observer is an Authorizer that wants to see the header of every answer, before
// Refused is called with it. It must not change the header.
type Observer interface {
	Answered(a *Attempt, header http.Header)
}

// An Identifier is an Authorizer that tells whose credentials it sends, so that
// what a server answered to one user is never given to another who logged in since.
type Identifier interface {
	// Principal names, without revealing them, the credentials that a request to
	// endpoint would carry now; "" while there are none. It asks nobody, and is
	// called often.
	Principal(endpoint *url.URL) string
}

// A Refusal is the answer of a server that wants other credentials.
type Refusal struct {
	Status     int // 401 or 403
	Header     http.Header
	Challenges []challenge.Challenge // of the header, in order
}

// maxAttempts bounds how often a request is sent because of Refused.
const maxAttempts = 6

// WithAuthorizer lets a add credentials to all requests, and renew them when the
// server asks. They go to the server's own origin only. Answers to one user
// alone are shared with other transports only where WithPrincipal says who that
// is.
func WithAuthorizer(a Authorizer) Option {
	return func(o *options) error {
		if a == nil {
			return errors.New("http: the authorizer must not be nil")
		}
		o.authorizer = a
		return nil
	}
}

// An authorizingTripper sends requests with the credentials of an Authorizer.
type authorizingTripper struct {
	next       http.RoundTripper
	authorizer Authorizer
	endpoint   *url.URL
}

func (t authorizingTripper) RoundTrip(hreq *http.Request) (*http.Response, error) {
	if origin.Of(hreq.URL) != origin.Of(t.endpoint) {
		return t.next.RoundTrip(hreq)
	}
	ctx := hreq.Context()
	a := &Attempt{Endpoint: t.endpoint, Operation: operationOf(ctx)}
	for a.Number = 1; ; a.Number++ {
		again, err := prepare(hreq, a.Number)
		if err != nil {
			return nil, err
		}
		a.Request = again
		if err := t.authorizer.Authorize(ctx, a); err != nil {
			closeBody(again)
			return nil, &authorizeError{err}
		}
		resp, err := t.next.RoundTrip(again)
		if err != nil {
			return nil, err
		}
		if o, ok := t.authorizer.(Observer); ok {
			o.Answered(a, resp.Header)
		}
		r := Refusal{Status: resp.StatusCode, Header: resp.Header, Challenges: challenge.Parse(resp.Header.Values("Www-Authenticate")...)}
		if !r.wantsOthers() || !repeatable(hreq) || a.Number == maxAttempts {
			return resp, nil
		}
		keepBody(resp)
		if yes, err := t.authorizer.Refused(ctx, a, r); err != nil {
			refuse(ctx, resp, err)
			return resp, nil
		} else if !yes {
			return resp, nil
		}
	}
}

// prepare returns a copy of hreq to be sent for the nth time.
func prepare(hreq *http.Request, n int) (*http.Request, error) {
	again := hreq.Clone(hreq.Context())
	if n == 1 || hreq.GetBody == nil {
		return again, nil
	}
	var err error
	again.Body, err = hreq.GetBody()
	return again, err
}

func repeatable(hreq *http.Request) bool {
	return hreq.Body == nil || hreq.Body == http.NoBody || hreq.GetBody != nil
}

// wantsOthers reports whether other credentials may help.
//
// Source: RFC 6750, 3.1.
func (r Refusal) wantsOthers() bool {
	switch r.Status {
	case http.StatusUnauthorized:
		return true
	case http.StatusForbidden:
		for _, c := range r.Challenges {
			if c.Get("error") == "insufficient_scope" {
				return true
			}
		}
	}
	return false
}

// maxRefusal bounds what is kept of a refusal's body.
const maxRefusal = 64 << 10

// keepBody reads the body of a refusal, which may have to wait for long until
// its turn.
func keepBody(resp *http.Response) {
	var said []byte
	if !isEventStream(resp.Header.Get("Content-Type")) {
		said, _ = io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	}
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(said))
	resp.ContentLength = int64(len(said))
}

// refuse makes err the reason of a refusal.
func refuse(ctx context.Context, resp *http.Response, err error) {
	if f := flightOf(ctx); f != nil {
		f.refusal = err
		resp.Body, resp.ContentLength = http.NoBody, 0
		resp.Header.Del("Content-Type")
	}
}

// operationOf names what the exchange of ctx is about.
func operationOf(ctx context.Context) string {
	f := flightOf(ctx)
	switch {
	case f == nil || f.request == nil:
		return ""
	case f.request.Name == "":
		return f.request.Method
	default:
		return f.request.Method + " " + f.request.Name
	}
}

// An authorizeError means that there were no credentials to send a request with.
type authorizeError struct{ err error }

func (e *authorizeError) Error() string { return fmt.Sprintf("no credentials: %v", e.err) }

func (e *authorizeError) Unwrap() error { return e.err }
