package http

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/transport"
)

// redirect sends everything but the last path to the next one.
func redirect(status int, to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Location"] = []string{to}
		w.WriteHeader(status)
	}
}

func TestRedirectsWithinTheOriginAreFollowedWithAllTheyCarry(t *testing.T) {
	for _, status := range []int{307, 308} {
		for name, location := range map[string]string{
			"by its path": "/mcp/",
			"by its URL":  "{url}/mcp/",
			"with a user": "{userURL}/mcp/",
		} {
			t.Run(http.StatusText(status)+" "+name, func(t *testing.T) {
				mux := http.NewServeMux()
				s := serve(t, mux.ServeHTTP)
				location := strings.NewReplacer("{url}", s.URL, "{userURL}", withUser(s.URL, "them:theirs")).Replace(location)
				mux.HandleFunc("/mcp", redirect(status, location))
				mux.HandleFunc("/mcp/", answer(200, "application/json", result))

				tr := open(t, withUser(s.URL, "me:mine")+"/mcp?k=v", WithHeader("X-Key", "v"))
				if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
					t.Fatalf("Exchange: %v", err)
				}
				seen := s.seen()
				if len(seen) != 2 || seen[0].URI != "/mcp?k=v" || seen[1].URI != "/mcp/" {
					t.Fatalf("requests %+v", seen)
				}
				seen[1].Header.Del("Referer")
				seen[1].URI = seen[0].URI
				if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
					t.Errorf("requests (-first +second):\n%s", diff)
				}
				if user, _, _ := (&http.Request{Header: seen[1].Header}).BasicAuth(); user != "me" {
					t.Errorf("the user is %q", user)
				}
			})
		}
	}
}

func withUser(endpoint, user string) string {
	return strings.Replace(endpoint, "http://", "http://"+user+"@", 1)
}

func TestRedirectsThatAreNotFollowedNameTheTarget(t *testing.T) {
	other := serve(t, answer(200, "application/json", result))
	for name, tc := range map[string]struct {
		status   int
		location string
		want     string // StatusError.Location
	}{
		"301 would become a GET":          {301, "/mcp/", "{origin}/mcp/"},
		"302 would become a GET":          {302, "/mcp/", "{origin}/mcp/"},
		"303 would become a GET":          {303, "/mcp/", "{origin}/mcp/"},
		"307 to another origin":           {307, other.URL + "/mcp", other.URL + "/mcp"},
		"308 to another origin":           {308, other.URL + "/mcp", other.URL + "/mcp"},
		"301 to another origin":           {301, other.URL + "/mcp", other.URL + "/mcp"},
		"307 to another name":             {307, "//elsewhere.example/mcp", "http://elsewhere.example/mcp"},
		"307 to TLS is another origin":    {307, "https://elsewhere.example/mcp", "https://elsewhere.example/mcp"},
		"what may be secret is left out":  {307, "https://u:SECRET@elsewhere.example/a?k=SECRET#SECRET", "https://elsewhere.example/a"},
		"a unix socket":                   {307, "unix:///run/x.sock", `a URL with scheme "unix"`},
		"a file":                          {307, "file:///etc/passwd", `a URL with scheme "file"`},
		"FTP":                             {307, "ftp://elsewhere.example/x", "ftp://elsewhere.example/x"},
		"a script":                        {307, "javascript:alert(1)", `a URL with scheme "javascript"`},
		"nowhere":                         {307, "", ""},
		"what is no URL":                  {307, "http://[SECRET", ""},
		"what is no URL, and not kept":    {301, "http://%SECRET/", ""},
		"300 is not for machines":         {300, "/mcp/", "{origin}/mcp/"},
		"304 makes no sense to a POST":    {304, "", ""},
		"a redirect to itself ends":       {307, "/mcp", "{origin}/mcp"},
		"so it does when named in full":   {308, "{origin}/mcp", "{origin}/mcp"},
		"another port is another origin":  {307, "http://127.0.0.1:1/mcp", "http://127.0.0.1:1/mcp"},
		"another host with the same port": {307, "http://localhost:{port}/mcp", "http://localhost:{port}/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			s := serve(t, mux.ServeHTTP)
			fill := strings.NewReplacer("{origin}", s.URL, "{port}", s.URL[strings.LastIndex(s.URL, ":")+1:])
			mux.HandleFunc("/mcp", redirect(tc.status, fill.Replace(tc.location)))
			mux.HandleFunc("/mcp/", answer(200, "application/json", result))

			tr := open(t, s.URL+"/mcp", WithHeader("Authorization", "SECRET"))
			o, err := exchange(t.Context(), tr, toolList())
			status := new(transport.StatusError)
			if !errors.As(err, &status) {
				t.Fatalf("error %v, want a *StatusError", err)
			}
			if want := fill.Replace(tc.want); status.Status != tc.status || status.Location != want || o.Location != want {
				t.Errorf("HTTP %d to %q, want %d to %q", status.Status, status.Location, tc.status, want)
			}
			if strings.Contains(err.Error(), "SECRET") {
				t.Errorf("a secret in %v", err)
			}
			for _, got := range s.seen() {
				if got.Method != "POST" {
					t.Errorf("a %s was sent", got.Method)
				}
			}
			if len(s.seen()) > 1+defaults().redirects {
				t.Errorf("%d requests", len(s.seen()))
			}
		})
	}
	if seen := other.seen(); len(seen) != 0 {
		t.Errorf("the other server got %d requests", len(seen))
	}
}

