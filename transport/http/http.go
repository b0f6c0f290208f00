package http

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

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
	client   *http.Client    // redirects by our policy
	own      *http.Transport // ours to close; nil when the caller gave a client
	receiver transport.Receiver

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
	if err != nil {
		return nil, errors.New("http: the endpoint is not a URL") // the cause would repeat it, with its secrets
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("http: the endpoint must be an absolute http or https URL, not one with scheme %q and host %q", u.Scheme, u.Host)
	}
	u.Fragment, u.RawFragment = "", ""
	o := defaults()
	for _, opt := range opts {
		if err := opt(o); err != nil {
			return nil, err
		}
	}
	t := &Transport{endpoint: u, options: o}
	t.life, t.end = context.WithCancel(context.Background())
	t.target = transport.Target{URL: u, Principal: principal(u, o.header)}
	if o.client == nil {
		t.own = pooled()
		t.client = &http.Client{Transport: t.own}
	} else {
		c := *o.client
		c.Timeout = 0 // would cut event streams
		t.client = &c
	}
	t.client.CheckRedirect = checkRedirect
	return t, nil
}

// pooled returns a transport that keeps enough connections for many callers.
func pooled() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = 128
	return t
}

// principal is a digest of the credentials that the caller configured. Any
// header may be one.
func principal(u *url.URL, header http.Header) string {
	if u.User == nil && u.RawQuery == "" && len(header) == 0 {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", u.User.String(), u.RawQuery)
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(h, " %q=%q", name, header[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Kind returns negotiation.HTTP.
func (t *Transport) Kind() negotiation.Transport { return negotiation.HTTP }

// Target names the endpoint.
func (t *Transport) Target() transport.Target { return t.target }

// Open does nothing on the network.
func (t *Transport) Open(_ context.Context, r transport.Receiver) error {
	t.receiver = r
	return nil
}

// Send posts a message that needs no response. Any 2xx is success, whatever
// its type and body.
func (t *Transport) Send(ctx context.Context, req *transport.Request) error {
	if !t.begin() {
		return transport.ErrClosed
	}
	defer t.active.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.life, cancel)()
	resp, o := t.post(ctx, req)
	if o.Failure != negotiation.NoFailure {
		return transport.ErrorOf(t.target, req, o)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 2 {
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // for the connection's sake
		return nil
	}
	t.readJSON(resp, req, &o)
	if o.Message != nil && o.Message.Error != nil {
		o.Message.ID = req.ID // it answers this POST, whatever its id
	}
	return transport.ErrorOf(t.target, req, o)
}

// EndSession sends a DELETE. Any answer is a normal end; the error is that of
// the network.
func (t *Transport) EndSession(ctx context.Context, version, session string) error {
	hreq, err := http.NewRequestWithContext(ctx, http.MethodDelete, t.endpoint.String(), nil)
	if err != nil {
		return err
	}
	t.addHeader(hreq.Header)
	hreq.Header[headerVersion] = []string{version}
	hreq.Header[headerSession] = []string{session}
	resp, err := t.client.Do(hreq)
	if err != nil {
		return redact(err)
	}
	return resp.Body.Close()
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

// begin counts an exchange, unless the transport is closed.
func (t *Transport) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.life.Err() != nil {
		return false
	}
	t.active.Add(1)
	return true
}

// addHeader adds the caller's headers.
func (t *Transport) addHeader(h http.Header) {
	for name, values := range t.options.header {
		h[name] = values
	}
}
