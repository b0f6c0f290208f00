package auth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/challenge"
	"github.com/mcpera/mcpera/transport/target"
)

func parse(t testing.TB, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// B-AUT-03, B112, B115, B117
func TestResourceMetadataURLs(t *testing.T) {
	const h = "https://h.example.test"
	for name, tc := range map[string]struct {
		endpoint  string
		challenge string
		want      []string
	}{
		"nothing named":             {h + "/mcp", `Bearer`, []string{h + wellKnownResource + "/mcp", h + wellKnownResource}},
		"the root":                  {h, `Bearer`, []string{h + wellKnownResource}},
		"the root with a slash":     {h + "/", `Bearer`, []string{h + wellKnownResource}},
		"a deep and escaped path":   {h + "/a%2Fb/mcp", "", []string{h + wellKnownResource + "/a%2Fb/mcp", h + wellKnownResource}},
		"a query stays away":        {h + "/mcp?key=secret", "", []string{h + wellKnownResource + "/mcp", h + wellKnownResource}},
		"one named":                 {h + "/mcp", `Bearer resource_metadata="https://meta.example.test/x"`, []string{"https://meta.example.test/x", h + wellKnownResource + "/mcp", h + wellKnownResource}},
		"two named":                 {h, `Bearer realm="x", resource_metadata="/a", error="e", resource_metadata="/b"`, []string{"/a", "/b", h + wellKnownResource}},
		"named by two challenges":   {h, `DPoP resource_metadata="/a", Bearer resource_metadata="/a", Bearer resource_metadata="/b"`, []string{"/a", "/b", h + wellKnownResource}},
		"a well-known one is named": {h, `Bearer resource_metadata="` + h + wellKnownResource + `"`, []string{h + wellKnownResource}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range resourceMetadataURLs(parse(t, tc.endpoint), challenge.Parse(tc.challenge)) {
				got = append(got, c.url)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	many := challenge.Parse("Bearer " + strings.Repeat(`resource_metadata="/`+"x"+`", resource_metadata="/y", `, 30) + `resource_metadata="/1", resource_metadata="/2", resource_metadata="/3", resource_metadata="/4", resource_metadata="/5", resource_metadata="/6", resource_metadata="/7"`)
	if n := len(resourceMetadataURLs(parse(t, h), many)); n > maxCandidates {
		t.Errorf("%d URLs", n)
	}
}

// B-AUT-04, B113, B114
func TestServerMetadataURLs(t *testing.T) {
	const h = "https://as.example.test"
	for issuer, want := range map[string][]string{
		h:             {h + wellKnownOAuth, h + wellKnownOpenID},
		h + "/":       {h + wellKnownOAuth, h + wellKnownOpenID},
		h + "/a":      {h + wellKnownOAuth + "/a", h + wellKnownOpenID + "/a", h + "/a" + wellKnownOpenID},
		h + "/a/b/":   {h + wellKnownOAuth + "/a/b", h + wellKnownOpenID + "/a/b", h + "/a/b" + wellKnownOpenID},
		h + ":1/a%2F": {h + ":1" + wellKnownOAuth + "/a%2F", h + ":1" + wellKnownOpenID + "/a%2F", h + ":1/a%2F" + wellKnownOpenID},
	} {
		var got []string
		for _, c := range serverMetadataURLs(parse(t, issuer)) {
			got = append(got, c.url)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", issuer, diff)
		}
	}
}

// B-AUT-31, B124, B125, B-AUT-26.
func TestCovers(t *testing.T) {
	for _, tc := range []struct {
		resource, endpoint string
		want               bool
	}{
		{"https://h/mcp", "https://h/mcp", true},
		{"https://h", "https://h/mcp", true},
		{"https://h/", "https://h/mcp", true},
		{"https://h", "https://h/", true},
		{"https://h/", "https://h", true},
		{"https://H:443", "https://h/mcp", true},
		{"HTTPS://h/mcp", "https://h/mcp", true},
		{"https://h/a", "https://h/a/mcp", true},
		{"https://h/a/", "https://h/a/mcp", true},
		{"https://h/mcp", "https://h/mcp?x=y", true},
		{"https://h/mcp?x=y", "https://h/mcp?x=y", true},
		{"https://h/mcp?x=z", "https://h/mcp?x=y", false},
		{"https://h/mcp/", "https://h/mcp", false},
		{"https://h/mc", "https://h/mcp", false},
		{"https://h/mcp/x", "https://h/mcp", false},
		{"https://h/MCP", "https://h/mcp", false},
		{"https://h:444", "https://h/mcp", false},
		{"http://h", "https://h/mcp", false},
		{"https://evil.example.com/mcp", "https://h/mcp", false},
		{"https://h.evil.example.com", "https://h/mcp", false},
		{"https://me@h", "https://h/mcp", false},
		{"https://h/mcp#", "https://h/mcp", false},
		{"https://h/a/../mcp", "https://h/mcp", false},
		{"https://h/mcp", "https://h/mcp/../other", false},
		{"https://h/mcp", "https://h/mcp/%2E%2e/other", false},
		{"h/mcp", "https://h/mcp", false},
		{"", "https://h/mcp", false},
		{"https://h/%zz", "https://h/mcp", false},
	} {
		if got := covers(tc.resource, parse(t, tc.endpoint)); got != tc.want {
			t.Errorf("covers(%q, %s) = %v", tc.resource, tc.endpoint, got)
		}
	}
}

// B-AUT-26.
func TestCanonical(t *testing.T) {
	for endpoint, want := range map[string]string{
		"https://H.example.test:443/": "https://h.example.test", "https://h/mcp": "https://h/mcp",
		"https://h:8443/a/mcp?key=secret#x": "https://h:8443/a/mcp", "http://localhost:1": "http://localhost:1",
	} {
		if got := canonical(parse(t, endpoint)); got != want {
			t.Errorf("canonical(%s) = %s, want %s", endpoint, got, want)
		}
	}
}

// S-SEC-02, S-SEC-05, S-SEC-07, B131, B135, B-AUT-24.
func TestParseTrusted(t *testing.T) {
	for name, tc := range map[string]struct {
		url, endpoint string
		want          error
	}{
		"https":                           {"https://as.example.test/x?y=z", "https://h/mcp", nil},
		"plain http":                      {"http://as.example.test", "https://h/mcp", errScheme},
		"this machine, from elsewhere":    {"http://localhost:1", "https://h/mcp", errOtherHost},
		"this machine over https":         {"https://127.0.0.1/x", "https://h/mcp", errOtherHost},
		"this machine by another name":    {"https://a.localhost./x", "https://h/mcp", errOtherHost},
		"this machine by IPv6":            {"https://[::1]/", "https://h/mcp", errOtherHost},
		"this machine as IPv4 in IPv6":    {"https://[::ffff:127.0.0.1]/", "https://h/mcp", errOtherHost},
		"the unspecified address":         {"https://0.0.0.0/", "https://h/mcp", errOtherHost},
		"this machine, from this machine": {"http://127.0.0.1:1", "http://localhost:2/mcp", nil},
		"plain http elsewhere, from here": {"http://as.example.test", "http://localhost:2/mcp", errScheme},
		"a socket":                        {"unix:///x", "http://localhost/mcp", errNotURL},
		"a file":                          {"file:///etc/passwd", "https://h/mcp", errNotURL},
		"a file of a host":                {"file://as.example.test/x", "https://h/mcp", errScheme},
		"a script":                        {"javascript:alert(1)", "https://h/mcp", errNotURL},
		"data":                            {"data:text/html,x", "https://h/mcp", errNotURL},
		"ftp":                             {"ftp://as.example.test/x", "https://h/mcp", errScheme},
		"a script with a host":            {"javascript://localhost/%0aalert(1)", "http://localhost/mcp", errScheme},
		"a path":                          {"/x", "https://h/mcp", errNotURL},
		"no scheme":                       {"//as.example.test/x", "https://h/mcp", errScheme},
		"userinfo":                        {"https://me:x@as.example.test", "https://h/mcp", errUserinfo},
		"a fragment":                      {"https://as.example.test/#x", "https://h/mcp", errUserinfo},
		"a port alone":                    {"https://:443/x", "https://h/mcp", errNotURL},
		"nothing":                         {"", "https://h/mcp", errNotURL},
		"no URL":                          {"https://%zz", "https://h/mcp", errNotURL},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseTrusted(tc.url, parse(t, tc.endpoint)); !errors.Is(err, tc.want) {
				t.Errorf("parseTrusted(%q): %v, want %v", tc.url, err, tc.want)
			}
		})
	}
}

// B112, B113, B115, B117, B124: the order over HTTP, whatever the other places say.
func TestResourceMetadataIsFoundInOrder(t *testing.T) {
	const path, root = "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"
	for name, tc := range map[string]struct {
		challenge string
		serve     map[string]int // status by path; 200 serves the document
		want      []string       // of the paths that are asked
		resource  string         // below the origin
	}{
		"the path form":                 {`Bearer`, map[string]int{path: 200, root: 200}, []string{path}, "/mcp"},
		"the root, after 404":           {`Bearer`, map[string]int{path: 404, root: 200}, []string{path, root}, ""},
		"the root, after 401":           {`Bearer`, map[string]int{path: 401, root: 200}, []string{path, root}, ""},
		"the root, after 403":           {`Bearer`, map[string]int{path: 403, root: 200}, []string{path, root}, ""},
		"the root, after 500":           {`Bearer`, map[string]int{path: 500, root: 200}, []string{path, root}, ""},
		"the one that is named":         {`Bearer resource_metadata="%s/x"`, map[string]int{"/x": 200, path: 200}, []string{"/x"}, "/mcp"},
		"a second one that is named":    {`Bearer realm="x", resource_metadata="%s/a", error="e", resource_metadata="%s/b"`, map[string]int{"/b": 200, path: 200}, []string{"/a", "/b"}, "/mcp"},
		"the path form after dead ones": {`Bearer resource_metadata="%s/a"`, map[string]int{path: 200}, []string{"/a", path}, "/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.challenge = tc.challenge
			for _, at := range []string{path, root, "/a", "/b", "/x"} {
				resource := w.mcp.URL + "/mcp"
				if at == root {
					resource = w.mcp.URL
				}
				code, ok := tc.serve[at]
				switch {
				case code == 200:
					w.on("mcp "+at, document(map[string]any{"resource": resource, "authorization_servers": []string{w.as.URL}}))
				case ok:
					w.on("mcp "+at, status(code))
				default:
					w.on("mcp "+at, http.NotFound)
				}
			}
			if err := call(t.Context(), w.open(w.authorizer()), "add"); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, at := range w.log("mcp GET") {
				got = append(got, strings.TrimPrefix(at, "mcp GET "))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if got := w.seen("as GET /authorize")[0].Form.Get("resource"); got != w.mcp.URL+tc.resource {
				t.Errorf("resource %q", got)
			}
		})
	}
}

// B113, B114, B126, B127, M-AUT-05.
func TestServerMetadataIsFoundInOrder(t *testing.T) {
	const oauth, openid, appended = "/.well-known/oauth-authorization-server/t", "/.well-known/openid-configuration/t", "/t/.well-known/openid-configuration"
	for name, tc := range map[string]struct {
		serve map[string]any // a status, or an issuer below the origin
		want  []string
		err   error
	}{
		"RFC 8414":                    {map[string]any{oauth: "/t"}, []string{oauth}, nil},
		"OpenID, inserted":            {map[string]any{oauth: 404, openid: "/t"}, []string{oauth, openid}, nil},
		"OpenID, appended":            {map[string]any{oauth: 403, openid: 401, appended: "/t"}, []string{oauth, openid, appended}, nil},
		"none":                        {nil, []string{oauth, openid, appended}, new(DiscoveryError)},
		"another issuer stops it":     {map[string]any{oauth: "/other", openid: "/t", appended: "/t"}, []string{oauth}, new(IssuerError)},
		"the issuer without its path": {map[string]any{oauth: "", openid: "/t"}, []string{oauth}, new(IssuerError)},
		"the issuer with a slash":     {map[string]any{oauth: "/t/"}, []string{oauth}, new(IssuerError)},
		"a web page is no document":   {map[string]any{oauth: 200, openid: "/t"}, []string{oauth, openid}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.resource["authorization_servers"] = []string{w.as.URL + "/t"}
			w.answer = func(v url.Values) url.Values { v.Set("iss", w.as.URL+"/t"); return v }
			for at, what := range tc.serve {
				switch what := what.(type) {
				case int:
					w.on("as "+at, func(rw http.ResponseWriter, _ *http.Request) {
						rw.WriteHeader(what)
						_, _ = io.WriteString(rw, "<p>hello")
					})
				case string:
					w.on("as "+at, document(with(metadataOf(w.as.URL), map[string]any{"issuer": w.as.URL + what})))
				}
			}
			err := call(t.Context(), w.open(w.authorizer()), "add")
			var issuer *IssuerError
			var discovery *DiscoveryError
			switch tc.err.(type) {
			case nil:
				if err != nil {
					t.Fatal(err)
				}
			case *IssuerError:
				if !errors.As(err, &issuer) || issuer.Want != w.as.URL+"/t" || !strings.Contains(err.Error(), issuer.Want) || !strings.Contains(err.Error(), issuer.Got) {
					t.Errorf("the error is %v", err)
				}
			case *DiscoveryError:
				if !errors.As(err, &discovery) {
					t.Errorf("the error is %v", err)
				}
			}
			var got []string
			for _, at := range w.log("as GET") {
				if at != "as GET /authorize" {
					got = append(got, strings.TrimPrefix(at, "as GET "))
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if tc.err != nil && len(w.seen("as POST"))+len(w.seen("as GET /authorize")) > 0 {
				t.Errorf("requests %q", w.log("as"))
			}
		})
	}
}

// B126, M-AUT-05: what the specification forbids needs an explicit word.
func TestAnIssuerAliasIsTolerated(t *testing.T) {
	w := newWorld(t)
	named := w.as.URL + "/app"
	w.resource["authorization_servers"] = []string{named}
	w.on("as /.well-known/oauth-authorization-server/app", document(metadataOf(w.as.URL)))
	if err := call(t.Context(), w.open(w.authorizer(WithIssuerAlias(named, w.as.URL))), "add"); err != nil {
		t.Error(err)
	}
}

// B-AUT-31: no authorization request for a resource that is not the server.
func TestAnotherResourceStopsTheLogin(t *testing.T) {
	for _, resource := range []any{"https://evil.example.com/mcp", "/mcp", nil, "https://127.0.0.1/"} {
		w := newWorld(t)
		w.resource["resource"] = resource
		w.on("mcp /.well-known/oauth-protected-resource", document(map[string]any{"resource": w.mcp.URL, "authorization_servers": []string{w.as.URL}}))
		err := call(t.Context(), w.open(w.authorizer()), "add")
		if _, ok := errors.AsType[*ResourceError](err); !ok {
			t.Errorf("%v: the error is %v", resource, err)
		}
		if got := w.log("as"); got != nil {
			t.Errorf("%v: requests %q", resource, got)
		}
	}
}

// O-AUT-04, B128
func TestServersOf20250326(t *testing.T) {
	for name, tc := range map[string]struct {
		issuer any // below the server's origin; nil: no metadata; an int is a status
		prefix string
		ok     bool
	}{
		"metadata at the root":     {"", "/oauth", true},
		"a slash is tolerated":     {"/", "/oauth", true},
		"no metadata":              {404, "", true},
		"another issuer":           {"https://other.example.test", "/oauth", false},
		"an issuer below the root": {"/other", "/oauth", false},
		"an outage is not absence": {503, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.challenge = "Bearer"
			for _, path := range []string{"/mcp", ""} {
				w.on("mcp /.well-known/oauth-protected-resource"+path, http.NotFound)
			}
			const at = "mcp /.well-known/oauth-authorization-server"
			base := w.mcp.URL + tc.prefix
			switch issuer := tc.issuer.(type) {
			case int:
				w.on(at, status(issuer))
			case string:
				if strings.HasPrefix(issuer, "/") || issuer == "" {
					issuer = w.mcp.URL + issuer
				}
				w.on(at, document(with(metadataOf(base), map[string]any{
					"issuer": issuer, "authorization_response_iss_parameter_supported": nil,
				})))
			}
			w.answer = func(v url.Values) url.Values { v.Del("iss"); return v }
			w.on("mcp "+tc.prefix+"/authorize", w.authorize)
			w.on("mcp "+tc.prefix+"/token", w.token)
			w.on("mcp "+tc.prefix+"/register", w.register)
			err := call(t.Context(), w.open(w.authorizer()), "add")
			if (err == nil) != tc.ok {
				t.Fatalf("the error is %v", err)
			}
			if !tc.ok && len(w.seen("mcp POST "+tc.prefix+"/token"))+len(w.seen("mcp POST "+tc.prefix+"/register")) > 0 {
				t.Errorf("requests %q", w.log("mcp"))
			}
		})
	}
}

// A server that names its metadata is none of 2025-03-26.
func TestNamedMetadataThatIsMissingIsAnError(t *testing.T) {
	w := newWorld(t)
	w.on("mcp /.well-known/oauth-protected-resource/mcp", http.NotFound)
	err := call(t.Context(), w.open(w.authorizer()), "add")
	if _, ok := errors.AsType[*DiscoveryError](err); !ok {
		t.Errorf("the error is %v", err)
	}
	if got := w.log("mcp POST /register"); got != nil {
		t.Errorf("requests %q", got)
	}
}

// B131, B-AUT-24, S-SEC-01, S-SEC-04: no redirect to another origin, no body
// without bound, no private host.
func TestDiscoveryGoesNowhereElse(t *testing.T) {
	other := newWorld(t)
	const prm = "mcp /.well-known/oauth-protected-resource/mcp"
	for name, prepare := range map[string]func(w *world){
		"a redirect of the resource metadata": func(w *world) {
			w.on(prm, func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, other.mcp.URL+"/.well-known/oauth-protected-resource/mcp", http.StatusFound)
			})
		},
		"a redirect of the server metadata": func(w *world) {
			w.on("as /.well-known/oauth-authorization-server", func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, other.as.URL, http.StatusFound) })
		},
		"redirects without end": func(w *world) {
			w.on(prm, func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, r.URL.Path, http.StatusFound) })
		},
		"a redirect of the registration": func(w *world) {
			w.on("as /register", func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, other.as.URL+"/register", http.StatusTemporaryRedirect)
			})
		},
		"a redirect of the registration within the origin": func(w *world) {
			w.on("as /register", func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, "/other", http.StatusTemporaryRedirect)
			})
			w.on("as /other", w.register)
		},
		"an issuer that is no https URL": func(w *world) { w.resource["authorization_servers"] = []string{"http://as.example.test"} },
		"a token endpoint elsewhere":     func(w *world) { w.metadata["token_endpoint"] = "http://as.example.test/token" },
		"a script for the user":          func(w *world) { w.metadata["authorization_endpoint"] = "javascript:alert(1)" },
		"a file to register at":          func(w *world) { w.metadata["registration_endpoint"] = "file:///x" },
		"metadata without an end": func(w *world) {
			w.on(prm, func(rw http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(rw, `{"resource":"`+strings.Repeat("x", 2*maxDocument)+`"}`)
			})
		},
		"a name twice": func(w *world) {
			w.on(prm, func(rw http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(rw, `{"resource":"`+w.mcp.URL+`","resource":"x","authorization_servers":["`+w.as.URL+`"]}`)
			})
		},
		"another type": func(w *world) { w.resource["authorization_servers"] = w.as.URL },
		"no server":    func(w *world) { w.resource["authorization_servers"] = []string{} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			prepare(w)
			err := call(t.Context(), w.open(w.authorizer()), "add")
			if !errors.Is(err, transport.ErrUnauthorized) {
				t.Errorf("the error is %v", err)
			}
			if len(w.seen("as GET /authorize"))+len(w.seen("as POST /token")) > 0 {
				t.Errorf("requests %q", w.log(""))
			}
			if got := w.log(prm); len(got) > maxRedirects+1 {
				t.Errorf("%d redirects", len(got))
			}
		})
	}
	if got := other.log(""); got != nil {
		t.Errorf("another server got %q", got)
	}
}

