package http

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// forms are the texts that programs turn values into, by hand or in a log.
func forms(v any) string {
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		fmt.Fprintf(&b, verb+"\n", v)
	}
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "v", v, slog.Group("g", "v", v))
	return b.String()
}

// L-SES-02, B136: all that a program may print, after a visit that was full of
// secrets, shows none: the server's cookies and session ids count too.
func TestNoFormOfAnythingRevealsASecret(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Mcp-Session-Id", secret)
		http.SetCookie(w, &http.Cookie{Name: "c", Value: secret})
		w.Header().Set("Retry-After", secret)
		answer(200, "application/json", result)(w, r)
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, opts := secretive(s.URL)
	breaker, limit := NewBreaker(BreakerConfig{}), NewRateLimit(1000, 10)
	opts = append(opts, WithClient(&http.Client{Jar: jar}), WithPrincipal(secret), WithBreaker(breaker),
		WithRateLimit(limit), WithMessageURL("/"+secret+"?"+secret))
	tr := open(t, endpoint, opts...)
	req := withSession()
	req.Name, req.Params, req.Body = secret, map[string]string{"Mcp-Param-A": secret}, []byte(secret)
	o := tr.Exchange(t.Context(), req)
	if o.Session != secret {
		t.Fatalf("the visit failed: %v", o.Err)
	}
	for name, v := range map[string]any{
		"Transport": tr, "Target": tr.Target(), "*Target": &tr.target, "Request": *req, "*Request": req,
		"Outcome": o, "*Outcome": &o, "Breaker": breaker, "RateLimit": limit, "options": opts,
		"BreakerError": &BreakerError{Origin: tr.String()}, "RateLimitError": &RateLimitError{Origin: tr.String()},
		"a struct of them": struct {
			R *transport.Request
			O negotiation.Outcome
			T transport.Target
		}{req, o, tr.Target()},
	} {
		if text := forms(v); strings.Contains(text, secret) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// What New and the options have to say, of values that are wrong and secret.
func TestNoErrorOfAnOptionRevealsASecret(t *testing.T) {
	policy := WithTargetPolicy(PublicTargets())
	for name, make := range map[string]func() (*Transport, error){
		"a URL without a scheme":    func() (*Transport, error) { return New(secret) },
		"a URL that is none":        func() (*Transport, error) { return New("http://" + secret + "%zz@h") },
		"another scheme":            func() (*Transport, error) { return New("ftp://" + secret + "@h/" + secret) },
		"a header's value":          func() (*Transport, error) { return New("http://h", WithHeader("A", secret+"\n")) },
		"a header's name":           func() (*Transport, error) { return New("http://h", WithHeader("A: "+secret, "")) },
		"a message URL":             func() (*Transport, error) { return New("http://h", WithMessageURL("http://u:"+secret+"@h/")) },
		"a message URL that's none": func() (*Transport, error) { return New("http://h", WithMessageURL("http://h:"+secret)) },
		"a target without TLS": func() (*Transport, error) {
			return New("http://u:"+secret+"@h/"+secret+"?"+secret, policy)
		},
		"a target that is refused": func() (*Transport, error) {
			return New("https://u:"+secret+"@10.0.0.1/"+secret+"?"+secret, policy)
		},
	} {
		_, err := make()
		if err == nil {
			t.Errorf("%s: taken", name)
			continue
		}
		if text := forms(err) + strings.Join(reveals(err), " "); strings.Contains(text, secret) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// The errors of streams and of HTTP+SSE.
func TestNoErrorOfAStreamRevealsASecret(t *testing.T) {
	closed := newServer(nil)
	closed.Start()
	closed.Close()
	for name, at := range map[string]string{
		"refused":             closed.URL,
		"401":                 serve(t, answer(401, "", "")).URL,
		"half a header":       raw(t, "HTTP/1.1 200 OK\r\nContent-"),
		"half an event":       serve(t, aborts("event: endpoint\n")).URL,
		"a secret in another": serve(t, stream(true, "event: endpoint\ndata: http://u:"+secret+"@h/"+secret+"?"+secret+"\n\n")).URL,
	} {
		t.Run(name, func(t *testing.T) {
			endpoint, opts := secretive(at)
			tr := open(t, endpoint, opts...)
			req := withSession()
			errs := []error{tr.Share(t.Context())}
			if name != "a secret in another" { // whose stream goes on
				errs = append(errs, tr.Listen(t.Context(), req, func() {}))
			}
			for _, err := range errs {
				if err == nil {
					t.Error("no error")
				}
				checkError(t, err)
			}
		})
	}
	s := serveShared(t, "event: endpoint\ndata: /gw/messages?session_id="+secret+"\n\n")
	s.post = answer(404, "text/plain", "no such session")
	tr := s.share(t, nobody, WithHeader("Authorization", secret))
	_, err := exchange(t.Context(), tr, legacyCall(1))
	checkError(t, err)
	for _, v := range []any{tr, tr.Target()} {
		if text := forms(v); strings.Contains(text, secret) {
			t.Error(text)
		}
	}
	if u, err := url.Parse(tr.String()); err != nil || u.RawQuery != "" {
		t.Errorf("String() is %s", tr)
	}
}
