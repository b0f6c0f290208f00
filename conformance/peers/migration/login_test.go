package migration_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/mcpera/mcpera/conformance"
)

// redirectURL is where the authorization server sends the user. Nobody listens
// there: browse reads the address.
const redirectURL = "http://127.0.0.1:1/callback"

// browse is a browser, and a user who agrees. It returns what the redirect says.
func browse(ctx context.Context, address string) (url.Values, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // follows no redirect
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", resp.Status, err)
	}
	return to.Query(), nil
}

// serveLogin runs a server for those who have a token, and the authorization
// server that gives it to them.
func serveLogin(t *testing.T, era conformance.Era) (endpoint string) {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewUnstartedServer(mux) // handlers read its URL
	origin := "http://" + web.Listener.Addr().String()
	document := func(path string, members map[string]any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, members) })
	}
	document("/.well-known/oauth-protected-resource/mcp", map[string]any{
		"resource": origin + "/mcp", "authorization_servers": []string{origin},
	})
	document("/.well-known/oauth-authorization-server", map[string]any{
		"issuer": origin, "authorization_endpoint": origin + "/authorize", "token_endpoint": origin + "/token",
		"registration_endpoint": origin + "/register", "code_challenge_methods_supported": []string{"S256"},
		"response_types_supported": []string{"code"}, "token_endpoint_auth_methods_supported": []string{"none"},
	})
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		client := make(map[string]any)
		_ = json.NewDecoder(r.Body).Decode(&client)
		client["client_id"] = "registered"
		reply(w, http.StatusCreated, client)
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		answer := url.Values{"state": {r.FormValue("state")}, "code": {r.FormValue("code_challenge")}}
		http.Redirect(w, r, r.FormValue("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		if r.PostFormValue("code") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			reply(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
			return
		}
		reply(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
	})
	srv := conformance.New(
		conformance.WithEra(era),
		conformance.WithBearerTokens(map[string]conformance.Principal{token: {Name: "ada"}}),
		conformance.WithResourceMetadata(origin+"/.well-known/oauth-protected-resource/mcp"),
	)
	mux.Handle("/mcp", srv)
	web.Start()
	t.Cleanup(func() {
		srv.Close()
		web.CloseClientConnections()
		web.Close()
	})
	return origin + "/mcp"
}

func reply(w http.ResponseWriter, status int, members map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(members)
}

func TestTheUserLogsInOnBothSides(t *testing.T) {
	for _, era := range eras {
		for _, s := range []side{{"mcpera", oursLogin}, {"go-sdk", goSDKLogin}, {"mcp-go", mcpGoLogin}} {
			t.Run(era.String()+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				same(t, serveLogin(t, era), "hi", []side{s})
			})
		}
	}
}
