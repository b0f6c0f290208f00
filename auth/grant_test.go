package auth

import (
	"context"
	"crypto"
	"crypto/elliptic"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/transport"
)

// withGrant is an Authorizer with a grant, and a client id unless it is "".
func withGrant(t *testing.T, r *realm, g Grant, id string, more ...Option) *Authorizer {
	t.Helper()
	opts := []Option{WithGrant(g)}
	if id != "" {
		opts = append(opts, WithRegistration(Registration{Issuer: r.issuer(), ClientID: id, ClientSecret: "s3cret:+"}))
	}
	return authorizer(t, append(opts, more...)...)
}

// X-CC-01, X-CC-02, X-CC-03: by a signed JWT or a secret, with the resource,
// and without a client id in the body where the JWT names it.
func TestClientCredentials(t *testing.T) {
	for name, tc := range map[string]struct {
		registration Registration
		metadata     map[string]any
		form         url.Values // but for the assertion
		basic        string
	}{
		"a secret goes by Basic": {
			Registration{ClientID: "id with space", ClientSecret: "s3cret:+"}, nil, url.Values{}, "id+with+space s3cret%3A%2B",
		},
		"a secret goes in the body where only that is supported": {
			Registration{ClientID: "id", ClientSecret: "s3cret:+"},
			map[string]any{"token_endpoint_auth_methods_supported": []string{"client_secret_post"}},
			url.Values{"client_id": {"id"}, "client_secret": {"s3cret:+"}}, "",
		},
		"a key signs, and the body names no client": {
			Registration{ClientID: "id", Key: newECDSA(t, elliptic.P256())}, nil,
			url.Values{"client_assertion_type": {jwtBearerClient}}, "",
		},
		"a key is preferred to a secret": {
			Registration{ClientID: "id", ClientSecret: "s3cret:+", Key: newECDSA(t, elliptic.P256())}, nil,
			url.Values{"client_assertion_type": {jwtBearerClient}}, "",
		},
		"a secret is used where a key is not supported": {
			Registration{ClientID: "id", ClientSecret: "s3cret:+", Key: newECDSA(t, elliptic.P256())},
			map[string]any{"token_endpoint_auth_methods_supported": []string{"client_secret_basic"}}, url.Values{}, "id s3cret%3A%2B",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRealm(t)
			r.metadata, r.token = tc.metadata, issue("Bearer")
			tc.registration.Issuer = r.issuer()
			a := authorizer(t, WithGrant(ClientCredentials{}), WithRegistration(tc.registration))
			mustSend(t, a, r.endpoint())
			mustSend(t, a, r.endpoint())

			asked := r.requests()
			if len(asked) != 1 {
				t.Fatalf("%d token requests", len(asked))
			}
			form := asked[0].Form
			form.Del("client_assertion")
			tc.form.Set("grant_type", "client_credentials")
			tc.form.Set("resource", r.endpoint())
			tc.form.Set("scope", "read") // no offline_access: there is nobody to be offline
			if diff := cmp.Diff(tc.form, form); diff != "" {
				t.Errorf("the form (-want +got):\n%s", diff)
			}
			id, secret, _ := basicOf(asked[0])
			if got := strings.TrimSpace(id + " " + secret); got != tc.basic {
				t.Errorf("Basic has %q, not %q", got, tc.basic)
			}
		})
	}
}

func basicOf(req tokenRequest) (id, secret string, ok bool) {
	return (&http.Request{Header: req.Header}).BasicAuth()
}

