package auth

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/challenge"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

var noRetries = mcphttp.WithRetries(0)

// B-AUT-40, B-AUT-41, M-AUT-43, S-SEC-09: no more scopes than are asked for.
func TestSelectScopes(t *testing.T) {
	for name, tc := range map[string]struct{ challenged, configured, supported, before, want []string }{
		"the challenge's":                {[]string{"a"}, []string{"b"}, []string{"c"}, nil, []string{"a"}},
		"else the program's":             {nil, []string{"b"}, []string{"c"}, nil, []string{"b"}},
		"else all that are supported":    {nil, nil, []string{"c", "d"}, nil, []string{"c", "d"}},
		"else none":                      {nil, nil, nil, nil, nil},
		"with those of before":           {[]string{"a", "b"}, nil, []string{"c"}, []string{"b", "d"}, []string{"b", "d", "a"}},
		"those of before are enough":     {nil, nil, []string{"c"}, []string{"d"}, []string{"d"}},
		"a challenge beyond the support": {[]string{"x"}, nil, []string{"c"}, nil, []string{"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, selectScopes(tc.challenged, tc.configured, tc.supported, tc.before)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]string{"a", "b"}, wanted(challenge.Parse(`Basic realm="x", Bearer scope=" a  b "`))); diff != "" {
		t.Error(diff)
	}
}

// M-AUT-54
func TestWithOffline(t *testing.T) {
	for name, tc := range map[string]struct{ scopes, offered, want []string }{
		"offered":                    {[]string{"a"}, []string{"openid", offlineAccess}, []string{"a", offlineAccess}},
		"not offered":                {[]string{"a"}, []string{"a"}, []string{"a"}},
		"asked for, and not offered": {[]string{offlineAccess, "a"}, nil, []string{"a"}},
		"asked for, and offered":     {[]string{offlineAccess, "a"}, []string{offlineAccess}, []string{"a", offlineAccess}},
		"never alone":                {nil, []string{offlineAccess}, nil},
	} {
		if diff := cmp.Diff(tc.want, withOffline(tc.scopes, tc.offered)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// scopes returns the scopes of all authorization requests.
func (w *world) scopes() []string {
	var all []string
	for _, r := range w.seen("as GET /authorize") {
		all = append(all, r.Form.Get("scope"))
	}
	return all
}

// B120, B-AUT-42, M-AUT-43: two tools with a scope each do not alternate.
func TestStepUpAsksForTheUnion(t *testing.T) {
	w := newWorld(t)
	w.challenge += `, scope="base"`
	w.required = map[string]string{"a": "scope-a", "b": "scope-b"}
	tr := w.open(w.authorizer())
	for range 3 {
		for _, tool := range []string{"a", "b"} {
			if err := call(t.Context(), tr, tool); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff([]string{"base", "base scope-a", "base scope-a scope-b"}, w.scopes()); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
	for _, r := range w.seen("as POST /token") { // a new authorization, no refresh
		if got := r.Form.Get("grant_type"); got != "authorization_code" {
			t.Errorf("a token request has grant_type %s", got)
		}
	}
}

// B-AUT-44
func TestStepUpInVainIsBounded(t *testing.T) {
	w := newWorld(t)
	w.required["a"] = "unobtainable"
	w.on("as /authorize", func(rw http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		q.Set("scope", "less") // what the user is willing to give
		r.URL.RawQuery = q.Encode()
		w.authorize(rw, r)
	})
	tr := w.open(w.authorizer())
	for range 5 {
		err := call(t.Context(), tr, "a")
		refused, ok := errors.AsType[*transport.AuthError](err)
		if !ok || refused.Status != 403 || !errors.Is(err, ErrScope) {
			t.Fatalf("the error is %v", err)
		}
	}
	if n := len(w.seen("as GET /authorize")); n != 1+maxUpgrades {
		t.Errorf("the user was asked %d times, want %d", n, 1+maxUpgrades)
	}
	if err := call(t.Context(), tr, "b"); err != nil {
		t.Errorf("another tool: %v", err)
	}
}

// B121: a 403 that names no scope is the last word.
func TestAnyOther403IsAnErrorAtOnce(t *testing.T) {
	for name, header := range map[string]string{
		"no challenge": "", "another error": `Bearer error="invalid_token"`, "another header": `Bearer scope="x"`,
	} {
		t.Run(name, func(t *testing.T) {
			w, a, _ := loggedIn(t)
			before := len(w.seen(""))
			w.on("mcp /mcp", func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("WWW-Authenticate", header)
				rw.WriteHeader(403)
			})
			err := call(t.Context(), w.open(a), "add")
			if refused, ok := errors.AsType[*transport.AuthError](err); !ok || refused.Status != 403 {
				t.Errorf("the error is %v", err)
			}
			if n := len(w.seen("")) - before; n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// A step-up needs no scope in the challenge: then all that the resource supports
// are asked for.
func TestStepUpWithoutAScope(t *testing.T) {
	w := newWorld(t)
	w.challenge += `, scope="base"`
	w.resource["scopes_supported"] = []string{"base", "more"}
	w.required["a"] = "more"
	w.on("mcp /mcp", func(rw http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Authorization"), "SECRET") {
			w.serveMCP(rw, r)
			return
		}
		w.mu.Lock()
		scopes := strings.Join(w.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")], " ")
		w.mu.Unlock()
		if scopes == "base more" {
			w.serveMCP(rw, r)
			return
		}
		rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope"`)
		rw.WriteHeader(403)
	})
	if err := call(t.Context(), w.open(w.authorizer()), "a"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"base", "base more"}, w.scopes()); diff != "" {
		t.Errorf("scopes (-want +got):\n%s", diff)
	}
}
