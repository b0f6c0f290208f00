package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport/challenge"
)

// Identifiers of extensions of authorization. A client declares the one that it uses
// by client.WithExtension(id, nil). Those of the drafts for DPoP and workloads are not
// here: they have two slashes, which the protocol does not allow.
const (
	ExtensionClientCredentials = "io.modelcontextprotocol/oauth-client-credentials"
	ExtensionEnterprise        = "io.modelcontextprotocol/enterprise-managed-authorization"
)

// Grant types.
const (
	grantClientCredentials = "client_credentials"
	grantJWTBearer         = "urn:ietf:params:oauth:grant-type:jwt-bearer"     // RFC 7523, 2.1
	grantTokenExchange     = "urn:ietf:params:oauth:grant-type:token-exchange" // RFC 8693, 2.1
)

// A Grant gets tokens without a user at the authorization server: ClientCredentials,
// Enterprise and Workload are some. It may be called concurrently, for different
// servers.
type Grant interface {
	// Form returns what to send to the token endpoint of r.Issuer: grant_type and
	// what belongs to that. The Authorizer adds the resource, the scopes and the
	// client's credentials.
	Form(ctx context.Context, r *GrantRequest) (url.Values, error)
}

// A GrantRequest says what a token is needed for.
type GrantRequest struct {
	Issuer   string // of the server's authorization server
	Resource string // the server's identifier, as it publishes it
	Scopes   []string

	a *Authorizer
}

// WithGrant gets tokens by g instead of having users log in. The client id is that
// of WithRegistration or WithClientDocument; none is registered. Tokens are got
// anew before they expire. After a refusal nothing else is tried: the call that
// needed the token fails with the *ServerError.
//
// What the store keeps by a grant is of this grant and these client ids only.
func WithGrant(g Grant) Option {
	return func(c *config) error {
		if g == nil {
			return errors.New("auth: the grant must not be nil")
		}
		if checked, ok := g.(interface{ check() error }); ok {
			if err := checked.check(); err != nil {
				return fmt.Errorf("auth: %w", err)
			}
		}
		c.grant = g
		return nil
	}
}

// finishExtensions checks what single options can't.
func (c *config) finishExtensions() error {
	if _, ok := c.grant.(ClientCredentials); !ok {
		return nil
	}
	if len(c.registrations) == 0 {
		return errors.New("auth: client credentials need a registration with a secret or a key")
	}
	for _, r := range c.registrations {
		if r.method(new(ServerMetadata)) == methodNone {
			return fmt.Errorf("auth: client credentials: %s has neither a secret nor a key", r)
		}
	}
	return nil
}

// identity is a part of the key under which logins are kept: programs that get
// tokens by grants may share a store, and must not share tokens.
func (c *config) identity() string {
	if c.grant == nil {
		return ""
	}
	who := fmt.Sprintf("%T", c.grant)
	for _, r := range c.registrations {
		who += " " + r.ClientID
	}
	return "#" + digest64(who)
}

// A refusal of a grant.
type refusal struct {
	login *login // that was to be renewed before its end; nil for none
	err   error

	assertion string // digest of the assertion that was refused, "" for none
	final     error
}

// granted gets a login by the grant.
func (s *session) granted(ctx context.Context, n need, suspect bool, challenges []challenge.Challenge) (*login, error) {
	if stored, _ := s.a.loadLogin(ctx, s.key); stored != nil && n.upgrade == "" &&
		(n.failed == nil || !suspect && !stored.sameToken(n.failed)) {
		return stored, nil
	}
	p, scopes, err := s.placeOf(ctx, n, challenges)
	if err != nil {
		return nil, err
	}
	l, err := s.grant(ctx, p, scopes)
	if err != nil {
		s.noteRefusal(n, err)
		return nil, err
	}
	s.a.saveLogin(ctx, s.key, l)
	s.a.config.log.Debug("got a token by a grant", "issuer", l.Issuer)
	return l, nil
}