// X-CC-01, X-CC-03: what the JWT claims, and that no two are the same.
func TestClientAssertion(t *testing.T) {
	for name, key := range map[string]crypto.Signer{
		"ES256": newECDSA(t, elliptic.P256()), "RS256": rsaKey(),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRealm(t)
			r.metadata = map[string]any{"token_endpoint_auth_signing_alg_values_supported": []string{"ES256", "RS256"}}
			r.token = issue("Bearer")
			var c clock
			c.advance(24 * time.Hour)
			a := authorizer(t, c.option, WithGrant(ClientCredentials{}), WithRegistration(Registration{
				Issuer: r.issuer(), ClientID: "me", Key: hardware{key}, KeyID: "2026-1",
			}))
			mustSend(t, a, r.endpoint())
			c.advance(48 * time.Hour)
			mustSend(t, a, r.endpoint())

			asked := r.requests()
			if len(asked) != 2 {
				t.Fatalf("%d token requests", len(asked))
			}
			seen := map[string]bool{}
			for i, req := range asked {
				var header struct{ Alg, Kid string }
				var claims assertionClaims
				verified(t, req.Form.Get("client_assertion"), key.Public(), &header, &claims)
				if header.Alg != name || header.Kid != "2026-1" {
					t.Errorf("header %+v", header)
				}
				if claims.Issuer != "me" || claims.Subject != "me" || claims.Audience != r.issuer() {
					t.Errorf("claims %+v", claims)
				}
				at := time.Now().Add(time.Duration(1+2*i) * 24 * time.Hour).Unix()
				if claims.Issued < at-60 || claims.Issued > at || claims.Expires != claims.Issued+60 {
					t.Errorf("issued %d, expires %d, at %d", claims.Issued, claims.Expires, at)
				}
				if claims.ID == "" || seen[claims.ID] {
					t.Errorf("jti %q", claims.ID)
				}
				seen[claims.ID] = true
			}
		})
	}
}

// B-AUT-11: private_key_jwt serves a user's login, too.
func TestKeyInCodeFlow(t *testing.T) {
	r := newRealm(t)
	r.token = issue("Bearer")
	key := newECDSA(t, elliptic.P256())
	var c clock
	a := authorizer(t, c.option, WithUserAgent(consenting(r.issuer())), WithRegistration(Registration{
		Issuer: r.issuer(), ClientID: "me", Key: key, Method: "private_key_jwt",
	}))
	mustSend(t, a, r.endpoint())
	c.advance(2 * time.Hour)
	mustSend(t, a, r.endpoint())
	var grants []string
	for _, req := range r.requests() {
		var header struct{ Alg string }
		var claims assertionClaims
		verified(t, req.Form.Get("client_assertion"), key.Public(), &header, &claims)
		grants = append(grants, req.Form.Get("grant_type"))
	}
	if diff := cmp.Diff([]string{"authorization_code", "refresh_token"}, grants); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

func TestKeyOfWrongKind(t *testing.T) {
	r := newRealm(t)
	r.metadata = map[string]any{"token_endpoint_auth_signing_alg_values_supported": []string{"RS256"}}
	a := authorizer(t, WithGrant(ClientCredentials{}), WithRegistration(Registration{
		Issuer: r.issuer(), ClientID: "me", Key: newECDSA(t, elliptic.P256()),
	}))
	if _, err := send(t.Context(), a, r.endpoint()); err == nil || !strings.Contains(err.Error(), "RS256") {
		t.Errorf("error %v", err)
	}
	if n := len(r.requests()); n != 0 {
		t.Errorf("%d token requests", n)
	}
}

// X-CC-04.
func TestGrantIsRenewedBeforeTokensExpire(t *testing.T) {
	r := newRealm(t)
	r.token = issue("Bearer")
	var c clock
	a := withGrant(t, r, ClientCredentials{}, "me", c.option)
	mustSend(t, a, r.endpoint())
	c.advance(time.Hour - 20*time.Second) // within the skew of 30 s
	var calls sync.WaitGroup
	for range 100 {
		calls.Go(func() {
			if status, err := send(t.Context(), a, r.endpoint()); status != 200 || err != nil {
				t.Errorf("%d, %v", status, err)
			}
		})
	}
	calls.Wait()
	for i, req := range r.requests() {
		if got := req.Form.Get("grant_type"); got != "client_credentials" {
			t.Errorf("token request %d is a %s", i+1, got)
		}
	}
	if n := len(r.requests()); n != 2 {
		t.Errorf("%d token requests, not 2", n)
	}
}

// X-WIF-02, X-WIF-03: the refusal is told, and neither the same JWT nor
// another grant is tried.
func TestGrantIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		code   string
	}{
		"invalid_grant":       {400, "invalid_grant"},
		"invalid_scope":       {400, "invalid_scope"},
		"unauthorized_client": {400, "unauthorized_client"},
		"invalid_client":      {401, "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRealm(t)
			r.token = refuse(tc.status, tc.code)
			jwt := Secret("first.jwt.x")
			a := withGrant(t, r, Workload{func(context.Context, string) (Secret, error) { return jwt, nil }}, "",
				WithUserAgent(consenting(r.issuer())))
			for range 3 {
				status, err := send(t.Context(), a, r.endpoint())
				var refused *ServerError
				if status != 401 || !errors.As(err, &refused) || refused.Code != tc.code {
					t.Fatalf("%d, %v", status, err)
				}
			}
			if n := len(r.requests()); n != 1 {
				t.Fatalf("%d token requests: a JWT that was refused must not be sent again", n)
			}
			jwt = "second.jwt.x"
			r.token = issue("Bearer")
			mustSend(t, a, r.endpoint())
			for _, req := range r.requests() {
				if got := req.Form.Get("grant_type"); got != grantJWTBearer {
					t.Errorf("the grant %s was tried", got)
				}
			}
		})
	}
}

