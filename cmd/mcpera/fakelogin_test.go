package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpera/mcpera/conformance"
)

// A loginServer is an MCP server with the authorization server that it wants
// tokens of. Its user says yes at once.
type loginServer struct {
	*httptest.Server
	mcp  http.Handler
	open bool // it lets strangers in

	mu      sync.Mutex
	issued  int
	good    []string          // the access and the refresh token
	codes   map[string]string // challenges of PKCE by code
	grants  []string          // in order
	scope   string            // that was asked for last
	client  string
	refused bool // the user says no
}

func newLoginServer() *loginServer {
	s := &loginServer{mcp: conformance.New(), codes: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", s.serveMCP)
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		writeTestJSON(w, 200, map[string]any{"resource": s.URL + "/mcp", "authorization_servers": []string{s.URL + "/as"}})
	})
	mux.HandleFunc("GET /.well-known/oauth-authorization-server/as", func(w http.ResponseWriter, _ *http.Request) {
		writeTestJSON(w, 200, map[string]any{
			"issuer": s.URL + "/as", "authorization_endpoint": s.URL + "/as/authorize", "token_endpoint": s.URL + "/as/token",
			"registration_endpoint": s.URL + "/as/register", "code_challenge_methods_supported": []string{"S256"},
			"authorization_response_iss_parameter_supported": true,
		})
	})
	mux.HandleFunc("POST /as/register", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		body["client_id"] = "registered"
		writeTestJSON(w, 201, body)
	})
	mux.HandleFunc("GET /as/authorize", s.authorize)
	mux.HandleFunc("POST /as/token", s.token)
	s.Server = httptest.NewUnstartedServer(mux) // handlers read its URL
	s.Start()
	return s
}

func writeTestJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *loginServer) serveMCP(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	let := s.open || slices.Contains(s.good, token)
	s.mu.Unlock()
	if !let {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource/mcp"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	s.mcp.ServeHTTP(w, r)
}

func (s *loginServer) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	answer := url.Values{"state": {asked.Get("state")}, "iss": {s.URL + "/as"}}
	s.mu.Lock()
	s.scope, s.client = asked.Get("scope"), asked.Get("client_id")
	if s.refused {
		answer.Set("error", "access_denied")
	} else {
		code := fmt.Sprintf("code-%d", len(s.codes)+1)
		s.codes[code] = asked.Get("code_challenge")
		answer.Set("code", code)
	}
	s.mu.Unlock()
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

func (s *loginServer) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	s.mu.Lock()
	defer s.mu.Unlock()
	grant := r.PostForm.Get("grant_type")
	s.grants = append(s.grants, grant)
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	byCode := grant == "authorization_code" && s.codes[r.PostForm.Get("code")] == base64.RawURLEncoding.EncodeToString(sum[:])
	byRefresh := grant == "refresh_token" && slices.Contains(s.good, r.PostForm.Get("refresh_token"))
	if !byCode && !byRefresh {
		writeTestJSON(w, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	s.issued++
	access, refresh := fmt.Sprintf("s3cret-access-%d", s.issued), fmt.Sprintf("s3cret-refresh-%d", s.issued)
	s.good = []string{access, refresh}
	writeTestJSON(w, 200, map[string]any{"access_token": access, "token_type": "Bearer", "refresh_token": refresh})
}

// change changes a server between two commands of a script.
func (s *loginServer) change(how string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch how {
	case "open":
		s.open = true
	case "expired": // the access token, that is
		s.good = s.good[1:]
	case "forgetting":
		s.good = nil
	case "refusing":
		s.refused = true
	default:
		return fmt.Errorf("a login server can't be %s", how)
	}
	return nil
}

func loginServerCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || len(args) > 2 {
		ts.Fatalf("usage: loginserver NAME [open|expired|forgetting|refusing]")
	}
	s := runningIn(ts).logins[args[0]]
	if s == nil {
		s = newLoginServer()
		ts.Defer(s.Close)
		runningIn(ts).logins[args[0]] = s
		ts.Setenv(args[0], s.URL+"/mcp")
	}
	if len(args) == 2 {
		ts.Check(s.change(args[1]))
	}
}

func grantsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 || runningIn(ts).logins[args[0]] == nil {
		ts.Fatalf("usage: grants NAME [GRANT...]")
	}
	s := runningIn(ts).logins[args[0]]
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.grants, args[1:]) {
		ts.Fatalf("grants were %v, not %v", s.grants, args[1:])
	}
}

func askedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || runningIn(ts).logins[args[0]] == nil {
		ts.Fatalf("usage: asked NAME SCOPE CLIENT")
	}
	s := runningIn(ts).logins[args[0]]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scope != args[1] || s.client != args[2] {
		ts.Fatalf("scope %q was asked for client %q", s.scope, s.client)
	}
}

// loginByHandCommand runs mcpera login, and opens the URL that it prints.
func loginByHandCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: loginbyhand ARG...")
	}
	cmd := exec.Command(findIn(ts.Getenv("PATH"), "mcpera"), append([]string{"login", "--no-browser"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "XDG_CONFIG_HOME="+ts.Getenv("XDG_CONFIG_HOME"))
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	said := bufio.NewScanner(stderr)
	for said.Scan() {
		if strings.HasPrefix(said.Text(), "http") {
			ts.Check(openAsBrowser(said.Text()))
			break
		}
	}
	_, _ = io.Copy(io.Discard, stderr)
	ts.Check(cmd.Wait())
}

// openAsBrowser is what a browser does, with a user who says yes.
func openAsBrowser(rawURL string) error {
	browser := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := browser.Get(rawURL)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	return nil
}

// fakeBrowser is the program that opens URLs.
func fakeBrowser() {
	if err := openAsBrowser(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
