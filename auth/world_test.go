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
	"testing"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A world is an MCP server that wants tokens and an authorization server that
// issues them, both on this machine. Handlers may be replaced before they are
// used; everything that comes in is recorded.
type world struct {
	t     *testing.T
	mcp   *httptest.Server
	as    *httptest.Server
	stand map[string]http.HandlerFunc // by "mcp" or "as", a space and a path

	mu         sync.Mutex
	requests   []seen
	codes      map[string]url.Values // authorization requests by code
	access     map[string][]string   // scopes by valid access token
	refresh    map[string]bool       // valid ones, each good for one use
	issued     int
	expiresIn  int                                 // seconds; 0: the server does not say
	metadata   map[string]any                      // of the authorization server, over the defaults
	resource   map[string]any                      // of the MCP server, over the defaults
	challenge  string                              // of a 401; %s stands for the MCP server's origin
	required   map[string]string                   // scope by tool
	answer     func(url.Values) url.Values         // changes authorization responses
	registered func(map[string]any) map[string]any // what a registration answers beside the client id
}

// seen is a request that came in.
type seen struct {
	At   string // "mcp POST /mcp", "as GET /authorize"
	Auth string // the Authorization header
	Form url.Values
	Body string
}

// newWorld starts one.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, stand: map[string]http.HandlerFunc{}, codes: map[string]url.Values{},
		access: map[string][]string{}, refresh: map[string]bool{}, required: map[string]string{},
		metadata: map[string]any{}, resource: map[string]any{},
		challenge: `Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`,
	}
	w.as = w.serve("as", map[string]http.HandlerFunc{
		"/.well-known/oauth-authorization-server": w.serveMetadata,
		"/authorize": w.authorize, "/token": w.token, "/register": w.register,
	})
	w.mcp = w.serve("mcp", map[string]http.HandlerFunc{
		"/mcp": w.serveMCP,
		"/.well-known/oauth-protected-resource/mcp": w.serveResource,
	})
	return w
}

// serve starts a server that records, and answers by stand before handlers.
func (w *world) serve(name string, handlers map[string]http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		form := r.URL.Query()
		if r.Header.Get("Content-Type") == "application/x-www-form-urlencoded" {
			form, _ = url.ParseQuery(string(body))
		}
		w.mu.Lock()
		w.requests = append(w.requests, seen{
			At: fmt.Sprintf("%s %s %s", name, r.Method, r.URL.Path), Auth: r.Header.Get("Authorization"), Form: form, Body: string(body),
		})
		handler := w.stand[name+" "+r.URL.Path]
		w.mu.Unlock()
		if handler == nil {
			handler = handlers[r.URL.Path]
		}
		if handler == nil {
			handler = http.NotFound
		}
		handler(rw, r)
	}))
	w.t.Cleanup(s.Close)
	return s
}

// on replaces a handler, "as /token" for example.
func (w *world) on(at string, h http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stand[at] = h
}

// seen returns what has come in, all or what begins with a prefix.
func (w *world) seen(prefix string) []seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	var some []seen
	for _, r := range w.requests {
		if strings.HasPrefix(r.At, prefix) {
			some = append(some, r)
		}
	}
	return some
}

// log returns where requests went, in order.
func (w *world) log(prefix string) []string {
	var all []string
	for _, r := range w.seen(prefix) {
		all = append(all, r.At)
	}
	return all
}

func writeJSON(rw http.ResponseWriter, status int, v any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(v)
}

func document(v any) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { writeJSON(rw, 200, v) }
}

func status(code int) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(code) }
}

// with returns defaults with what over says instead; nil takes a member away.
func with(defaults, over map[string]any) map[string]any {
	for name, value := range over {
		if defaults[name] = value; value == nil {
			delete(defaults, name)
		}
	}
	return defaults
}

// metadataOf returns the metadata of an authorization server at base.
func metadataOf(base string) map[string]any {
	return map[string]any{
		"issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
		"registration_endpoint": base + "/register", "response_types_supported": []string{"code"},
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
	}
}

func (w *world) serveMetadata(rw http.ResponseWriter, _ *http.Request) {
	writeJSON(rw, 200, with(metadataOf(w.as.URL), w.metadata))
}

func (w *world) serveResource(rw http.ResponseWriter, _ *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	writeJSON(rw, 200, with(map[string]any{
		"resource": w.mcp.URL + "/mcp", "authorization_servers": []string{w.as.URL},
	}, w.resource))
}

