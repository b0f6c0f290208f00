package auth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// B-AUT-10, B-AUT-12, B-AUT-14.
func TestTheOrderOfRegistrations(t *testing.T) {
	given := WithRegistration(Registration{ClientID: "given"})
	document := WithClientDocument(ClientDocument{ClientID: "https://app.example.test/client.json", ClientName: "x", RedirectURIs: []string{redirectURI}})
	dynamic := WithDynamicRegistration(true)
	asking := WithRegistrationPrompt(func(_ context.Context, issuer string) (Registration, error) {
		return Registration{ClientID: "typed in"}, nil
	})
	for name, tc := range map[string]struct {
		opts      []Option
		documents any // client_id_metadata_document_supported
		endpoint  bool
		want      string // the client id; "" for ErrNoRegistration
	}{
		"what was given comes first":     {[]Option{given, document, dynamic, asking}, true, true, "given"},
		"then the document":              {[]Option{document, dynamic, asking}, true, true, "https://app.example.test/client.json"},
		"if the server reads documents":  {[]Option{document, dynamic, asking}, nil, true, "client-1"},
		"then the registration endpoint": {[]Option{asking}, true, true, "client-1"},
		"if the program allows it":       {[]Option{WithDynamicRegistration(false), asking}, nil, true, "typed in"},
		"then the user":                  {[]Option{asking}, nil, false, "typed in"},
		"and nothing else":               {nil, nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.metadata["client_id_metadata_document_supported"] = tc.documents
			if !tc.endpoint {
				w.metadata["registration_endpoint"] = nil
			}
			a := w.authorizer(tc.opts...)
			for range 2 {
				err := call(t.Context(), w.open(a), "add")
				if tc.want == "" && errors.Is(err, ErrNoRegistration) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				w.revoke(true)
			}
			for _, r := range w.seen("as GET /authorize") {
				if got := r.Form.Get("client_id"); got != tc.want {
					t.Errorf("client id %q, want %q", got, tc.want)
				}
			}
		})
	}
}

