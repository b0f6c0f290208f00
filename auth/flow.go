package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"
)

// An authorizationRequest is what is kept of a request to an authorization
// endpoint until its answer comes.
type authorizationRequest struct {
	server      *ServerMetadata // its Issuer is recorded here before the user leaves
	client      *Registration
	resource    string
	scopes      []string
	redirectURI string
	state       string
	verifier    string
	jkt         string // names the key that tokens will be bound to; "" for none
}

// newAuthorizationRequest makes one with a state and a verifier of its own.
func newAuthorizationRequest(p *place, client *Registration, redirectURI string, scopes []string) *authorizationRequest {
	return &authorizationRequest{
		server: p.server, client: client, resource: p.resource, scopes: scopes, redirectURI: redirectURI,
		state: rand.Text(), verifier: oauth2.GenerateVerifier(),
	}
}

// url returns where to take the user.
//
// Source: OAuth 2.1, 4.1.1; RFC 8707, 2.1.
func (r *authorizationRequest) url() string {
	config := oauth2.Config{
		ClientID: r.client.ClientID, RedirectURL: r.redirectURI, Scopes: r.scopes,
		Endpoint: oauth2.Endpoint{AuthURL: r.server.AuthorizationEndpoint},
	}
	opts := []oauth2.AuthCodeOption{
		oauth2.S256ChallengeOption(r.verifier),
		oauth2.SetAuthURLParam("resource", r.resource),
	}
	if r.jkt != "" { // RFC 9449, 10: binds the code too
		opts = append(opts, oauth2.SetAuthURLParam("dpop_jkt", r.jkt))
	}
	if slices.Contains(r.scopes, offlineAccess) { // OpenID Connect Core 1.0, 11: without it the scope is ignored
		opts = append(opts, oauth2.SetAuthURLParam("prompt", "consent"))
	}
	return config.AuthCodeURL(r.state, opts...)
}

// code returns the code in an answer. Nothing of an answer is looked at before it
// is certain whose it is.
func (r *authorizationRequest) code(answer url.Values) (string, error) {
	if subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(r.state)) != 1 {
		return "", ErrState
	}
	if err := checkIssuer(r.server.Issuer, r.server.IssInResponse, answer); err != nil {
		return "", err
	}
	if code := answer.Get("error"); code != "" {
		return "", &ServerError{
			Endpoint: "authorization", Issuer: r.server.Issuer, Code: code, Description: answer.Get("error_description"),
		}
	}
	code := answer.Get("code")
	if code == "" {
		return "", errors.New("the authorization response has no code")
	}
	return code, nil
}

// form returns what redeems the code.
func (r *authorizationRequest) form(code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {r.redirectURI},
		"code_verifier": {r.verifier}, "resource": {r.resource},
	}
}

// refreshForm returns what gets the next token of a login.
func refreshForm(l *login) url.Values {
	return url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {string(l.Token.Refresh)}, "resource": {l.Resource},
	}
}

// joinScopes writes scopes as a parameter.
func joinScopes(scopes []string) string { return strings.Join(scopes, " ") }

// logIn has the user log in. A registration that turns out to be dead is replaced,
// once.
func (a *Authorizer) logIn(ctx context.Context, p *place, scopes []string) (*login, error) {
	if a.config.agent == nil {
		return nil, ErrLoginRequired
	}
	if p.server.AuthorizationEndpoint == "" {
		return nil, &DiscoveryError{What: "authorization server metadata", URL: shownRaw(p.issuer), Err: errors.New("it names no authorization endpoint")}
	}
	if !p.server.offersPKCE() {
		return nil, ErrNoPKCE
	}
	ctx, cancel := context.WithTimeout(ctx, a.config.loginTimeout)
	defer cancel()
	client, err := a.known(ctx, p)
	if err != nil {
		return nil, err
	}
	l, err := a.visit(ctx, p, client, scopes)
	if stale, ok := errors.AsType[*staleError](err); ok {
		a.dropRegistration(ctx, stale.client)
		l, err = a.visit(ctx, p, nil, scopes)
	}
	if stale, ok := errors.AsType[*staleError](err); ok {
		err = stale.err
	}
	return l, err
}

// A staleError means that the authorization server does not know a client id
// that it gave out.
type staleError struct {
	client *Registration
	err    error
}

func (e *staleError) Error() string { return e.err.Error() }

// visit takes the user to the authorization server, as client if that can be used.
func (a *Authorizer) visit(ctx context.Context, p *place, client *Registration, scopes []string) (*login, error) {
	var registered []string
	if client != nil {
		registered = client.RedirectURIs
	}
	v, err := a.config.agent.Open(ctx, registered)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	redirectURI := v.RedirectURI()
	if err := checkRedirectURI(redirectURI); err != nil {
		return nil, err
	}
	known := client != nil && client.fits(redirectURI, scopes)
	if !known {
		registerFor := scopes
		if client != nil {
			registerFor = union(client.Scopes, scopes)
		}
		if client, err = a.register(ctx, p, redirectURI, registerFor); err != nil {
			return nil, err
		}
	}
	req := newAuthorizationRequest(p, client, redirectURI, scopes)
	req.jkt = a.config.dpop.name()
	answer, err := v.Go(ctx, req.url())
	if err != nil {
		return nil, err
	}
	code, err := req.code(answer)
	if err != nil {
		return nil, stale(client, known, err)
	}
	token, err := a.requestToken(ctx, p.server, client, req.form(code))
	if err != nil {
		return nil, stale(client, known, err)
	}
	return &login{
		ID: rand.Text(), Issuer: p.issuer, Resource: p.resource, Old: p.old, Client: client.forStore(), Scopes: scopes, Token: *token,
	}, nil
}

// stale marks err when it says that a client id is dead that came from the
// registration endpoint, some time ago.
//
// Source: RFC 6749, 5.2.
func stale(client *Registration, known bool, err error) error {
	if known && client.Dynamic && code(err) == "invalid_client" {
		return &staleError{client, err}
	}
	return err
}
