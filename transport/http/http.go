package http

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A Transport posts messages to one endpoint. It implements
// transport.Transport and transport.SessionEnder; see there for concurrency.
// It keeps no state between messages but connections.
type Transport struct {
	endpoint *url.URL
	target   transport.Target
	options  *options
	client   *http.Client          // redirects by our policy
	policy   *retryablehttp.Client // sends posts
	own      idleCloser            // ours to close; nil when the caller gave a client
	receiver transport.Receiver
	shared   atomic.Pointer[sharedStream] // set by Share

	life   context.Context // ends with Close
	end    context.CancelFunc
	mu     sync.Mutex // guards active against Close
	active sync.WaitGroup
}

// New returns a transport for the endpoint, an absolute http or https URL. It
// is used as given, with its query; userinfo becomes basic authentication, as
// net/http does it.
func New(endpoint string, opts ...Option) (*Transport, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		// Neither the cause nor the URL, which may hold secrets.
		return nil, errors.New("http: the endpoint must be an absolute URL such as https://example.com/mcp")
	}
	u.Fragment, u.RawFragment = "", ""
	o := defaults()
	for _, opt := range opts {
		if err := opt(o); err != nil {
			return nil, err
		}
	}
	t := &Transport{options: o, target: transport.Target{URL: u, Principal: principal(u, o)}}
	t.endpoint = takeUser(u, o.header)
	if t.client, t.own, err = newClient(o, t.endpoint); err != nil {
		return nil, err
	}
	t.policy = t.newPolicy()
	t.life, t.end = context.WithCancel(context.Background())
	return t, nil
}

// takeUser returns u without its userinfo, which goes to header unless that
// has an Authorization. net/http would do the same, but drop it on a redirect.
func takeUser(u *url.URL, header http.Header) *url.URL {
	if u.User == nil {
		return u
	}
	if header.Get("Authorization") == "" {
		password, _ := u.User.Password()
		hreq := http.Request{Header: header}
		hreq.SetBasicAuth(u.User.Username(), password)
	}
	bare := *u
	bare.User = nil
	return &bare
}

// principal is a digest of the credentials that the caller configured. Any
// header may be one. An Authorizer or a client of the caller's may send some that
// can't be seen: unless WithPrincipal says whose they are, they are no other transport's.
func principal(u *url.URL, o *options) string {
	unseen := o.principal
	if unseen == "" && (o.authorizer != nil || o.client != nil && (o.client.Transport != nil || o.client.Jar != nil)) {
		unseen = rand.Text()
	}
	if u.User == nil && u.RawQuery == "" && len(o.header) == 0 && unseen == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q", u.User.String(), u.RawQuery, unseen)
	for _, name := range slices.Sorted(maps.Keys(o.header)) {
		fmt.Fprintf(h, " %q=%q", name, o.header[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Kind returns negotiation.HTTP.
func (t *Transport) Kind() negotiation.Transport { return negotiation.HTTP }

// Target names the endpoint, and those whose credentials are sent now.
func (t *Transport) Target() transport.Target {
	target := t.target
	if i, ok := t.options.authorizer.(Identifier); ok && t.options.principal == "" {
		target.Principal += " " + i.Principal(t.endpoint)
	}
	return target
}

// String shows the endpoint's origin only, as the rest may hold secrets.
func (t *Transport) String() string { return t.target.String() }

// GoString shows what String does.
func (t *Transport) GoString() string { return "&http.Transport{" + t.String() + "}" }

// MarshalText returns String, for logs in JSON.
func (t *Transport) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Open does nothing on the network.
func (t *Transport) Open(_ context.Context, r transport.Receiver) error {
	t.receiver = r
	return nil
}

// Send posts a message that needs no response. Any 2xx is success, whatever
// its type and body.
func (t *Transport) Send(ctx context.Context, req *transport.Request) error {
	if s := t.shared.Load(); s != nil && s.pending.Err() != nil {
		return s.pending.Err()
	}
	f, ok := t.begin(ctx)
	if !ok {
		return transport.ErrClosed
	}
	defer f.unwind()
	resp, o := t.post(f, req)
	if o.Failure != negotiation.NoFailure {
		f.end()
		return transport.ErrorOf(t.target, req, o)
	}
	if resp.StatusCode/100 == 2 {
		f.finish(resp.Body, resp.Body != http.NoBody)
		return nil
	}
	t.readJSON(f, resp, req, &o)
	f.finish(resp.Body, false)
	t.conceal(resp, &o)
	if o.Message != nil {
		if o.Message.Error == nil {
			o.Message = nil // a result of nothing that was asked
		} else {
			o.Message.ID = req.ID // it answers this POST, whatever its id
		}
	}
	return transport.ErrorOf(t.target, req, o)
}

// EndSession sends a DELETE. Any answer is a normal end; the error is that of
// the network.
func (t *Transport) EndSession(ctx context.Context, version, session string) error {
	f, ok := t.begin(transport.Unattended(ctx))
	if !ok {
		return transport.ErrClosed
	}
	defer f.unwind()
	req := &transport.Request{Method: http.MethodDelete, Era: negotiation.EraLegacy, Version: version, Session: session}
	var o negotiation.Outcome
	resp, err := t.delete(f, req)
	if err != nil {
		f.failed(&o, err)
		f.end()
		return transport.ErrorOf(t.target, req, o)
	}
	f.finish(resp.Body, resp.Body != http.NoBody)
	return nil
}

// delete sends the DELETE that ends req's session.
func (t *Transport) delete(ctx context.Context, req *transport.Request) (*http.Response, error) {
	hreq := newRequest(ctx, http.MethodDelete, t.endpoint)
	t.addHeader(hreq.Header)
	setConnectionHeaders(hreq.Header, req)
	return t.client.Do(hreq)
}

// Close ends what is under way, waits for it, and drops idle connections.
func (t *Transport) Close() error {
	t.mu.Lock()
	t.end()
	t.mu.Unlock()
	t.active.Wait()
	if t.own != nil {
		t.own.CloseIdleConnections()
	}
	return nil
}

// addHeader adds the caller's headers.
func (t *Transport) addHeader(h http.Header) {
	for name, values := range t.options.header {
		h[name] = values
	}
}
