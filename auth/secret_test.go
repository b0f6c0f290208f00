package auth

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// B-AUT-52, M-AUT-53: whatever is printed, logged or returned shows no secret.
func TestNothingShowsSecrets(t *testing.T) {
	const secret = "SECRET"
	store := new(Memory)
	var log bytes.Buffer
	now := new(clock)
	w := newWorld(t)
	w.expiresIn = 3600
	a := w.authorizer(WithStore(store), now.option,
		WithLogger(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))),
		WithRegistration(Registration{ClientID: "x", ClientSecret: secret}))
	endpoint := w.mcp.URL + "/mcp?key=" + secret
	w.resource["resource"] = w.mcp.URL + "/mcp"
	if err := call(t.Context(), w.openAt(endpoint, a), "add"); err != nil {
		t.Fatal(err)
	}
	s := a.session(parse(t, endpoint))
	token := s.login.Token
	registration := Registration{ClientID: "x", ClientSecret: secret}
	for _, v := range []any{
		a, store, s.login, &token, token, token.Access, registration, &registration, Secret(secret),
		struct{ Token Token }{token}, []Registration{registration},
	} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if text := fmt.Sprintf(format, v); strings.Contains(text, secret) {
				t.Errorf("%s of %T shows %s", format, v, text)
			}
		}
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "value", v)
	}
	now.advance(time.Hour)
	w.revoke(true)
	w.on("as /token", func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(400)
		_, _ = rw.Write([]byte(`{"error":"invalid_grant","refresh_token":"SECRET-x"} SECRET-y`))
	})
	err := call(t.Context(), w.openAt(endpoint, a), "add")
	if err == nil {
		t.Fatal("no error")
	}
	for ; err != nil; err = errors.Unwrap(err) {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error is %v", err)
		}
	}
	w.as.Close()
	if err := call(t.Context(), w.openAt(endpoint, a, noRetries), "add"); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("the error is %v", err)
	}
	if strings.Contains(log.String(), secret) {
		t.Errorf("the log has %s", &log)
	}
	for key := range store.rows {
		if strings.Contains(key, secret) {
			t.Errorf("a key of the store is %q", key)
		}
	}
	for _, r := range w.seen("") {
		if r.Form.Has("access_token") {
			t.Errorf("%s has a token in its query", r.At)
		}
	}
}

// B-AUT-50, B-AUT-51: tokens go to the server's own origin, and to no other.
func TestTokensGoToTheServersOriginOnly(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		away   bool
	}{
		"a redirect within the origin": {307, false},
		"a redirect to another origin": {307, true},
		"one that changes the method":  {302, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, other := newWorld(t), newWorld(t)
			a := w.authorizer()
			if err := call(t.Context(), w.open(a), "add"); err != nil {
				t.Fatal(err)
			}
			to := w.mcp.URL
			if tc.away {
				to = other.mcp.URL
			}
			w.on("mcp /mcp", func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, to+"/mcp/", tc.status) })
			w.on("mcp /mcp/", w.serveMCP)
			err := call(t.Context(), w.open(a), "add")
			if followed := tc.status == 307 && !tc.away; followed != (err == nil) {
				t.Errorf("the error is %v", err)
			}
			for _, r := range w.seen("mcp POST /mcp/") {
				if !strings.HasPrefix(r.Auth, "Bearer SECRET") {
					t.Errorf("%s came with %q", r.At, r.Auth)
				}
			}
			if got := other.log(""); got != nil {
				t.Errorf("another server got %q", got)
			}
		})
	}
}

// B-AUT-51: the Authorizer looks for itself, whatever transport it serves.
func TestNoTokenForAnotherOrigin(t *testing.T) {
	w, a, _ := loggedIn(t)
	endpoint := parse(t, w.mcp.URL+"/mcp")
	for to, want := range map[string]bool{w.mcp.URL + "/mcp/more": true, w.as.URL + "/mcp": false, "https://evil.example.com/mcp": false} {
		at := &mcphttp.Attempt{Endpoint: endpoint, Request: mustRequest(t, to), Number: 1}
		if err := a.Authorize(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if got := at.Request.Header.Get("Authorization") != ""; got != want {
			t.Errorf("%s gets a token: %v", to, got)
		}
	}
}

// M-AUT-28, M-AUT-29.
func TestCheckIssuer(t *testing.T) {
	const want = "https://as.example.test/a"
	for _, tc := range []struct {
		promised bool
		named    []string
		ok       bool
	}{
		{true, []string{want}, true}, {false, []string{want}, true}, {false, nil, true},
		{true, nil, false}, {true, []string{""}, false}, {false, []string{""}, false},
		{false, []string{want + "/"}, false}, {true, []string{"https://as.example.test:443/a"}, false},
		{true, []string{"https://AS.example.test/a"}, false}, {true, []string{"https://as.example.test/%61"}, false},
		{true, []string{want, want}, false}, {true, []string{want, "https://evil.example.com"}, false},
	} {
		response := url.Values{}
		if tc.named != nil {
			response["iss"] = tc.named
		}
		if err := checkIssuer(want, tc.promised, response); (err == nil) != tc.ok {
			t.Errorf("promised %v, named %q: %v", tc.promised, tc.named, err)
		}
	}
}
