package auth

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mcpera/mcpera/internal/origin"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// An Authorizer logs in to servers. It implements mcphttp.Authorizer, for any
// number of transports and servers. It is safe for concurrent use.
type Authorizer struct {
	config *config
	http   *http.Client

	life    context.Context // ends with Close
	end     context.CancelFunc
	running sync.WaitGroup // renewals; Add is guarded by mu

	mu       sync.Mutex // also guards config.registrations
	sessions map[string]*session
}

var (
	_ mcphttp.Authorizer = (*Authorizer)(nil)
	_ mcphttp.Identifier = (*Authorizer)(nil)
)

// New returns an Authorizer that has asked nobody yet. Close it when it is not
// needed any more.
func New(opts ...Option) (*Authorizer, error) {
	config, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	base, err := newTransport(config)
	if err != nil {
		return nil, err
	}
	a := &Authorizer{config: config, http: newHTTPClient(base), sessions: map[string]*session{}}
	a.life, a.end = context.WithCancel(context.Background())
	return a, nil
}

// newTransport returns what sends requests to authorization servers.
func newTransport(c *config) (http.RoundTripper, error) {
	var given http.RoundTripper
	if c.client != nil {
		given = c.client.Transport
	}
	base, ok := given.(*http.Transport)
	switch {
	case given != nil && c.policy == nil:
		return given, nil
	case given != nil && !ok:
		return nil, errors.New("auth: a target policy can't be held to by a client whose Transport is no *http.Transport")
	case base == nil:
		base = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
			ForceAttemptHTTP2:   true,
			TLSHandshakeTimeout: 10 * time.Second,
			IdleConnTimeout:     10 * time.Second, // logins are rare
		}
	}
	if c.policy != nil {
		return c.policy.Guard(base), nil
	}
	return base, nil
}

// Close ends logins under way and waits for them. Requests through an Authorizer
// that is closed go out without new tokens.
func (a *Authorizer) Close() error {
	a.mu.Lock()
	a.end()
	a.mu.Unlock()
	a.running.Wait()
	if a.config.client == nil {
		a.http.CloseIdleConnections()
	}
	return nil
}

// String shows nothing that is in it.
func (a *Authorizer) String() string { return "auth.Authorizer" }

// A memo is what is known of a request from one time that it is sent to the next.
type memo struct {
	login    *login          // that it was sent with; nil for none
	adopted  bool            // another request has got a token for it
	renewed  bool            // a token was got for it
	upgrades map[string]bool // scopes that were asked for because of it
	nonces   int             // that the server has given because of it
}

func memoOf(at *mcphttp.Attempt) *memo {
	m, ok := at.Memo.(*memo)
	if !ok {
		m = &memo{upgrades: map[string]bool{}}
		at.Memo = m
	}
	return m
}

// Authorize adds the token of the endpoint, if there is one, and renews it first
// when it is about to end. It never asks the user. See mcphttp.Authorizer.
func (a *Authorizer) Authorize(ctx context.Context, at *mcphttp.Attempt) error {
	if origin.Of(at.Request.URL) != origin.Of(at.Endpoint) {
		return nil
	}
	s := a.session(at.Endpoint)
	l, err := s.usable(ctx)
	if err != nil {
		return err
	}
	m := memoOf(at)
	if m.login = l; l != nil {
		at.Request.Header["Authorization"] = []string{l.Token.Type + " " + string(l.Token.Access)}
		return a.config.dpop.proveRequest(at.Request, &l.Token)
	}
	return nil
}

// Refused gets another token, if that may help. See mcphttp.Authorizer.
func (a *Authorizer) Refused(ctx context.Context, at *mcphttp.Attempt, r mcphttp.Refusal) (bool, error) {
	s, m := a.session(at.Endpoint), memoOf(at)
	if again, yes := a.refusedProof(at, m, r); yes {
		return again, nil
	}
	if r.Status == http.StatusForbidden && m.login != nil {
		return s.stepUp(ctx, at.Operation, m, r.Challenges)
	}
	return s.unauthorized(ctx, m, r.Challenges)
}

// Principal names the login of an endpoint, as far as it is known without asking
// the store: it stays the same when tokens are renewed, and is another one when the
// user has logged in again, maybe as somebody else. See mcphttp.Identifier.
func (a *Authorizer) Principal(endpoint *url.URL) string {
	if l := a.session(endpoint).known(); l != nil {
		return "login " + l.ID
	}
	return ""
}

// session returns the session of an endpoint.
func (a *Authorizer) session(endpoint *url.URL) *session {
	key := loginKey(endpoint) + a.config.identity()
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.sessions[key]
	if !ok {
		s = &session{a: a, endpoint: endpoint, key: key, upgrades: map[string]int{}}
		a.sessions[key] = s
	}
	return s
}

// Login has the user log in at endpoint's authorization server, whatever login
// there is, and keeps the token. Nobody need have been refused before.
func (a *Authorizer) Login(ctx context.Context, endpoint string) error {
	u, err := parseEndpoint(endpoint)
	if err != nil {
		return err
	}
	s := a.session(u)
	l, err := s.current(ctx)
	if err != nil {
		return err
	}
	s.distrust(l)
	_, _, err = s.renew(ctx, need{failed: l, user: true}, nil)
	return err
}

// LoggedIn reports whether there is a login of an endpoint. It may have ended, or
// be of no use any more; nobody is asked.
func (a *Authorizer) LoggedIn(ctx context.Context, endpoint string) (bool, error) {
	u, err := parseEndpoint(endpoint)
	if err != nil {
		return false, err
	}
	l, _, err := a.session(u).load(ctx)
	return l != nil, err
}

// Logout forgets the login of an endpoint. The client id stays registered.
func (a *Authorizer) Logout(ctx context.Context, endpoint string) error {
	u, err := parseEndpoint(endpoint)
	if err != nil {
		return err
	}
	s := a.session(u)
	_, value, err := s.load(ctx)
	if err != nil {
		return err
	}
	s.forget()
	if value == nil {
		return nil
	}
	return a.config.store.CompareAndDelete(ctx, s.key, value)
}

// parseEndpoint reads the URL of a server as transport/http does.
func parseEndpoint(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("auth: the endpoint must be an absolute URL such as https://example.com/mcp")
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u, nil
}

// attended reports whether the user may be asked.
func attended(ctx context.Context) bool { return !transport.IsUnattended(ctx) }
