package oidc

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
)

// A resource is an MCP server that wants tokens of an authorization server. It has
// the tool "look", and "change" for those who may write.
type resource struct {
	*httptest.Server
	issuer string
	nonce  string // that it wants in proofs, "" for none
	inner  *conformance.Server

	mu      sync.Mutex
	refused string   // a token that has ended here before the server says so
	schemes []string // of requests that it let through
	ids     []string // jti of their proofs
}

// Tokens of the server inside, by what the real one may do.
const (
	reader = "reader"
	writer = "writer"
)

func newResource(t *testing.T) *resource {
	t.Helper()
	r := new(resource)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"resource": r.URL + "/mcp", "authorization_servers": []string{r.issuer}, "scopes_supported": []string{"read"},
		})
	})
	mux.HandleFunc("/mcp", r.serveMCP)
	r.Server = httptest.NewUnstartedServer(mux) // handlers read its URL
	r.Start()
	t.Cleanup(r.Close)
	r.inner = conformance.New(
		conformance.WithoutFixtures(),
		conformance.WithResourceMetadata(r.URL+"/.well-known/oauth-protected-resource/mcp"),
		conformance.WithBearerTokens(map[string]conformance.Principal{
			reader: {Name: "ada", Scopes: []string{"read"}}, writer: {Name: "ada", Scopes: []string{"read", "write"}},
		}),
		conformance.WithTools(tool("look", ""), tool("change", "write")),
	)
	t.Cleanup(r.inner.Close)
	return r
}

func tool(name, scope string) conformance.Tool {
	return conformance.Tool{
		Definition: protocol.Tool{Name: name, InputSchema: []byte(`{"type":"object"}`)}, Scope: scope,
		Run: func(context.Context, *conformance.Call) (*protocol.CallToolResult, error) {
			return conformance.Text(name + ": done"), nil
		},
	}
}

// serveMCP asks the authorization server what the token is worth.
func (r *resource) serveMCP(w http.ResponseWriter, req *http.Request) {
	scheme, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	inner := req.Clone(req.Context())
	inner.Header.Del("Authorization")
	if token != "" {
		got, err := introspect(r.issuer, token)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		p := proofOf(req)
		if got.Type == "DPoP" && p.nonce != r.nonce {
			w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
			w.Header().Set("DPoP-Nonce", r.nonce)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if got.Active && !r.refuses(token) && got.Audience == r.URL+"/mcp" && got.Type == scheme && got.Key.Thumbprint == p.thumbprint {
			inner.Header.Set("Authorization", "Bearer "+role(got.Scope))
			r.note(scheme, p.id)
		}
	}
	r.inner.ServeHTTP(w, inner)
}

func role(scope string) string {
	if slices.Contains(strings.Fields(scope), "write") {
		return writer
	}
	return reader
}

// refuse ends a token.
func (r *resource) refuse(token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = token
}

func (r *resource) refuses(token string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return token == r.refused
}

func (r *resource) note(scheme, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.schemes = append(r.schemes, scheme)
	if id != "" {
		r.ids = append(r.ids, id)
	}
}

// A proof is what is looked at of a DPoP proof. Whether it is signed well, the
// authorization server has judged with others of the same kind.
type proof struct{ thumbprint, nonce, id string }

func proofOf(req *http.Request) proof {
	parts := strings.Split(req.Header.Get("DPoP"), ".")
	if len(parts) != 3 {
		return proof{}
	}
	var header struct{ JWK json.RawMessage }
	var claims struct{ Nonce, Jti string }
	for i, v := range []any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(text, v) != nil {
			return proof{}
		}
	}
	var jwk map[string]string
	if json.Unmarshal(header.JWK, &jwk) != nil {
		return proof{}
	}
	sorted, err := json.Marshal(jwk) // RFC 7638: the members of an EC key, in order
	if err != nil {
		return proof{}
	}
	sum := sha256.Sum256(sorted)
	return proof{base64.RawURLEncoding.EncodeToString(sum[:]), claims.Nonce, claims.Jti}
}
