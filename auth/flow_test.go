package auth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"github.com/mcpera/mcpera/transport"
)

// checkPKCE returns an error unless a code's verifier fits.
func checkPKCE(asked, redeemed url.Values) error {
	verifier := redeemed.Get("code_verifier")
	if verifier == "" || asked.Get("code_challenge_method") != "S256" || oauth2.S256ChallengeFromVerifier(verifier) != asked.Get("code_challenge") {
		return errors.New("the verifier does not fit")
	}
	return nil
}

// B-AUT-01, B-AUT-02, B-AUT-14, B-AUT-20, B-AUT-25: a refusal leads by the
// resource's metadata to a login with PKCE. The authorization server gives no
// token unless the verifier fits.
func TestARefusalBecomesALoginAndTheRequestGoesOutAgain(t *testing.T) {
	w := newWorld(t)
	tr := w.open(w.authorizer())
	for range 2 {
		if err := call(t.Context(), tr, "add"); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"mcp POST /mcp", "mcp GET /.well-known/oauth-protected-resource/mcp",
		"as GET /.well-known/oauth-authorization-server", "as POST /register", "as GET /authorize", "as POST /token",
		"mcp POST /mcp", "mcp POST /mcp",
	}
	if diff := cmp.Diff(want, w.log("")); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	asked := w.seen("as GET /authorize")[0].Form
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "client-1", "redirect_uri": redirectURI,
		"resource": w.mcp.URL + "/mcp", "code_challenge_method": "S256",
	} {
		if got := asked.Get(name); got != want {
			t.Errorf("the authorization request has %s %q, want %q", name, got, want)
		}
	}
	if asked.Get("state") == "" || asked.Has("scope") {
		t.Errorf("state %q, scope %q", asked.Get("state"), asked["scope"])
	}
	redeemed := w.seen("as POST /token")[0].Form
	for name, want := range map[string]string{
		"grant_type": "authorization_code", "client_id": "client-1", "redirect_uri": redirectURI, "resource": w.mcp.URL + "/mcp",
	} {
		if got := redeemed.Get(name); got != want {
			t.Errorf("the token request has %s %q, want %q", name, got, want)
		}
	}
}

// B123, B-AUT-25, B-AUT-26: the resource is sent as it was published, in all
// requests.
func TestTheResourceIsSentAsPublished(t *testing.T) {
	for name, suffix := range map[string]string{"without a slash": "", "with a slash": "/", "a path": "/mcp"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.resource["resource"] = w.mcp.URL + suffix
			w.expiresIn = 60
			now := new(clock)
			tr := w.open(w.authorizer(now.option))
			if err := call(t.Context(), tr, "add"); err != nil {
				t.Fatal(err)
			}
			now.advance(time.Minute)
			if err := call(t.Context(), tr, "add"); err != nil {
				t.Fatal(err)
			}
			all := append(w.seen("as GET /authorize"), w.seen("as POST /token")...)
			if len(all) != 3 {
				t.Fatalf("%d requests", len(all))
			}
			for _, r := range all {
				if got, want := r.Form.Get("resource"), w.mcp.URL+suffix; got != want {
					t.Errorf("%s: resource %q, want %q", r.At, got, want)
				}
			}
		})
	}
}

