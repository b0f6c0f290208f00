package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"golang.org/x/oauth2"

	"github.com/mcpera/mcpera/protocol"
)

// Types of tokens.
//
// Source: RFC 8693, 3; draft-ietf-oauth-identity-assertion-authz-grant, 4.3.
const (
	TokenTypeID    = "urn:ietf:params:oauth:token-type:id_token"
	TokenTypeSAML2 = "urn:ietf:params:oauth:token-type:saml2"
	tokenTypeIDJAG = "urn:ietf:params:oauth:token-type:id-jag"
)

// Enterprise is the Grant of a program whose user has logged in at an identity
// provider, which decides what servers may be used: enterprise-managed
// authorization. The user is not sent to authorization servers of servers.
//
// What says who the user is goes to the identity provider, which gives a grant for
// one server (ID-JAG). The server's authorization server gives a token for that, to
// the client of WithRegistration there. Each user needs an Authorizer and a store
// of their own.
//
// Source: extension enterprise-managed-authorization;
// draft-ietf-oauth-identity-assertion-authz-grant.
type Enterprise struct {
	// TokenEndpoint is the identity provider's: an https URL, or an http one on
	// this machine.
	TokenEndpoint string
	// Client is how the program is known to the identity provider. Its Issuer is
	// needed where it has a key.
	Client Registration
	// Assertion says who the user is: the ID token of the login, by default.
	Assertion Assertion
	// AssertionType is TokenTypeID or TokenTypeSAML2; "" stands for the first.
	AssertionType string
}

func (e Enterprise) check() error {
	u, err := url.Parse(e.TokenEndpoint)
	if err == nil {
		_, err = parseTrusted(e.TokenEndpoint, u)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the token endpoint of the identity provider: %w", err)
	case e.Assertion == nil:
		return errors.New("enterprise-managed authorization needs an assertion")
	case e.Client.ClientID == "":
		return errors.New("enterprise-managed authorization needs a client id at the identity provider")
	case e.Client.Key != nil && e.Client.Issuer == "":
		return errors.New("a key at the identity provider needs its issuer")
	case e.AssertionType != "" && e.AssertionType != TokenTypeID && e.AssertionType != TokenTypeSAML2:
		return errors.New("the type of the assertion must be TokenTypeID or TokenTypeSAML2")
	}
	return e.Client.check()
}

// Form implements Grant.
func (e Enterprise) Form(ctx context.Context, r *GrantRequest) (url.Values, error) {
	idJAG, err := e.exchange(ctx, r)
	if err != nil {
		return nil, err
	}
	return url.Values{"grant_type": {grantJWTBearer}, "assertion": {idJAG}}, nil
}

// exchange gets an ID-JAG from the identity provider. It is not bound to a key of
// WithDPoP: the token that it is good for will be.
//
// Source: extension enterprise-managed-authorization, 4.
func (e Enterprise) exchange(ctx context.Context, r *GrantRequest) (string, error) {
	provider := e.provider()
	subject, err := e.Assertion.get(ctx, provider.Issuer)
	if err != nil {
		return "", err
	}
	kind := e.AssertionType
	if kind == "" {
		kind = TokenTypeID
	}
	form := url.Values{
		"grant_type": {grantTokenExchange}, "requested_token_type": {tokenTypeIDJAG},
		"audience": {r.Issuer}, "resource": {r.Resource},
		"subject_token": {subject}, "subject_token_type": {kind},
	}
	if len(r.Scopes) > 0 {
		form.Set("scope", joinScopes(r.Scopes))
	}
	t, err := r.a.ask(ctx, provider, &e.Client, form, nil)
	if err != nil {
		return "", err
	}
	return readIDJAG(t)
}

// provider returns what is known of the identity provider.
func (e Enterprise) provider() *ServerMetadata {
	issuer := e.Client.Issuer
	if issuer == "" {
		issuer = shownRaw(e.TokenEndpoint)
	}
	return &ServerMetadata{Issuer: issuer, TokenEndpoint: e.TokenEndpoint}
}

// readIDJAG checks what the identity provider gave: it must not be a token that is
// good for something itself, since it goes to somebody else's authorization
// server.
func readIDJAG(t *oauth2.Token) (string, error) {
	if kind, _ := t.Extra("issued_token_type").(string); kind != tokenTypeIDJAG {
		return "", fmt.Errorf("the identity provider issued a token of type %s instead of an ID-JAG", protocol.Quote(kind))
	}
	if !validToken(t.AccessToken) {
		return "", errors.New("the identity provider issued an ID-JAG that no request can carry")
	}
	return t.AccessToken, nil
}
