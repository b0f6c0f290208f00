package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a server with one tool for those who have a token, and the
// authorization server that gives it to them.
func serve(t *testing.T) (endpoint string) {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	srv := conformance.New(
		conformance.WithoutFixtures(),
		conformance.WithTools(conformance.Tool{Definition: protocol.Tool{Name: "secret_tool"}}),
		conformance.WithBearerTokens(map[string]conformance.Principal{"token": {Name: "ada"}}),
		conformance.WithResourceMetadata(web.URL+"/metadata"),
	)
	t.Cleanup(func() {
		srv.Close()
		web.Close()
	})
	mux.Handle("/mcp", srv)
	mux.HandleFunc("/metadata", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"resource": web.URL + "/mcp", "authorization_servers": []string{web.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{
			"issuer": web.URL, "authorization_endpoint": web.URL + "/authorize", "token_endpoint": web.URL + "/token",
			"registration_endpoint": web.URL + "/register", "code_challenge_methods_supported": []string{"S256"},
		})
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		client := make(map[string]any)
		_ = json.UnmarshalRead(r.Body, &client)
		client["client_id"] = "registered"
		reply(w, 201, client)
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) { // its user says yes
		asked := r.URL.Query()
		answer := url.Values{"state": {asked.Get("state")}, "code": {asked.Get("code_challenge")}}
		http.Redirect(w, r, asked.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if r.PostFormValue("code") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			reply(w, 400, map[string]any{"error": "invalid_grant"})
			return
		}
		reply(w, 200, map[string]any{"access_token": "token", "token_type": "Bearer", "expires_in": 3600})
	})
	return web.URL + "/mcp"
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, v)
}

// browse is a browser, and a user who agrees to everything.
func browse(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := browser.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
		return fmt.Errorf("the browser got %s, %w", resp.Status, err)
	}
	return nil
}

func TestTheUserLogsInOnce(t *testing.T) {
	endpoint, tokens := serve(t), filepath.Join(t.TempDir(), "tokens.json")
	for i, want := range []string{"Please log in with the browser.\nsecret_tool\n", "secret_tool\n"} {
		var out strings.Builder
		if err := run(t.Context(), endpoint, tokens, browse, &out); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("run %d wrote %q, want %q", i+1, out.String(), want)
		}
	}
}

func TestNoBrowserNoLogin(t *testing.T) {
	none := errors.New("there is no browser")
	err := run(t.Context(), serve(t), filepath.Join(t.TempDir(), "tokens.json"), func(context.Context, string) error { return none }, io.Discard)
	if !errors.Is(err, none) || !errors.Is(err, transport.ErrUnauthorized) {
		t.Errorf("run gave %v", err)
	}
}