func TestRenewalIsRefused(t *testing.T) {
	r := newRealm(t)
	expired := false
	r.server = func(n int, req tokenRequest) answer {
		if expired {
			return answer{401, map[string]string{"WWW-Authenticate": `Bearer error="invalid_token"`}, nil}
		}
		return onlyTokens(n, req)
	}
	r.token = issue("Bearer")
	var c clock
	a := withGrant(t, r, ClientCredentials{}, "me", c.option)
	mustSend(t, a, r.endpoint())

	r.token = refuse(400, "invalid_grant")
	c.advance(time.Hour - 20*time.Second)
	for range 5 { // the token is still good, and one refusal is enough
		mustSend(t, a, r.endpoint())
	}
	if n := len(r.requests()); n != 2 {
		t.Fatalf("%d token requests, not 2", n)
	}
	c.advance(time.Hour)
	expired = true
	for i, want := range []int{2, 3, 4} { // the first tells what the refusal was
		_, err := send(t.Context(), a, r.endpoint())
		if code(err) != "invalid_grant" {
			t.Fatalf("call %d: error %v", i+1, err)
		}
		if n := len(r.requests()); n != want {
			t.Fatalf("call %d: %d token requests, not %d", i+1, n, want)
		}
	}
}

func TestOutageOfGrant(t *testing.T) {
	r := newRealm(t)
	r.token = refuse(503, "")
	a := withGrant(t, r, Workload{StaticAssertion("a.b.c")}, "")
	if _, err := send(t.Context(), a, r.endpoint()); err == nil {
		t.Fatal("no error")
	}
	r.token = issue("Bearer")
	mustSend(t, a, r.endpoint()) // an outage is no refusal: the same JWT may be sent again
}

// B-AUT-42: a client without a user may step up as well.
func TestGrantStepsUp(t *testing.T) {
	r := newRealm(t)
	r.token = issue("Bearer")
	r.server = func(n int, req tokenRequest) answer {
		if strings.HasSuffix(req.Header.Get("Authorization"), "token-1") {
			return answer{403, map[string]string{"WWW-Authenticate": `Bearer error="insufficient_scope", scope="write"`}, nil}
		}
		return onlyTokens(n, req)
	}
	a := withGrant(t, r, ClientCredentials{}, "me")
	// Nobody need be there.
	if status, err := send(transport.Unattended(t.Context()), a, r.endpoint()); status != 200 || err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	var scopes []string
	for _, req := range r.requests() {
		scopes = append(scopes, req.Form.Get("scope"))
	}
	if diff := cmp.Diff([]string{"read", "read write"}, scopes); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
}

func TestGrantsShareNoLogins(t *testing.T) {
	r := newRealm(t)
	r.token = issue("Bearer")
	store := new(Memory)
	login := func(opts ...Option) { mustSend(t, authorizer(t, append(opts, WithStore(store))...), r.endpoint()) }
	user := []Option{WithUserAgent(consenting(r.issuer())), WithRegistration(Registration{Issuer: r.issuer(), ClientID: "me"})}
	login(user...)
	login(user...)
	for _, id := range []string{"one", "two", "one"} {
		login(WithGrant(ClientCredentials{}), WithRegistration(Registration{Issuer: r.issuer(), ClientID: id, ClientSecret: "s"}))
	}
	login(WithGrant(Workload{StaticAssertion("a.b.c")}))
	var grants []string
	for _, req := range r.requests() {
		grants = append(grants, req.Form.Get("grant_type"))
	}
	want := []string{"authorization_code", "client_credentials", "client_credentials", grantJWTBearer}
	if diff := cmp.Diff(want, grants); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}