// B131, S-SEC-03, S-SEC-01: with a policy, the address that is dialled
// decides.
func TestTheTargetPolicyHoldsForWhatServersName(t *testing.T) {
	w := newWorld(t)
	err := call(t.Context(), w.open(w.authorizer(WithTargetPolicy(target.Public()))), "add")
	if _, ok := errors.AsType[*target.Error](err); !ok {
		t.Errorf("the error is %v", err)
	}
	if got := append(w.log("as"), w.log("mcp GET")...); got != nil {
		t.Errorf("requests %q", got)
	}
	a := w.authorizer(WithTargetPolicy(target.Public(target.AllowLoopback())))
	if err := call(t.Context(), w.open(a), "add"); err != nil {
		t.Error(err)
	}
}

func TestTheProgramChoosesAmongAuthorizationServers(t *testing.T) {
	w := newWorld(t)
	other := newWorld(t)
	named := []string{other.as.URL, w.as.URL}
	w.resource["authorization_servers"] = named
	for name, opts := range map[string][]Option{
		"by its hook": {WithServerChoice(func(_ context.Context, issuers []string) (string, error) {
			if diff := cmp.Diff(named, issuers); diff != "" {
				t.Error(diff)
			}
			return w.as.URL, nil
		})},
		"by a client id": {WithRegistration(Registration{Issuer: w.as.URL, ClientID: "x"})},
	} {
		if err := call(t.Context(), w.open(w.authorizer(opts...)), "add"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := other.log(""); got != nil {
		t.Errorf("the other one got %q", got)
	}
	stray := WithServerChoice(func(context.Context, []string) (string, error) { return "https://elsewhere.example.test", nil })
	if err := call(t.Context(), w.open(w.authorizer(stray)), "add"); err == nil {
		t.Error("a server was taken that nobody named")
	}
}