// M-AUT-27, M-AUT-28, M-AUT-29, M-AUT-30, B-AUT-22: whose answer it is comes
// before what it says.
func TestAuthorizationResponses(t *testing.T) {
	const evil = "https://evil.example.com"
	for name, tc := range map[string]struct {
		promised any // authorization_response_iss_parameter_supported
		change   func(w *world, v url.Values)
		want     error // nil: the login succeeds
		text     string
	}{
		"iss promised and right":           {true, func(*world, url.Values) {}, nil, ""},
		"iss promised and missing":         {true, func(_ *world, v url.Values) { v.Del("iss") }, new(IssuerError), "names no issuer"},
		"iss promised and another":         {true, func(_ *world, v url.Values) { v.Set("iss", evil) }, new(IssuerError), evil},
		"iss not promised and right":       {nil, func(*world, url.Values) {}, nil, ""},
		"iss not promised and missing":     {nil, func(_ *world, v url.Values) { v.Del("iss") }, nil, ""},
		"iss not promised and another":     {nil, func(_ *world, v url.Values) { v.Set("iss", evil) }, new(IssuerError), evil},
		"iss refused by false and another": {false, func(_ *world, v url.Values) { v.Set("iss", evil) }, new(IssuerError), evil},
		"iss with a slash":                 {true, func(w *world, v url.Values) { v.Set("iss", w.as.URL+"/") }, new(IssuerError), ""},
		"iss in upper case":                {true, func(w *world, v url.Values) { v.Set("iss", strings.ToUpper(w.as.URL)) }, new(IssuerError), ""},
		"iss twice":                        {true, func(w *world, v url.Values) { v.Add("iss", evil) }, new(IssuerError), ""},
		"an error of another server": {true, func(_ *world, v url.Values) {
			v.Set("iss", evil)
			v.Set("error", "SHOWN")
			v.Set("error_description", "SHOWN")
		}, new(IssuerError), evil},
		"an error without the promised iss": {true, func(_ *world, v url.Values) { v.Del("iss"); v.Set("error", "SHOWN") }, new(IssuerError), ""},
		"an error":                          {true, func(_ *world, v url.Values) { v.Del("code"); v.Set("error", "access_denied") }, new(ServerError), "access_denied"},
		"no state":                          {true, func(_ *world, v url.Values) { v.Del("state") }, ErrState, ""},
		"another state":                     {true, func(_ *world, v url.Values) { v.Set("state", "x"); v.Set("error", "SHOWN") }, ErrState, ""},
		"no code":                           {true, func(_ *world, v url.Values) { v.Del("code") }, errors.New(""), "no code"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.metadata["authorization_response_iss_parameter_supported"] = tc.promised
			w.answer = func(v url.Values) url.Values { tc.change(w, v); return v }
			err := call(t.Context(), w.open(w.authorizer()), "add")
			if tc.want == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			refused, ok := errors.AsType[*transport.AuthError](err)
			if !ok || refused.Status != 401 || refused.Err == nil {
				t.Fatalf("the error is %v, want an *AuthError with its cause", err)
			}
			var issuer *IssuerError
			var server *ServerError
			switch tc.want.(type) {
			case *IssuerError:
				ok = errors.As(err, &issuer)
			case *ServerError:
				ok = errors.As(err, &server)
			default:
				ok = errors.Is(err, tc.want) || tc.want.Error() == ""
			}
			if !ok || !strings.Contains(err.Error(), tc.text) || strings.Contains(err.Error(), "SHOWN") {
				t.Errorf("the error is %v, want %T with %q", err, tc.want, tc.text)
			}
			if n := len(w.seen("as POST /token")); n != 0 {
				t.Errorf("%d token requests", n)
			}
		})
	}
}

// B-AUT-20, B-AUT-21.
func TestWithoutS256NothingIsAuthorized(t *testing.T) {
	for name, methods := range map[string]any{"absent": nil, "empty": []string{}, "plain only": []string{"plain"}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.metadata["code_challenge_methods_supported"] = methods
			err := call(t.Context(), w.open(w.authorizer()), "add")
			if !errors.Is(err, ErrNoPKCE) || !errors.Is(err, transport.ErrUnauthorized) {
				t.Errorf("the error is %v", err)
			}
			if got := w.log("as GET /authorize"); got != nil {
				t.Errorf("requests %q", got)
			}
		})
	}
}

func TestNobodyToAskIsATypedError(t *testing.T) {
	w := newWorld(t)
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	err = call(t.Context(), w.open(a), "add")
	refused, ok := errors.AsType[*transport.AuthError](err)
	if !ok || !errors.Is(err, ErrLoginRequired) {
		t.Fatalf("the error is %v", err)
	}
	if c := refused.Challenges(); len(c) != 1 || c[0].Get("resource_metadata") == "" {
		t.Errorf("challenges %+v", c)
	}
}