// M-AUT-15, M-AUT-54, B129
func TestWhatIsRegistered(t *testing.T) {
	for name, tc := range map[string]struct {
		redirectURI string
		supported   any // token_endpoint_auth_methods_supported
		kind        string
		method      string
	}{
		"a program on this machine":    {"http://localhost:3000/callback", nil, "native", "none"},
		"by its address":               {"http://127.0.0.1:3000/callback", []string{"none", "client_secret_basic"}, "native", "none"},
		"a server that wants a secret": {"http://127.0.0.1:3000/callback", []string{"private_key_jwt", "client_secret_post"}, "native", "client_secret_post"},
		"a web site":                   {"https://app.example.test/callback", []string{"client_secret_basic"}, "web", "client_secret_basic"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.metadata["token_endpoint_auth_methods_supported"] = tc.supported
			w.registered = func(map[string]any) map[string]any {
				if tc.method == "none" {
					return nil
				}
				return map[string]any{"client_secret": "SECRET-s"}
			}
			a := w.authorizer(WithUserAgent(Browser(consent).At(tc.redirectURI)), WithClientName("Robot"))
			if err := call(t.Context(), w.open(a), "add"); err != nil {
				t.Fatal(err)
			}
			var asked map[string]any
			if err := json.Unmarshal([]byte(w.seen("as POST /register")[0].Body), &asked); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{
				"client_name": "Robot", "redirect_uris": []any{tc.redirectURI}, "application_type": tc.kind,
				"grant_types": []any{"authorization_code", "refresh_token"}, "response_types": []any{"code"},
				"token_endpoint_auth_method": tc.method,
			}, asked); diff != "" {
				t.Errorf("registration (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApplicationType(t *testing.T) {
	for uri, want := range map[string]string{
		"https://app.example.test/cb": "web", "https://localhost/cb": "native", "http://127.0.0.1:1/cb": "native",
		"http://localhost/cb": "native", "com.example.app:/cb": "native", "%": "native",
	} {
		if got := applicationType(uri); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

func TestPickMethod(t *testing.T) {
	for _, tc := range []struct {
		registered string
		secret     bool
		supported  []string
		want       string
	}{
		{"", false, nil, "none"},
		{"", false, []string{"client_secret_basic"}, "none"},
		{"", true, nil, "client_secret_basic"},
		{"", true, []string{"client_secret_post", "client_secret_basic"}, "client_secret_basic"},
		{"", true, []string{"client_secret_post"}, "client_secret_post"},
		{"", true, []string{"none"}, "none"},
		{"", true, []string{"private_key_jwt"}, ""},
		{"client_secret_post", true, []string{"client_secret_basic"}, "client_secret_post"},
		{"client_secret_post", false, nil, ""},
		{"none", true, []string{"client_secret_basic"}, "none"},
		{"tls_client_auth", true, nil, ""},
	} {
		if got := pickMethod(tc.registered, tc.secret, tc.supported); got != tc.want {
			t.Errorf("pickMethod(%q, %v, %q) = %q, want %q", tc.registered, tc.secret, tc.supported, got, tc.want)
		}
	}
}

// B-AUT-13, and RFC 6749, 2.3.1: id and secret are form-encoded in Basic.
func TestTokenEndpointAuthentication(t *testing.T) {
	for method, want := range map[string][3]string{ // Basic user and password, client_secret in the form
		"client_secret_basic": {url.QueryEscape("a b:c"), url.QueryEscape("SECRET+/%"), ""},
		"client_secret_post":  {"", "", "SECRET+/%"},
		"none":                {"", "", ""},
	} {
		w := newWorld(t)
		a := w.authorizer(WithRegistration(Registration{Issuer: w.as.URL, ClientID: "a b:c", ClientSecret: "SECRET+/%", Method: method}))
		if err := call(t.Context(), w.open(a), "add"); err != nil {
			t.Fatal(err)
		}
		r := w.seen("as POST /token")[0]
		user, password, _ := (&http.Request{Header: http.Header{"Authorization": {r.Auth}}}).BasicAuth()
		if got := [3]string{user, password, r.Form.Get("client_secret")}; got != want {
			t.Errorf("%s: %q, want %q", method, got, want)
		}
	}
}

// M-AUT-17, M-AUT-18: a client id stays with its issuer.
func TestAClientIDIsNotUsedElsewhere(t *testing.T) {
	w, other := newWorld(t), newWorld(t)
	a := w.authorizer(WithRegistration(Registration{ClientID: "given", ClientSecret: "SECRET-s"}))
	if err := call(t.Context(), w.open(a), "add"); err != nil {
		t.Fatal(err)
	}
	err := call(t.Context(), other.open(a), "add")
	e, ok := errors.AsType[*IssuerError](err)
	if !ok || e.Where != "registration" || e.Want != other.as.URL || e.Got != w.as.URL {
		t.Errorf("the error is %v", err)
	}
	if got := append(other.log("as GET /authorize"), other.log("as POST")...); got != nil {
		t.Errorf("requests %q", got)
	}
}

// M-AUT-06, M-AUT-17: the server moves to another authorization server.
func TestAnotherAuthorizationServerGetsItsOwnRegistration(t *testing.T) {
	w, a, _ := loggedIn(t)
	moved := newWorld(t)
	w.mu.Lock()
	w.resource["authorization_servers"] = []string{moved.as.URL}
	w.mu.Unlock()
	moved.registered = func(map[string]any) map[string]any { return map[string]any{"client_id": "of the new one"} }
	w.on("mcp /mcp", func(rw http.ResponseWriter, r *http.Request) {
		if moved.knows(r.Header.Get("Authorization")) {
			w.mu.Lock()
			w.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] = nil
			w.mu.Unlock()
		} else {
			w.revoke(false)
		}
		w.serveMCP(rw, r)
	})
	before := len(w.seen("as"))
	if err := call(t.Context(), w.open(a), "add"); err != nil {
		t.Fatal(err)
	}
	if got := w.log("as")[before:]; len(got) != 0 {
		t.Errorf("the old one got %q", got)
	}
	for _, r := range append(moved.seen("as GET /authorize"), moved.seen("as POST /token")...) {
		if got := r.Form.Get("client_id"); got != "of the new one" {
			t.Errorf("%s has client id %q", r.At, got)
		}
		if r.Form.Get("grant_type") == "refresh_token" {
			t.Error("a refresh token went to another authorization server")
		}
	}
}

// knows reports whether an Authorization header has a valid token.
func (w *world) knows(header string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.access[strings.TrimPrefix(header, "Bearer ")]
	return ok
}

// B130
func TestADeadRegistrationIsReplacedOnce(t *testing.T) {
	for name, tc := range map[string]struct {
		status        int
		alive         bool // the next registration is
		registrations int
		ok            bool
	}{
		"unknown by now":     {401, true, 2, true},
		"unknown by 400":     {400, true, 2, true},
		"unknown for ever":   {401, false, 2, false},
		"an outage keeps it": {500, true, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, a, _ := loggedIn(t)
			w.revoke(true)
			w.on("as /token", func(rw http.ResponseWriter, r *http.Request) {
				if r.FormValue("client_id") == "client-1" || !tc.alive {
					writeJSON(rw, tc.status, map[string]any{"error": "invalid_client"})
					return
				}
				w.token(rw, r)
			})
			err := call(t.Context(), w.open(a), "add")
			if (err == nil) != tc.ok {
				t.Errorf("the error is %v", err)
			}
			if n := len(w.seen("as POST /register")); n != tc.registrations {
				t.Errorf("%d registrations, want %d", n, tc.registrations)
			}
			if tc.status == 500 {
				w.on("as /token", nil)
				if err := call(t.Context(), w.open(a), "add"); err != nil {
					t.Error(err)
				}
				if n := len(w.seen("as POST /register")); n != 1 {
					t.Errorf("%d registrations after the outage", n)
				}
			}
		})
	}
}

// M-AUT-16
func TestARefusedRegistrationSaysWhy(t *testing.T) {
	w := newWorld(t)
	w.on("as /register", func(rw http.ResponseWriter, _ *http.Request) {
		writeJSON(rw, 400, map[string]any{"error": "invalid_redirect_uri", "error_description": "web clients need https"})
	})
	err := call(t.Context(), w.open(w.authorizer()), "add")
	e, ok := errors.AsType[*ServerError](err)
	if !ok || e.Endpoint != "registration" || e.Code != "invalid_redirect_uri" || !strings.Contains(err.Error(), "web clients need https") {
		t.Errorf("the error is %v", err)
	}
	for name, body := range map[string]string{"no client id": `{}`, "no JSON": `<p>`, "a name twice": `{"client_id":"a","client_id":"b"}`} {
		w.on("as /register", func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte(body)) })
		if err := call(t.Context(), w.open(w.authorizer()), "add"); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestASecretThatEndsIsRegisteredAgain(t *testing.T) {
	now := new(clock)
	w := newWorld(t)
	ends := time.Now().Add(time.Hour).Unix()
	w.registered = func(map[string]any) map[string]any {
		return map[string]any{"client_secret": "SECRET-s", "client_secret_expires_at": ends}
	}
	a := w.authorizer(now.option)
	for n, at := range []time.Duration{0, 30 * time.Minute, time.Hour} {
		now.offset.Store(int64(at))
		w.revoke(true)
		if err := call(t.Context(), w.open(a), "add"); err != nil {
			t.Fatal(err)
		}
		if got, want := len(w.seen("as POST /register")), []int{1, 1, 2}[n]; got != want {
			t.Errorf("after %v %d registrations, want %d", at, got, want)
		}
	}
}

// B-AUT-11: what a Client ID Metadata Document must have, and where it may be.
func TestClientDocument(t *testing.T) {
	good := ClientDocument{
		ClientID: "https://app.example.test/oauth/client.json", ClientName: "Example",
		RedirectURIs: []string{"http://127.0.0.1/callback"}, ClientURI: "https://app.example.test", LogoURI: "https://app.example.test/l.png",
		More: map[string]any{"jwks_uri": "https://app.example.test/jwks", "client_id": "not this one"},
	}
	rec := httptest.NewRecorder()
	good.ServeHTTP(rec, httptest.NewRequest("GET", "/oauth/client.json", nil))
	var got map[string]any
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	if diff := cmp.Diff(map[string]any{
		"client_id": good.ClientID, "client_name": "Example", "redirect_uris": []any{"http://127.0.0.1/callback"},
		"client_uri": "https://app.example.test", "logo_uri": "https://app.example.test/l.png", "application_type": "native",
		"grant_types": []any{"authorization_code", "refresh_token"}, "response_types": []any{"code"},
		"token_endpoint_auth_method": "none", "jwks_uri": "https://app.example.test/jwks",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	rec = httptest.NewRecorder()
	good.ServeHTTP(rec, httptest.NewRequest("POST", "/", nil))
	if rec.Code != 405 {
		t.Errorf("POST: %d", rec.Code)
	}
	for name, change := range map[string]func(*ClientDocument){
		"plain http":       func(d *ClientDocument) { d.ClientID = "http://app.example.test/c.json" },
		"no path":          func(d *ClientDocument) { d.ClientID = "https://app.example.test/" },
		"a fragment":       func(d *ClientDocument) { d.ClientID += "#x" },
		"dot segments":     func(d *ClientDocument) { d.ClientID = "https://app.example.test/a/../c.json" },
		"userinfo":         func(d *ClientDocument) { d.ClientID = "https://me@app.example.test/c.json" },
		"no name":          func(d *ClientDocument) { d.ClientName = "" },
		"no redirect URIs": func(d *ClientDocument) { d.RedirectURIs = nil },
	} {
		bad := good
		bad.RedirectURIs = slices.Clone(good.RedirectURIs)
		change(&bad)
		if _, err := New(WithClientDocument(bad)); err == nil {
			t.Errorf("%s was taken", name)
		}
		rec := httptest.NewRecorder()
		bad.ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
		if rec.Code != 500 {
			t.Errorf("%s is served: %d", name, rec.Code)
		}
	}
}

func TestRegistrationFits(t *testing.T) {
	const uri = "http://127.0.0.1:3000/callback"
	for name, tc := range map[string]struct {
		client Registration
		scopes []string
		want   bool
	}{
		"what the program gives fits always":       {Registration{}, []string{"write"}, true},
		"the redirect URI is another one":          {Registration{Dynamic: true, RedirectURIs: []string{uri + "2"}}, nil, false},
		"no scopes were named":                     {Registration{Dynamic: true, RedirectURIs: []string{uri}}, []string{"write"}, true},
		"the scopes are among those that were":     {Registration{Dynamic: true, RedirectURIs: []string{uri}, Scopes: []string{"read", "write"}}, []string{"write"}, true},
		"a scope is new, and might not be allowed": {Registration{Dynamic: true, RedirectURIs: []string{uri}, Scopes: []string{"read"}}, []string{"read", "write"}, false},
	} {
		if got := tc.client.fits(uri, tc.scopes); got != tc.want {
			t.Errorf("%s: fits = %v", name, got)
		}
	}
}