// X-WIF-01.
func TestWorkload(t *testing.T) {
	r := newRealm(t)
	r.token = issue("Bearer")
	path := filepath.Join(t.TempDir(), "jwt")
	if err := os.WriteFile(path, []byte("a.b.c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustSend(t, withGrant(t, r, Workload{AssertionFile(path)}, ""), r.endpoint())
	want := url.Values{"grant_type": {grantJWTBearer}, "assertion": {"a.b.c"}, "resource": {r.endpoint()}, "scope": {"read"}}
	if diff := cmp.Diff(want, r.requests()[0].Form); diff != "" {
		t.Errorf("the form (-want +got):\n%s", diff)
	}
}

func TestAssertions(t *testing.T) {
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, []byte(strings.Repeat("x", maxAssertion+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]Assertion{
		"an empty one":        StaticAssertion(""),
		"one with a line end": StaticAssertion("a.b\n.c"),
		"a large file":        AssertionFile(large),
		"no file":             AssertionFile(filepath.Join(t.TempDir(), "none")),
		"one that fails":      func(context.Context, string) (Secret, error) { return "a.b.c", errors.New("no identity") },
	} {
		if got, err := f.get(t.Context(), "https://as.example"); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// enterpriseOf is the grant of a user at the realm's identity provider.
func enterpriseOf(r *realm) Enterprise {
	return Enterprise{
		TokenEndpoint: r.URL + "/idp/token", Assertion: StaticAssertion("id.token.x"),
		Client: Registration{Issuer: r.URL + "/idp", ClientID: "at-idp", ClientSecret: "idp-s3cret"},
	}
}

// issueIDJAG answers as an identity provider does.
func issueIDJAG(n int, _ tokenRequest) answer {
	return answer{200, nil, map[string]any{
		"access_token": fmt.Sprintf("id-jag-%d", n), "issued_token_type": tokenTypeIDJAG, "token_type": "N_A", "expires_in": 300,
	}}
}

// X-EMA-01, X-EMA-02, X-EMA-03: one exchange at the identity provider, one at
// the authorization server, each with the client's credentials there.
func TestEnterprise(t *testing.T) {
	r := newRealm(t)
	r.provider, r.token = issueIDJAG, issue("Bearer")
	var c clock
	a := withGrant(t, r, enterpriseOf(r), "at-as", c.option)
	mustSend(t, a, r.endpoint())
	c.advance(2 * time.Hour)
	mustSend(t, a, r.endpoint())

	exchanges, asked := r.exchanges(), r.requests()
	if len(exchanges) != 2 || len(asked) != 2 {
		t.Fatalf("%d exchanges, %d token requests", len(exchanges), len(asked))
	}
	for i := range 2 {
		want := url.Values{
			"grant_type": {grantTokenExchange}, "requested_token_type": {tokenTypeIDJAG},
			"audience": {r.issuer()}, "resource": {r.endpoint()}, "scope": {"read"},
			"subject_token": {"id.token.x"}, "subject_token_type": {TokenTypeID},
		}
		if diff := cmp.Diff(want, exchanges[i].Form); diff != "" {
			t.Errorf("exchange %d (-want +got):\n%s", i+1, diff)
		}
		if id, secret, _ := basicOf(exchanges[i]); id != "at-idp" || secret != "idp-s3cret" {
			t.Errorf("exchange %d: Basic has %q, %q", i+1, id, secret)
		}
		want = url.Values{
			"grant_type": {grantJWTBearer}, "assertion": {fmt.Sprintf("id-jag-%d", i+1)},
			"resource": {r.endpoint()}, "scope": {"read"},
		}
		if diff := cmp.Diff(want, asked[i].Form); diff != "" {
			t.Errorf("token request %d (-want +got):\n%s", i+1, diff)
		}
		if id, secret, _ := basicOf(asked[i]); id != "at-as" || secret != "s3cret%3A%2B" {
			t.Errorf("token request %d: Basic has %q, %q", i+1, id, secret)
		}
	}
}

// X-EMA-04: what goes wrong at the identity provider is no reason to send the
// user, who would consent, elsewhere.
func TestEnterpriseFails(t *testing.T) {
	for name, tc := range map[string]struct {
		provider reply
		says     string
	}{
		"the identity provider refuses": {refuse(400, "access_denied"), "access_denied"},
		"it issues an access token": {func(int, tokenRequest) answer {
			return answer{200, nil, map[string]any{
				"access_token": "top-secret", "token_type": "Bearer", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
			}}
		}, "instead of an ID-JAG"},
		"it does not say what it issues": {func(int, tokenRequest) answer {
			return answer{200, nil, map[string]any{"access_token": "top-secret", "token_type": "N_A"}}
		}, "instead of an ID-JAG"},
		"the ID-JAG has space in it": {func(int, tokenRequest) answer {
			return answer{200, nil, map[string]any{"access_token": "top secret", "token_type": "N_A", "issued_token_type": tokenTypeIDJAG}}
		}, "can carry"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRealm(t)
			r.provider, r.token = tc.provider, issue("Bearer")
			a := withGrant(t, r, enterpriseOf(r), "at-as", WithUserAgent(consenting(r.issuer())))
			_, err := send(t.Context(), a, r.endpoint())
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells a secret: %v", err)
			}
			if n := len(r.requests()); n != 0 {
				t.Errorf("%d token requests at the authorization server", n)
			}
		})
	}
}

// X-CC-02: what is needed for a grant is asked for at once; no client is
// registered for one.
func TestGrantOptions(t *testing.T) {
	key := newECDSA(t, elliptic.P256())
	secret := Registration{ClientID: "me", ClientSecret: "s"}
	enterprise := func(change func(*Enterprise)) Option {
		e := Enterprise{
			TokenEndpoint: "https://idp.example/token", Assertion: StaticAssertion("a.b.c"), Client: Registration{ClientID: "me"},
		}
		change(&e)
		return WithGrant(e)
	}
	for name, tc := range map[string]struct {
		ok   bool
		opts []Option
	}{
		"client credentials with a secret":      {true, []Option{WithGrant(ClientCredentials{}), WithRegistration(secret)}},
		"in any order":                          {true, []Option{WithRegistration(secret), WithGrant(ClientCredentials{})}},
		"client credentials with a key":         {true, []Option{WithGrant(ClientCredentials{}), WithRegistration(Registration{ClientID: "me", Key: key})}},
		"client credentials without a client":   {false, []Option{WithGrant(ClientCredentials{})}},
		"client credentials of a public client": {false, []Option{WithGrant(ClientCredentials{}), WithRegistration(Registration{ClientID: "me"})}},
		"no grant":                              {false, []Option{WithGrant(nil)}},
		"a workload":                            {true, []Option{WithGrant(Workload{StaticAssertion("a.b.c")})}},
		"a workload without an assertion":       {false, []Option{WithGrant(Workload{})}},
		"an enterprise":                         {true, []Option{enterprise(func(*Enterprise) {})}},
		"its user by SAML":                      {true, []Option{enterprise(func(e *Enterprise) { e.AssertionType = TokenTypeSAML2 })}},
		"an assertion of an unknown type":       {false, []Option{enterprise(func(e *Enterprise) { e.AssertionType = "jwt" })}},
		"an enterprise without https":           {false, []Option{enterprise(func(e *Enterprise) { e.TokenEndpoint = "http://idp.example/token" })}},
		"an enterprise without an endpoint":     {false, []Option{enterprise(func(e *Enterprise) { e.TokenEndpoint = "" })}},
		"an enterprise without a client":        {false, []Option{enterprise(func(e *Enterprise) { e.Client.ClientID = "" })}},
		"an enterprise without an assertion":    {false, []Option{enterprise(func(e *Enterprise) { e.Assertion = nil })}},
		"an enterprise's key without an issuer": {false, []Option{enterprise(func(e *Enterprise) { e.Client.Key = key })}},
		"private_key_jwt without a key":         {false, []Option{WithRegistration(Registration{ClientID: "me", Method: methodKey})}},
		"a key that JWS has not":                {false, []Option{WithRegistration(Registration{ClientID: "me", Key: unknownKey{}})}},
		"DPoP":                                  {true, []Option{WithDPoP(DPoP{})}},
		"DPoP with a key that JWS has not":      {false, []Option{WithDPoP(DPoP{Key: unknownKey{}})}},
	} {
		a, err := New(tc.opts...)
		if (err == nil) != tc.ok {
			t.Errorf("%s: error %v", name, err)
		}
		if a != nil {
			_ = a.Close()
		}
	}
}