// placeOf returns where to get a token, and with which scopes. A login that comes to
// its end is renewed where it came from.
func (s *session) placeOf(ctx context.Context, n need, challenges []challenge.Challenge) (*place, []string, error) {
	if l := n.failed; n.expired {
		server, err := s.serverOf(ctx, l)
		return &place{resource: l.Resource, server: server, issuer: l.Issuer, old: l.Old}, l.Scopes, err
	}
	known := ""
	if n.failed != nil {
		known = n.failed.Issuer
	}
	p, err := s.a.discover(ctx, s.endpoint, challenges, known)
	if err != nil {
		return nil, nil, err
	}
	same := n.failed != nil && n.failed.Issuer == p.issuer && n.failed.Resource == p.resource
	return p, withOffline(s.scopesFor(p, n, same, challenges), nil), nil
}

// grant asks for a token once. A refresh token is not kept: the grant does as well,
// and asks whether access is still wanted.
func (s *session) grant(ctx context.Context, p *place, scopes []string) (*login, error) {
	ctx, cancel := context.WithTimeout(ctx, s.a.config.loginTimeout)
	defer cancel()
	client, err := s.a.machine(ctx, p)
	if err != nil {
		return nil, err
	}
	form, err := s.a.config.grant.Form(ctx, &GrantRequest{
		Issuer: p.issuer, Resource: p.resource, Scopes: slices.Clone(scopes), a: s.a,
	})
	if err != nil {
		return nil, err
	}
	form.Set("resource", p.resource)
	if len(scopes) > 0 {
		form.Set("scope", joinScopes(scopes))
	}
	if err := s.refusedBefore(form); err != nil {
		return nil, err
	}
	token, err := s.a.requestToken(ctx, p.server, client, form)
	if err != nil {
		s.rememberAssertion(form, err)
		return nil, err
	}
	token.Refresh = ""
	return &login{
		Issuer: p.issuer, Resource: p.resource, Old: p.old, Client: client.forStore(), Scopes: scopes, Token: *token,
	}, nil
}

// machine returns the client that a grant is for. A workload needs none: its token
// says who it is.
func (a *Authorizer) machine(ctx context.Context, p *place) (*Registration, error) {
	client, err := a.known(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case client != nil && !client.Dynamic:
		return client, nil
	}
	if _, ok := a.config.grant.(Workload); ok {
		return &Registration{Issuer: p.issuer, Method: methodNone}, nil
	}
	return nil, fmt.Errorf("%s: %w", protocol.Quote(p.issuer), ErrNoRegistration)
}

// renewable reports whether a login can be renewed before its end. After a refusal
// it is not tried at each request until then.
func (s *session) renewable(l *login) bool {
	if s.a.config.grant == nil {
		return l.Token.Refresh != ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused.login != l
}

// noteRefusal remembers that a login can't be renewed before its end.
func (s *session) noteRefusal(n need, err error) {
	if !n.expired || !final(err) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused.login, s.refused.err = n.failed, err
}

// lastRefusal returns why a login could not be renewed before its end, if that was
// tried, and forgets it: one request of the server's is enough to tell.
func (s *session) lastRefusal(l *login) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l == nil || s.refused.login != l {
		return nil
	}
	s.refused.login = nil
	return s.refused.err
}

// refusedBefore returns the refusal of the same assertion, nil for none: it would
// be refused again.
//
// Source: SEP-1933: a client should not try again after a refusal.
func (s *session) refusedBefore(form url.Values) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d := digestOf(form); d != "" && d == s.refused.assertion {
		return s.refused.final
	}
	return nil
}

func (s *session) rememberAssertion(form url.Values, err error) {
	if !final(err) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused.assertion, s.refused.final = digestOf(form), err
}

// digestOf names what is asked for with an assertion, "" where there is none.
func digestOf(form url.Values) string {
	if form.Get("assertion") == "" {
		return ""
	}
	return digest64(form.Encode())
}
