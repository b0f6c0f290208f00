package http

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/negotiation"
)

// B136: neither a slash nor the query is changed.
func TestTheEndpointIsUsedAsGiven(t *testing.T) {
	for _, tc := range []struct{ endpoint, want string }{
		{"", "/"},
		{"/", "/"},
		{"/mcp", "/mcp"},
		{"/mcp/", "/mcp/"},
		{"/mcp/?k=v", "/mcp/?k=v"},
		{"?k=v&k=w", "/?k=v&k=w"},
		{"/mcp?", "/mcp?"},
		{"/mcp?k=%20+a;b", "/mcp?k=%20+a;b"},
		{"/a%2Fb/%C3%BC", "/a%2Fb/%C3%BC"},
		{"/a//b/../c", "/a//b/../c"},
		{"/mcp?k=v#part", "/mcp?k=v"},
	} {
		s := serve(t, answer(200, "application/json", result))
		if _, err := exchange(t.Context(), open(t, s.URL+tc.endpoint), toolCall()); err != nil {
			t.Fatalf("%q: %v", tc.endpoint, err)
		}
		if got := s.seen()[0].URI; got != tc.want {
			t.Errorf("%q was asked for as %q, want %q", tc.endpoint, got, tc.want)
		}
	}
}

func TestEndpointsThatAreNoneAreRefusedWithoutRepeatingThem(t *testing.T) {
	for _, endpoint := range []string{
		"", "SECRET", "/SECRET", "//SECRET/mcp", "SECRET:80/mcp", "ftp://SECRET/", "unix:///SECRET", "file:///SECRET",
		"http:///SECRET", "http:SECRET", "http://SECRET host/", "http://u:SECRET@h:port/", "user:SECRET@h/mcp", "http://h/%SECRET\x7f",
	} {
		tr, err := New(endpoint)
		if err == nil {
			t.Errorf("%q made %v", endpoint, tr)
			continue
		}
		if strings.Contains(err.Error(), "SECRET") || !strings.Contains(err.Error(), "https://") {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
}

func TestUserinfoIsBasicAuthentication(t *testing.T) {
	for name, tc := range map[string]struct {
		user string
		opts []Option
		want string
	}{
		"user and password":       {"me:p%40ss@", nil, "Basic bWU6cEBzcw=="},
		"user alone":              {"me@", nil, "Basic bWU6"},
		"a header comes before":   {"me:mine@", []Option{WithHeader("Authorization", "Bearer x")}, "Bearer x"},
		"none":                    {"", nil, ""},
		"a header without a user": {"", []Option{WithHeader("Authorization", "Bearer x")}, "Bearer x"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, answer(200, "application/json", result))
			tr := open(t, strings.Replace(s.URL, "//", "//"+tc.user, 1), tc.opts...)
			if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
				t.Fatalf("Exchange: %v", err)
			}
			if got := s.seen()[0].Header.Get("Authorization"); got != tc.want {
				t.Errorf("Authorization %q, want %q", got, tc.want)
			}
			if got := tr.Target().String(); got != s.URL {
				t.Errorf("target %q, want %q", got, s.URL)
			}
		})
	}
}

func TestPrincipalTellsCredentialsApartWithoutShowingThem(t *testing.T) {
	principal := func(endpoint string, opts ...Option) string {
		t.Helper()
		tr, err := New(endpoint, opts...)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Kind() != negotiation.HTTP {
			t.Errorf("kind %v", tr.Kind())
		}
		return tr.Target().Principal
	}
	if got := principal("http://h/mcp"); got != "" {
		t.Errorf("no credentials have the principal %q", got)
	}
	seen := make(map[string]string)
	for name, p := range map[string]string{
		"a token":          principal("http://h/mcp", WithHeader("Authorization", "SECRET")),
		"another token":    principal("http://h/mcp", WithHeader("Authorization", "SECRET2")),
		"as another field": principal("http://h/mcp", WithHeader("X-Key", "SECRET")),
		"two values":       principal("http://h/mcp", WithHeader("X-Key", "a"), WithHeader("X-Key", "b")),
		"one value":        principal("http://h/mcp", WithHeader("X-Key", `a" "b`)),
		"a query":          principal("http://h/mcp?key=SECRET"),
		"another query":    principal("http://h/mcp?key=SECRET2"),
		"a user":           principal("http://SECRET@h/mcp"),
		"with a password":  principal("http://SECRET:SECRET@h/mcp"),
	} {
		if other, ok := seen[p]; ok || p == "" || strings.Contains(p, "SECRET") {
			t.Errorf("%s has the principal %q, as has %q", name, p, other)
		}
		seen[p] = name
	}
	a := principal("http://h/mcp", WithHeader("X-A", "1"), WithHeader("X-B", "2"))
	b := principal("http://h/mcp", WithHeader("x-b", "2"), WithHeader("x-a", "1"))
	if a != b {
		t.Error("the order of the options makes another principal")
	}
}

func TestAReplacedDefaultTransportIsNoObstacle(t *testing.T) {
	old := http.DefaultTransport
	http.DefaultTransport = roundTripper{old}
	defer func() { http.DefaultTransport = old }()
	s := serve(t, answer(200, "application/json", result))
	if _, err := exchange(t.Context(), open(t, s.URL), toolCall()); err != nil {
		t.Errorf("Exchange: %v", err)
	}
}
