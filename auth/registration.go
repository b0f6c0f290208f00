package auth

import (
	"bytes"
	"context"
	"crypto"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/oauth2"

	"github.com/mcpera/mcpera/protocol"
)

// A Registration is a client id at one authorization server.
type Registration struct {
	// Issuer is the authorization server that the client id is of. It is used at
	// no other one. Where it is "", the client id becomes that of the first
	// authorization server that it is used at: give the issuer where there is a
	// secret, so that it can't go astray.
	Issuer       string `json:"issuer,omitzero"`
	ClientID     string `json:"client_id"`
	ClientSecret Secret `json:"client_secret,omitzero"`
	// Key signs what the client authenticates by, in place of a secret: an ECDSA,
	// RSA or Ed25519 key, whose public part the authorization server knows, by the
	// name of KeyID if that is not "". No store keeps it.
	Key   crypto.Signer `json:"-"`
	KeyID string        `json:"-"`
	// Method is how to authenticate at the token endpoint: private_key_jwt,
	// client_secret_basic, client_secret_post or none. By default what the
	// authorization server supports, in this order.
	Method string `json:"method,omitzero"`
	// RedirectURIs are those that are registered. Loopback prefers their ports.
	RedirectURIs []string `json:"redirect_uris,omitzero"`

	// Dynamic says that it came from the registration endpoint, until SecretEnds
	// if that is not zero.
	Dynamic    bool      `json:"dynamic,omitzero"`
	SecretEnds time.Time `json:"secret_ends,omitzero"`
	// Scopes are those that it was registered for there; nil when none were named.
	Scopes []string `json:"scopes,omitzero"`

	configured bool
}

// String shows the client id and the issuer, which are no secrets.
func (r Registration) String() string {
	return fmt.Sprintf("client %s of %s", protocol.Quote(r.ClientID), protocol.Quote(r.Issuer))
}

// GoString returns what String does.
func (r Registration) GoString() string { return r.String() }

// forStore returns what is kept beside a token: no secret that the program gives
// anyway.
func (r *Registration) forStore() Registration {
	kept := *r
	if r.configured {
		kept.ClientSecret = ""
	}
	return kept
}

// LogValue returns what String does.
func (r Registration) LogValue() slog.Value { return slog.StringValue(r.String()) }

// fits reports whether the client can log in by a redirect URI and ask for scopes.
// Some authorization servers let a client have no other scopes than those that it
// registered for.
func (r *Registration) fits(redirectURI string, scopes []string) bool {
	return !r.Dynamic || slices.Contains(r.RedirectURIs, redirectURI) &&
		(r.Scopes == nil || len(union(r.Scopes, scopes)) == len(r.Scopes))
}

// check returns why the client can't authenticate as it says, nil when it can.
func (r *Registration) check() error {
	if r.Key != nil {
		if _, err := algorithmsOf(r.Key); err != nil {
			return err
		}
	}
	if r.method(new(ServerMetadata)) == "" {
		return fmt.Errorf("it can't authenticate by %q with what it has", r.Method)
	}
	return nil
}

// method returns how the client authenticates at the token endpoint: with its key,
// unless it is registered with, or the server supports, only something else that
// it has too. It is "" when there is no way.
func (r *Registration) method(server *ServerMetadata) string {
	wanted := r.Method == methodKey || r.Method == "" &&
		(r.ClientSecret == "" || len(server.TokenAuthMethods) == 0 || slices.Contains(server.TokenAuthMethods, methodKey))
	if r.Key != nil && wanted {
		return methodKey
	}
	return pickMethod(r.Method, r.ClientSecret != "", server.TokenAuthMethods)
}

// style returns how the client authenticates at the token endpoint without a key.
func (r *Registration) style(server *ServerMetadata) (oauth2.AuthStyle, Secret, error) {
	switch method := r.method(server); method {
	case methodBasic:
		return oauth2.AuthStyleInHeader, r.ClientSecret, nil
	case methodPost:
		return oauth2.AuthStyleInParams, r.ClientSecret, nil
	case methodNone:
		return oauth2.AuthStyleInParams, "", nil
	default:
		return 0, "", fmt.Errorf("no way to authenticate at the token endpoint of %s: it supports %s",
			protocol.Quote(server.Issuer), protocol.Quote(fmt.Sprint(server.TokenAuthMethods)))
	}
}

// pickMethod decides how to authenticate: as registered, else without a secret
// where there is none, else as the server supports. It returns "" when nothing
// fits.
//
// Source: RFC 7591, 2; RFC 8414, 2 (basic when nothing is said).
func pickMethod(registered string, secret bool, supported []string) string {
	switch registered {
	case methodBasic, methodPost:
		if !secret {
			return ""
		}
		return registered
	case methodNone:
		return registered
	case "":
	default:
		return ""
	}
	if !secret {
		return methodNone
	}
	if len(supported) == 0 {
		return methodBasic
	}
	return firstOf([]string{methodBasic, methodPost, methodNone}, supported)
}

// methodToRegister returns the method to ask for in a registration: none, as a
// program on a user's machine keeps no secret, unless the server wants one.
func methodToRegister(supported []string) string {
	if len(supported) == 0 {
		return methodNone
	}
	if m := firstOf([]string{methodNone, methodBasic, methodPost}, supported); m != "" {
		return m
	}
	return methodNone
}

// firstOf returns the first of ours that is among theirs, "" for none.
func firstOf(ours, theirs []string) string {
	for _, s := range ours {
		if slices.Contains(theirs, s) {
			return s
		}
	}
	return ""
}

