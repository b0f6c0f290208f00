package auth

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// browse is a user with a browser that follows redirects.
func browse(ctx context.Context, to string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: isolated}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || !strings.Contains(string(page), "close this window") {
		return errors.New("the page is " + string(page))
	}
	return nil
}

func TestLoopbackReceivesTheAnswer(t *testing.T) {
	w := newWorld(t)
	a := w.authorizer(WithUserAgent(Loopback{OpenURL: browse}))
	for range 2 {
		if err := call(t.Context(), w.open(a), "add"); err != nil {
			t.Fatal(err)
		}
		w.revoke(true)
	}
	uri := w.seen("as GET /authorize")[0].Form.Get("redirect_uri")
	if u := parse(t, uri); u.Scheme != "http" || u.Hostname() != "127.0.0.1" || u.Port() == "" || u.Path != "/callback" {
		t.Errorf("redirect URI %s", uri)
	}
	if _, err := isolated.RoundTrip(mustRequest(t, uri)); err == nil {
		t.Error("the port is open still")
	}
	// A registration is good for its port, which is used again if it is free.
	want := 1
	if again := w.seen("as GET /authorize")[1].Form.Get("redirect_uri"); again != uri {
		want = 2
	}
	if n := len(w.seen("as POST /register")); n != want {
		t.Errorf("%d registrations, want %d", n, want)
	}
}

func mustRequest(t *testing.T, to string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// B-AUT-55: others on the machine, and pages in the browser, can send here
// what they like.
func TestLoopbackIgnoresWhatIsNotTheAnswer(t *testing.T) {
	v, err := Loopback{OpenURL: func(context.Context, string) error { return nil }, Done: "<b>done</b>"}.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	answers := make(chan url.Values, 1)
	get := func(method, query string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, v.RedirectURI()+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := isolated.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		page, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(page)
	}
	if status, _ := get("GET", "?state=&code=stolen"); status != 404 {
		t.Errorf("before the login: %d", status)
	}
	opened := make(chan struct{})
	v.(*loopbackVisit).open = func(context.Context, string) error { close(opened); return nil }
	go func() {
		answer, err := v.Go(t.Context(), "https://as.example.test/authorize?state=right")
		if err != nil {
			t.Error(err)
		}
		answers <- answer
	}()
	<-opened
	for _, query := range []string{"", "?state=wrong&code=x", "?code=x", "/more?state=right&code=x"} {
		if status, page := get("GET", query); status != 404 || strings.Contains(page, "done") {
			t.Errorf("%q: %d", query, status)
		}
	}
	if status, _ := get("POST", "?state=right&code=x"); status != 404 {
		t.Errorf("POST: %d", status)
	}
	if status, page := get("GET", "?state=right&code=c&iss=i&error=e"); status != 200 || !strings.Contains(page, "&lt;b&gt;done") {
		t.Errorf("the answer: %d %s", status, page)
	}
	if status, _ := get("GET", "?state=right&code=again"); status != 200 {
		t.Errorf("the answer again: %d", status)
	}
	if diff := cmp.Diff(url.Values{"state": {"right"}, "code": {"c"}, "iss": {"i"}, "error": {"e"}}, <-answers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoopbackAddresses(t *testing.T) {
	at := func(address, port, host, path string) redirectAddress {
		return redirectAddress{address, port, host, path}
	}
	for name, tc := range map[string]struct {
		loopback   Loopback
		registered []string
		want       []redirectAddress
	}{
		"anywhere":         {Loopback{}, nil, []redirectAddress{at("127.0.0.1", "0", "127.0.0.1", "/callback")}},
		"a fixed port":     {Loopback{Port: 3000, Path: "/cb"}, []string{"http://127.0.0.1:1/x"}, []redirectAddress{at("127.0.0.1", "3000", "127.0.0.1", "/cb")}},
		"a registered one": {Loopback{}, []string{"http://127.0.0.1:4000/x"}, []redirectAddress{at("127.0.0.1", "4000", "127.0.0.1", "/x"), at("127.0.0.1", "0", "127.0.0.1", "/x")}},
		"any port of it":   {Loopback{}, []string{"http://[::1]/x"}, []redirectAddress{at("::1", "0", "::1", "/x")}},
		"by name":          {Loopback{}, []string{"https://app.example.test/cb", "http://localhost:4000"}, []redirectAddress{at("127.0.0.1", "4000", "localhost", "/"), at("127.0.0.1", "0", "localhost", "/")}},
		"none of them":     {Loopback{}, []string{"https://app.example.test/cb", "http://127.0.0.1/x?y=z", "%"}, []redirectAddress{at("127.0.0.1", "0", "127.0.0.1", "/callback")}},
	} {
		t.Run(name, func(t *testing.T) {
			got := tc.loopback.addresses(tc.registered)
			if !slices.Equal(got, tc.want) {
				t.Errorf("%+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestAPortInUseIsNotWaitedFor(t *testing.T) {
	first, err := Loopback{}.Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := Loopback{}.Open(t.Context(), []string{first.RedirectURI()})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if first.RedirectURI() == second.RedirectURI() {
		t.Errorf("both are at %s", first.RedirectURI())
	}
	port := parse(t, first.RedirectURI()).Port()
	if v, err := (Loopback{Port: atoi(port)}).Open(t.Context(), nil); err == nil {
		_ = v.Close()
		t.Error("a port in use was opened")
	}
}

func atoi(s string) (n int) {
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return n
}

// S-SEC-05, S-SEC-06
func TestOpenBrowserOpensNothingElse(t *testing.T) {
	for _, to := range []string{
		"javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "http://as.example.test/", "ftp://localhost/x",
		"vbscript:x", "ms-settings:x", "-h", "", "https:", "%",
	} {
		if err := OpenBrowser(t.Context(), to); !errors.Is(err, errScheme) && !errors.Is(err, errNotURL) {
			t.Errorf("%q: %v", to, err)
		}
	}
	const to = "https://as.example.test/?a=b&c=$(x);`y`|z"
	for _, goos := range []string{"darwin", "windows", "linux", "freebsd", "plan9"} {
		args := openerOf(goos, to)
		if (args == nil) != (goos == "plan9") {
			t.Errorf("%s: %q", goos, args)
		}
		for i, arg := range args {
			if strings.Contains(arg, "as.example.test") != (i == len(args)-1) || slices.Contains([]string{"sh", "cmd", "powershell", "bash"}, arg) {
				t.Errorf("%s: %q", goos, args)
			}
		}
	}
}