func TestThreeRedirectsAreFollowedAndAFourthIsNot(t *testing.T) {
	mux := http.NewServeMux()
	s := serve(t, mux.ServeHTTP)
	for path, next := range map[string]string{"/0": "/1", "/1": "/2", "/2": "/3", "/3": "/4"} {
		mux.HandleFunc(path, redirect(307, next))
	}
	mux.HandleFunc("/4", answer(200, "application/json", result))
	if _, err := exchange(t.Context(), open(t, s.URL+"/1"), toolCall()); err != nil {
		t.Errorf("three redirects: %v", err)
	}
	_, err := exchange(t.Context(), open(t, s.URL+"/0"), toolCall())
	status := new(transport.StatusError)
	if !errors.As(err, &status) || status.Location != s.URL+"/4" || !strings.Contains(err.Error(), "the limit of 3") {
		t.Errorf("four redirects: %v", err)
	}
	if n := len(s.seen()); n != 4+4 {
		t.Errorf("%d requests", n)
	}
	if _, err := exchange(t.Context(), open(t, s.URL+"/0", WithMaxRedirects(4)), toolCall()); err != nil {
		t.Errorf("four redirects, where they are wanted: %v", err)
	}
	_, err = exchange(t.Context(), open(t, s.URL+"/3", WithMaxRedirects(0)), toolCall())
	if !errors.As(err, &status) || status.Location != s.URL+"/4" || !strings.Contains(err.Error(), "the limit of 0") {
		t.Errorf("a redirect where none is wanted: %v", err)
	}
}

func TestNoCookieOrSessionReachesAnotherOrigin(t *testing.T) {
	other := serve(t, answer(200, "application/json", result))
	s := serve(t, redirect(307, other.URL))
	tr := open(t, s.URL, WithHeader("Cookie", "a=b"), WithHeader("Authorization", "x"))
	req := toolCall()
	req.Era, req.Session = 0, "s1"
	_ = tr.Exchange(t.Context(), req)
	if err := tr.Send(t.Context(), req); err == nil {
		t.Error("Send followed the redirect")
	}
	if err := tr.EndSession(t.Context(), "2025-11-25", "s1"); err != nil {
		t.Errorf("EndSession: %v", err)
	}
	if seen := other.seen(); len(seen) != 0 {
		t.Errorf("the other server got %+v", seen)
	}
	if n := len(s.seen()); n != 3 {
		t.Errorf("%d requests", n)
	}
}