// The user who closes the window, or a Browser that fails, ends the login and
// nothing else.
func TestABrowserThatFails(t *testing.T) {
	w := newWorld(t)
	broken := errors.New("no display")
	a := w.authorizer(WithUserAgent(Browser(func(context.Context, string) (url.Values, error) { return nil, broken }).At(redirectURI)))
	if err := call(t.Context(), w.open(a), "add"); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

// A user who never comes back holds nobody up for ever.
func TestALoginEndsWithItsTime(t *testing.T) {
	w := newWorld(t)
	absent := Browser(func(ctx context.Context, _ string) (url.Values, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	a := w.authorizer(WithUserAgent(absent.At(redirectURI)), WithLoginTimeout(time.Millisecond))
	err := call(t.Context(), w.open(a), "add")
	if !errors.As(err, new(*transport.AuthError)) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	if n := len(w.seen("as POST /token")); n != 0 {
		t.Errorf("%d token requests", n)
	}
}

// B-AUT-23
func TestRedirectURIsAreHTTPSOrLoopback(t *testing.T) {
	for uri, ok := range map[string]bool{
		"https://app.example.com/callback": true, "http://localhost:1/cb": true, "http://127.0.0.1/cb": true, "http://[::1]:9/cb": true,
		"http://app.example.com/callback": false, "com.example.app:/callback": false, "javascript:alert(1)": false,
		"https://me:x@app.example.com/": false, "https://app.example.com/#x": false, "": false,
	} {
		if err := checkRedirectURI(uri); (err == nil) != ok {
			t.Errorf("%q: %v, want allowed: %v", uri, err, ok)
		}
	}
	w := newWorld(t)
	a := w.authorizer(WithUserAgent(Browser(consent).At("http://app.example.com/callback")))
	if err := call(t.Context(), w.open(a), "add"); !errors.Is(err, errScheme) {
		t.Errorf("the error is %v", err)
	}
}

// B-AUT-55: what an authorization server answers can't make a token of what is
// none.
func TestTokenAnswersThatAreNotTaken(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"HTML": func(rw http.ResponseWriter, _ *http.Request) { _, _ = rw.Write([]byte("<p>access_token=x")) },
		"a name twice": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write([]byte(`{"access_token":"SECRET-a","access_token":"SECRET-b","token_type":"Bearer"}`))
		},
		"another case":      document(map[string]any{"Access_Token": "SECRET-a", "token_type": "Bearer"}),
		"another type":      document(map[string]any{"access_token": "SECRET-a", "token_type": "mac"}),
		"a line break":      document(map[string]any{"access_token": "SECRET-a\r\nX: y", "token_type": "Bearer"}),
		"none":              document(map[string]any{"token_type": "Bearer"}),
		"an error with 200": document(map[string]any{"error": "invalid_request", "access_token": "SECRET-a"}),
		"too much": func(rw http.ResponseWriter, _ *http.Request) {
			_, _ = rw.Write([]byte(`{"access_token":"SECRET-` + strings.Repeat("x", maxDocument) + `"}`))
		},
		"a redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "/register", http.StatusTemporaryRedirect)
		},
		"an error in prose": func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(400)
			_, _ = rw.Write([]byte("SECRET-x"))
		},
		"a form": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/x-www-form-urlencoded")
			_, _ = rw.Write([]byte("access_token=SECRET-a"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.on("as /token", answer)
			err := call(t.Context(), w.open(w.authorizer()), "add")
			if !errors.Is(err, transport.ErrUnauthorized) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("the error is %v", err)
			}
			if n := len(w.seen("mcp POST")); n != 1 {
				t.Errorf("%d requests to the server", n)
			}
			if n := len(w.seen("as POST /register")); n != 1 {
				t.Errorf("%d registrations", n)
			}
		})
	}
}
