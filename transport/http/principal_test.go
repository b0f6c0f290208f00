package http

import (
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
)

// Private answers are shared between transports of one principal.
func TestPrincipal(t *testing.T) {
	const url = "https://api.example.com/mcp"
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	signing := WithClient(&http.Client{Transport: &http.Transport{}}) // may add a token to each request
	alice, bob := WithHeader("Authorization", "Bearer SECRET-a"), WithHeader("Authorization", "Bearer SECRET-b")
	for name, tc := range map[string]struct {
		url         string
		left, right []Option
		same        bool
	}{
		"no credentials":                     {url, nil, nil, true},
		"equal headers":                      {url, []Option{alice}, []Option{alice}, true},
		"another token":                      {url, []Option{alice}, []Option{bob}, false},
		"a token and none":                   {url, []Option{alice}, nil, false},
		"any header may be a credential":     {url, []Option{WithHeader("X-Team", "1")}, []Option{WithHeader("X-Team", "2")}, false},
		"a client that adds nothing":         {url, []Option{WithClient(&http.Client{})}, nil, true},
		"a client that may add credentials":  {url, []Option{signing}, []Option{signing}, false},
		"a client with a jar of cookies":     {url, []Option{WithClient(&http.Client{Jar: jar})}, []Option{WithClient(&http.Client{Jar: jar})}, false},
		"such clients of one named user":     {url, []Option{signing, WithPrincipal("alice")}, []Option{signing, WithPrincipal("alice")}, true},
		"such clients of two named users":    {url, []Option{signing, WithPrincipal("alice")}, []Option{signing, WithPrincipal("bob")}, false},
		"a name does not hide another token": {url, []Option{alice, WithPrincipal("x")}, []Option{bob, WithPrincipal("x")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var principals [2]string
			for i, opts := range [][]Option{tc.left, tc.right} {
				tr, err := New(tc.url, opts...)
				if err != nil {
					t.Fatal(err)
				}
				principals[i] = tr.Target().Principal
				if err := tr.Close(); err != nil {
					t.Error(err)
				}
			}
			if got := principals[0] == principals[1]; got != tc.same {
				t.Errorf("the same: %v, want %v", got, tc.same)
			}
			if strings.Contains(principals[0]+principals[1], "SECRET") {
				t.Error("the principal shows a secret")
			}
		})
	}
	if _, err := New(url, WithPrincipal("")); err == nil {
		t.Error("an empty principal was taken")
	}
}