// applicationType says which kind of program has a redirect URI.
//
// Source: MCP 2026-07-28, client-registration, "Application Type and Redirect URI
// Constraints".
func applicationType(redirectURI string) string {
	u, err := url.Parse(redirectURI)
	if err == nil && u.Scheme == "https" && !isLoopback(u.Hostname()) {
		return "web"
	}
	return "native"
}

// known returns the client id to use at a place without asking anybody, nil when
// there is none: one that was given, the client's metadata document, one that was
// registered before. An error means that there is one that must not be used.
//
// Source: MCP 2026-07-28, client-registration, "Authorization Server Binding".
func (a *Authorizer) known(ctx context.Context, p *place) (*Registration, error) {
	if r := a.given(p.issuer); r != nil {
		return r, nil
	}
	if d := a.config.document; d != nil && p.server.ClientDocuments {
		return &Registration{Issuer: p.issuer, ClientID: d.ClientID, Method: methodNone, RedirectURIs: d.RedirectURIs}, nil
	}
	if n := len(a.config.registrations); n > 0 && !a.config.dynamic {
		a.mu.Lock()
		defer a.mu.Unlock()
		return nil, &IssuerError{Where: "registration", Want: p.issuer, Got: a.config.registrations[n-1].Issuer}
	}
	return a.storedRegistration(ctx, p.issuer), nil
}

// given returns the configured registration of an issuer. One without an issuer
// becomes that of the first one.
func (a *Authorizer) given(issuer string) *Registration {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.config.registrations {
		if r := &a.config.registrations[i]; r.Issuer == issuer {
			return r
		}
	}
	for i := range a.config.registrations {
		if r := &a.config.registrations[i]; r.Issuer == "" {
			r.Issuer = issuer
			return r
		}
	}
	return nil
}

// register gets a client id for a redirect URI where none is known: from the
// registration endpoint, or from the program.
func (a *Authorizer) register(ctx context.Context, p *place, redirectURI string, scopes []string) (*Registration, error) {
	if p.server.RegistrationEndpoint != "" && a.config.dynamic {
		return a.registerDynamically(ctx, p, redirectURI, scopes)
	}
	if a.config.prompt == nil {
		return nil, fmt.Errorf("%s: %w", protocol.Quote(p.issuer), ErrNoRegistration)
	}
	r, err := a.config.prompt(ctx, p.issuer)
	if err != nil {
		return nil, err
	}
	r.Issuer = p.issuer
	a.storeRegistration(ctx, &r)
	return &r, nil
}

// clientMetadata is what a client says about itself.
//
// Source: RFC 7591, 2.
type clientMetadata struct {
	Name            string   `json:"client_name"`
	RedirectURIs    []string `json:"redirect_uris"`
	GrantTypes      []string `json:"grant_types"`
	ResponseTypes   []string `json:"response_types"`
	Method          string   `json:"token_endpoint_auth_method"`
	ApplicationType string   `json:"application_type"`
	Scope           string   `json:"scope,omitzero"`
}

// A registrationAnswer is what a registration endpoint answers.
//
// Source: RFC 7591, 3.2.
type registrationAnswer struct {
	ClientID     string         `json:"client_id"`
	ClientSecret string         `json:"client_secret"`
	SecretEnds   jsontext.Value `json:"client_secret_expires_at"`
	Method       string         `json:"token_endpoint_auth_method"`
	Error        string         `json:"error"`
	Description  string         `json:"error_description"`
}

func (a *Authorizer) registerDynamically(ctx context.Context, p *place, redirectURI string, scopes []string) (*Registration, error) {
	body, err := json.Marshal(clientMetadata{
		Name: a.config.clientName, RedirectURIs: []string{redirectURI},
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		Method: methodToRegister(p.server.TokenAuthMethods), ApplicationType: applicationType(redirectURI),
		Scope: joinScopes(scopes),
	})
	if err != nil {
		return nil, err
	}
	answer, err := a.postRegistration(ctx, p, body)
	if err != nil {
		return nil, err
	}
	r := &Registration{
		Issuer: p.issuer, ClientID: answer.ClientID, ClientSecret: Secret(answer.ClientSecret),
		Method: answer.Method, RedirectURIs: []string{redirectURI}, Dynamic: true, Scopes: scopes,
	}
	var ends int64
	if json.Unmarshal(answer.SecretEnds, &ends) == nil && ends > 0 {
		r.SecretEnds = time.Unix(ends, 0)
	}
	a.storeRegistration(ctx, r)
	return r, nil
}

func (a *Authorizer) postRegistration(ctx context.Context, p *place, body []byte) (*registrationAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.server.RegistrationEndpoint, bytes.NewReader(body))
	if err != nil {
		return nil, errNotURL
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := a.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("register at %s: %w", protocol.Quote(p.issuer), plain(err))
	}
	said, readErr := readBody(resp)
	var answer registrationAnswer
	err = errors.Join(readErr, json.Unmarshal(said, &answer))
	if resp.StatusCode/100 != 2 {
		return nil, &ServerError{
			Endpoint: "registration", Issuer: p.issuer, Status: resp.StatusCode,
			Code: answer.Error, Description: answer.Description,
		}
	}
	if err != nil || answer.ClientID == "" {
		return nil, fmt.Errorf("register at %s: the answer has no client id that can be read", protocol.Quote(p.issuer))
	}
	return &answer, nil
}
