package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpera/mcpera/transport/challenge"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A realm is a server with its authorization server, whose issuer has a path, and
// an identity provider. All of them are scripted.
type realm struct {
	*httptest.Server
	metadata map[string]any // further members of the authorization server's
	token    reply          // to a token request
	provider reply          // to a token request at the identity provider
	server   reply          // to a request; nil stands for onlyTokens

	mu    sync.Mutex
	asked []tokenRequest // at the token endpoint
	idp   []tokenRequest // at the identity provider
	calls []http.Header  // at the server
}

// A tokenRequest is one that was received.
type tokenRequest struct {
	Form   url.Values
	Header http.Header
}

// A reply answers the nth request, from 1.
type reply func(n int, req tokenRequest) answer

type answer struct {
	status int
	header map[string]string
	body   any
}

func newRealm(t *testing.T) *realm {
	t.Helper()
	r := &realm{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		writeAnswer(w, answer{200, nil, map[string]any{
			"resource": r.endpoint(), "authorization_servers": []string{r.issuer()}, "scopes_supported": []string{"read", offlineAccess},
		}})
	})
	mux.HandleFunc("GET /.well-known/oauth-authorization-server/as", func(w http.ResponseWriter, _ *http.Request) {
		m := map[string]any{
			"issuer": r.issuer(), "token_endpoint": r.issuer() + "/token", "authorization_endpoint": r.issuer() + "/authorize",
			"code_challenge_methods_supported": []string{"S256"}, "scopes_supported": []string{"read", offlineAccess},
		}
		for name, value := range r.metadata {
			m[name] = value
		}
		writeAnswer(w, answer{200, nil, m})
	})
	mux.HandleFunc("POST /as/token", r.answering(&r.asked, func() reply { return r.token }))
	mux.HandleFunc("POST /idp/token", r.answering(&r.idp, func() reply { return r.provider }))
	mux.HandleFunc("POST /mcp", func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.calls = append(r.calls, req.Header.Clone())
		n := len(r.calls)
		r.mu.Unlock()
		answer := onlyTokens
		if r.server != nil {
			answer = r.server
		}
		writeAnswer(w, answer(n, tokenRequest{Header: req.Header}))
	})
	r.Server = httptest.NewUnstartedServer(mux) // handlers read its URL
	r.Start()
	t.Cleanup(r.Close)
	return r
}

func (r *realm) endpoint() string { return r.URL + "/mcp" }
func (r *realm) issuer() string   { return r.URL + "/as" }

// answering records token requests into to, and answers them.
func (r *realm) answering(to *[]tokenRequest, by func() reply) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		_ = req.ParseForm()
		got := tokenRequest{req.PostForm, req.Header.Clone()}
		r.mu.Lock()
		*to = append(*to, got)
		n := len(*to)
		r.mu.Unlock()
		writeAnswer(w, by()(n, got))
	}
}

func writeAnswer(w http.ResponseWriter, a answer) {
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body)
}

// requests returns the token requests so far.
func (r *realm) requests() []tokenRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

func (r *realm) exchanges() []tokenRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.idp)
}

func (r *realm) received() []http.Header {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// onlyTokens lets requests through that have a token.
func onlyTokens(_ int, req tokenRequest) answer {
	if req.Header.Get("Authorization") == "" {
		return answer{401, map[string]string{"WWW-Authenticate": "Bearer"}, nil}
	}
	return answer{status: 200}
}

// issue answers with tokens token-1, token-2, … that are good for an hour.
func issue(kind string) reply {
	return func(n int, _ tokenRequest) answer { return issued(kind, n) }
}

func issued(kind string, n int) answer {
	return answer{200, nil, map[string]any{
		"access_token": fmt.Sprintf("token-%d", n), "token_type": kind, "expires_in": 3600, "refresh_token": "refresh",
	}}
}

// refuse answers each request with an error.
func refuse(status int, code string) reply {
	return func(int, tokenRequest) answer {
		return answer{status, nil, map[string]any{"error": code, "error_description": "no"}}
	}
}

// A clock is moved by hand. It starts at the time that it is.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.offset.Load())) }
func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }
func (c *clock) option(config *config) error {
	config.now = c.now
	return nil
}

// authorizer returns an Authorizer that is closed at the end of the test.
func authorizer(t *testing.T, opts ...Option) *Authorizer {
	t.Helper()
	a, err := New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// send sends a request as transport/http does. It returns the last status, and the
// error of the Authorizer.
func send(ctx context.Context, a *Authorizer, endpoint string) (int, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return 0, err
	}
	at := &mcphttp.Attempt{Endpoint: u, Operation: "tools/call add"}
	for at.Number = 1; ; at.Number++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader("{}"))
		if err != nil {
			return 0, err
		}
		at.Request = req
		if err := a.Authorize(ctx, at); err != nil {
			return 0, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		a.Answered(at, resp.Header)
		if resp.StatusCode == 200 || at.Number == 6 {
			return resp.StatusCode, nil
		}
		again, err := a.Refused(ctx, at, mcphttp.Refusal{
			Status: resp.StatusCode, Header: resp.Header, Challenges: challenge.Parse(resp.Header.Values("Www-Authenticate")...),
		})
		if err != nil || !again {
			return resp.StatusCode, err
		}
	}
}

// client keeps no connection, so that none is left when a test ends.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// mustSend fails the test unless the request gets through.
func mustSend(t *testing.T, a *Authorizer, endpoint string) {
	t.Helper()
	if status, err := send(t.Context(), a, endpoint); status != 200 || err != nil {
		t.Fatalf("the request ended with %d, %v", status, err)
	}
}

// consenting is a user who agrees at once.
func consenting(issuer string) UserAgent {
	return Browser(func(_ context.Context, authorizationURL string) (url.Values, error) {
		u, err := url.Parse(authorizationURL)
		if err != nil {
			return nil, err
		}
		return url.Values{"code": {"code"}, "state": {u.Query().Get("state")}, "iss": {issuer}}, nil
	}).At("http://127.0.0.1:3000/callback")
}
