package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/mcpera/mcpera/protocol"
)

// Ways to authenticate at a token endpoint.
//
// Source: RFC 7591, 2.
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// requestToken asks the token endpoint for a token. form says what for, with its
// grant_type. Once it is sent it is waited for, whatever ctx does, for at most
// 30 s: a code or a refresh token that the server has taken would be lost.
func (a *Authorizer) requestToken(ctx context.Context, server *ServerMetadata, client *Registration, form url.Values) (*Token, error) {
	t, err := a.ask(ctx, server, client, form, a.config.dpop)
	if err != nil {
		return nil, err
	}
	return a.readToken(t)
}

// ask asks a token endpoint. proofs, unless nil, prove the possession of a key; a
// server that wants its nonce in them gets another one with it.
func (a *Authorizer) ask(ctx context.Context, server *ServerMetadata, client *Registration, form url.Values, proofs *prover) (*oauth2.Token, error) {
	for n := 0; ; n++ {
		before := proofs.nonce(server.TokenEndpoint)
		t, err := a.askOnce(ctx, server, client, form, proofs)
		if code(err) != useNonce || n == maxNonces || proofs.nonce(server.TokenEndpoint) == before {
			return t, err
		}
	}
}

func (a *Authorizer) askOnce(ctx context.Context, server *ServerMetadata, client *Registration, form url.Values, proofs *prover) (*oauth2.Token, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	by, form, err := a.authenticate(server, client, form)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	defer cancel()
	defer context.AfterFunc(a.life, cancel)()
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &http.Client{
		Transport: tokenTripper{a.http.Transport, proofs, server}, CheckRedirect: a.http.CheckRedirect,
	})
	// The type is for one grant, but does what any of them needs.
	config := clientcredentials.Config{
		ClientID: by.id, ClientSecret: string(by.secret), TokenURL: server.TokenEndpoint,
		EndpointParams: form, AuthStyle: by.style,
	}
	t, err := config.Token(ctx)
	if err != nil {
		return nil, tokenError(server.Issuer, err)
	}
	return t, nil
}

// readToken checks what x/oauth2 read.
func (a *Authorizer) readToken(t *oauth2.Token) (*Token, error) {
	kind, key, err := a.config.dpop.typeOf(t)
	if err != nil {
		return nil, err
	}
	if !validToken(t.AccessToken) {
		return nil, errors.New("the authorization server issued a token that no header can carry")
	}
	token := &Token{Access: Secret(t.AccessToken), Refresh: Secret(t.RefreshToken), Type: kind, Key: key}
	if !t.Expiry.IsZero() { // by a clock of its own
		token.Issued = a.config.now()
		token.Expires = token.Issued.Add(time.Until(t.Expiry))
	}
	if scope, ok := t.Extra("scope").(string); ok {
		token.Granted = strings.Fields(scope)
	}
	return token, nil
}

// tokenError takes out of an error of x/oauth2 what may be told.
func tokenError(issuer string, err error) error {
	if e, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return &ServerError{
			Endpoint: "token", Issuer: issuer, Status: e.Response.StatusCode,
			Code: e.ErrorCode, Description: e.ErrorDescription,
		}
	}
	return fmt.Errorf("the token endpoint of %s: %w", protocol.Quote(issuer), plain(err))
}

// A tokenAnswer is what is read of a token endpoint's answer.
//
// Source: RFC 6749, 5.1 and 5.2.
type tokenAnswer struct {
	AccessToken      string         `json:"access_token,omitzero"`
	TokenType        string         `json:"token_type,omitzero"`
	ExpiresIn        jsontext.Value `json:"expires_in,omitzero"` // some servers quote it
	RefreshToken     string         `json:"refresh_token,omitzero"`
	Scope            string         `json:"scope,omitzero"`
	IssuedTokenType  string         `json:"issued_token_type,omitzero"` // RFC 8693, 2.2.1
	Error            string         `json:"error,omitzero"`
	ErrorDescription string         `json:"error_description,omitzero"`
}

// A tokenTripper has x/oauth2 see only answers of the kind that it should read:
// bounded, strict JSON with no member but those that are known.
type tokenTripper struct {
	next   http.RoundTripper
	proofs *prover // nil: there is nothing to prove
	server *ServerMetadata
}

func (t tokenTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Accept", "application/json")
	if err := t.proofs.proveTokenRequest(req, t.server); err != nil {
		return nil, err
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	t.proofs.learn(t.server.TokenEndpoint, resp.Header)
	body, err := readBody(resp)
	if err != nil && resp.StatusCode == http.StatusOK {
		return nil, err
	}
	var answer tokenAnswer
	if json.Unmarshal(body, &answer) != nil && resp.StatusCode/100 == 2 {
		return nil, errors.New("the answer is no valid JSON of its kind")
	}
	if body, err = json.Marshal(answer); err != nil {
		return nil, err
	}
	resp.Header = http.Header{"Content-Type": {"application/json"}}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}