// authorize says yes at once.
func (w *world) authorize(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := r.URL.Query()
	w.issued++
	code := fmt.Sprintf("code-%d", w.issued)
	w.codes[code] = q
	answer := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {w.as.URL}}
	if w.answer != nil {
		answer = w.answer(answer)
	}
	http.Redirect(rw, r, q.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

// token issues tokens for a code or a refresh token, each of which is good once.
func (w *world) token(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = r.ParseForm()
	scopes := []string{}
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		asked, ok := w.codes[r.PostForm.Get("code")]
		delete(w.codes, r.PostForm.Get("code"))
		if !ok || checkPKCE(asked, r.PostForm) != nil || asked.Get("resource") != r.PostForm.Get("resource") {
			writeJSON(rw, 400, map[string]any{"error": "invalid_grant"})
			return
		}
		scopes = strings.Fields(asked.Get("scope"))
	case "refresh_token":
		token := r.PostForm.Get("refresh_token")
		if !w.refresh[token] {
			writeJSON(rw, 400, map[string]any{"error": "invalid_grant", "error_description": "used before"})
			return
		}
		delete(w.refresh, token)
	}
	w.issued++
	access, refresh := fmt.Sprintf("SECRET-access-%d", w.issued), fmt.Sprintf("SECRET-refresh-%d", w.issued)
	w.access[access], w.refresh[refresh] = scopes, true
	answer := map[string]any{"access_token": access, "token_type": "bearer", "refresh_token": refresh}
	if w.expiresIn != 0 {
		answer["expires_in"] = w.expiresIn
	}
	writeJSON(rw, 200, answer)
}

func (w *world) register(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var asked map[string]any
	_ = json.NewDecoder(r.Body).Decode(&asked)
	w.issued++
	answer := map[string]any{"client_id": fmt.Sprintf("client-%d", w.issued)}
	if w.registered != nil {
		answer = with(answer, w.registered(asked))
	}
	writeJSON(rw, 201, answer)
}

// revoke makes all access tokens worthless, and the refresh tokens too if so
// said.
func (w *world) revoke(refresh bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.access)
	if refresh {
		clear(w.refresh)
	}
}

// serveMCP answers any request with {"ok":true}, if it comes with a valid token
// that has the scope of its tool.
func (w *world) serveMCP(rw http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	_ = json.NewDecoder(r.Body).Decode(&m)
	w.mu.Lock()
	scopes, ok := w.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	needs := w.required[m.Params.Name]
	challenge := strings.ReplaceAll(w.challenge, "%s", w.mcp.URL)
	w.mu.Unlock()
	switch {
	case !ok:
		rw.Header().Set("WWW-Authenticate", challenge)
		writeJSON(rw, 401, map[string]any{"error": "invalid_token"})
	case needs != "" && !slices.Contains(scopes, needs):
		rw.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, needs))
		writeJSON(rw, 403, map[string]any{"error": "insufficient_scope"})
	default:
		writeJSON(rw, 200, map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"ok": true}})
	}
}

const redirectURI = "http://localhost:3000/callback"

// consent is a Browser whose user says yes at once.
func consent(ctx context.Context, authorizationURL string) (url.Values, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, authorizationURL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := isolated.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		return nil, err
	}
	return to.Query(), nil
}

// isolated keeps no connections, which would outlive the tests.
var isolated = &http.Transport{DisableKeepAlives: true}

// authorizer returns an Authorizer whose user says yes at once.
func (w *world) authorizer(opts ...Option) *Authorizer {
	w.t.Helper()
	a, err := New(append([]Option{WithUserAgent(Browser(consent).At(redirectURI))}, opts...)...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = a.Close() })
	return a
}

// open returns a transport to the MCP server.
func (w *world) open(a mcphttp.Authorizer, opts ...mcphttp.Option) *mcphttp.Transport {
	return w.openAt(w.mcp.URL+"/mcp", a, opts...)
}

func (w *world) openAt(endpoint string, a mcphttp.Authorizer, opts ...mcphttp.Option) *mcphttp.Transport {
	w.t.Helper()
	opts = append([]mcphttp.Option{mcphttp.WithAuthorizer(a), mcphttp.WithBackoff(transport.Backoff{})}, opts...)
	tr, err := mcphttp.New(endpoint, opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = tr.Close() })
	if err := tr.Open(w.t.Context(), nobody{}); err != nil {
		w.t.Fatal(err)
	}
	return tr
}

type nobody struct{}

func (nobody) Receive(*protocol.Message, *transport.Request) {}

// call calls a tool and returns the error of it.
func call(ctx context.Context, tr *mcphttp.Transport, tool string) error {
	req := &transport.Request{
		ID: protocol.NumberID(1), Method: "tools/call", Name: tool, Era: negotiation.EraModern, Version: "2026-07-28",
		Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, tool),
	}
	return transport.ErrorOf(tr.Target(), req, tr.Exchange(ctx, req))
}
