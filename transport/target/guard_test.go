package target

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// A spy is a server that must not be reached, or whose visits count.
type spy struct {
	*httptest.Server
	visits atomic.Int64
}

func newSpy(t *testing.T, tls bool, h http.HandlerFunc) *spy {
	t.Helper()
	s := new(spy)
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.visits.Add(1)
		h(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if tls {
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

func ok(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

// client returns one that holds to p and trusts s.
func (s *spy) client(t *testing.T, p *Policy) *http.Client {
	t.Helper()
	var base *http.Transport
	if s.TLS != nil {
		base = s.Client().Transport.(*http.Transport)
	}
	g := p.Guard(base)
	t.Cleanup(g.CloseIdleConnections)
	return &http.Client{Transport: g}
}

// get returns what a GET was refused for, "" when it came through.
func get(t *testing.T, c *http.Client, url string) Reason {
	t.Helper()
	resp, err := c.Get(url)
	if err == nil {
		_ = resp.Body.Close()
		return ""
	}
	refused, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("GET %s: %v, want an *Error", url, err)
	}
	return refused.Reason
}

// S-SEC-03: a name is judged by the address that is dialled, each time.
func TestGuardJudgesTheAddressThatIsDialled(t *testing.T) {
	loopback := netip.MustParseAddr("127.0.0.1")
	other := netip.MustParseAddr("127.0.0.2")
	s := newSpy(t, true, ok)
	port := s.Listener.Addr().(*net.TCPAddr).Port
	for name, tc := range map[string]struct {
		answers []netip.Addr
		want    []Reason
	}{
		"a name for a loopback address": {[]netip.Addr{loopback}, []Reason{Loopback}},
		"a name for a metadata service": {[]netip.Addr{netip.MustParseAddr("169.254.169.254")}, []Reason{Metadata}},
		// 127.0.0.1 stands for a public address here.
		"a name that changes its address": {[]netip.Addr{loopback, other, loopback}, []Reason{"", Loopback, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.visits.Load()
			names := &nameServer{answers: tc.answers}
			p := Public()
			if len(tc.answers) > 1 {
				p = Public(Allow(netip.PrefixFrom(loopback, 32)))
			}
			p.resolver = names.resolver(t)
			c := s.client(t, p)
			c.Transport.(*Guard).transport.DisableKeepAlives = true
			allowed := int64(0)
			for i, want := range tc.want {
				u := url.URL{Scheme: "https", Host: net.JoinHostPort("example.com", strconv.Itoa(port))}
				if got := get(t, c, u.String()); got != want {
					t.Errorf("request %d was refused for %q, want %q", i+1, got, want)
				}
				if want == "" {
					allowed++
				}
				if got := names.lookups(); got != i+1 {
					t.Errorf("%d lookups after %d requests", got, i+1)
				}
			}
			if got := s.visits.Load() - before; got != allowed {
				t.Errorf("%d requests came through, want %d", got, allowed)
			}
		})
	}
}

func TestGuardRefusesNamesAndOddFormsOfLoopback(t *testing.T) {
	s := newSpy(t, true, ok)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for _, host := range []string{"localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::ffff:127.0.0.1]", "127。0。0。1"} {
		resp, err := s.client(t, Public()).Get("https://" + host + ":" + port)
		if err == nil {
			_ = resp.Body.Close()
			t.Errorf("%s was allowed", host)
		}
	}
	if n := s.visits.Load(); n != 0 {
		t.Errorf("the server got %d requests", n)
	}
}

// S-SEC-04.
func TestGuardJudgesEachHopOfARedirect(t *testing.T) {
	private := newSpy(t, false, ok)
	for name, to := range map[string]string{
		"to plain http":         private.URL,
		"to a metadata service": "https://169.254.169.254/latest/meta-data",
		"to a private address":  "https://10.0.0.1/",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpy(t, true, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, to, http.StatusFound)
			})
			c := s.client(t, Public(Allow(netip.MustParsePrefix("127.0.0.1/32"))))
			if got := get(t, c, s.URL); got == "" {
				t.Error("the redirect was followed")
			}
			if n := s.visits.Load(); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
	if n := private.visits.Load(); n != 0 {
		t.Errorf("the private server got %d requests", n)
	}
}

// S-SEC-02.
func TestPlainHTTPReachesLoopbackOnly(t *testing.T) {
	s := newSpy(t, false, ok)
	names := &nameServer{answers: []netip.Addr{netip.MustParseAddr("10.0.0.1")}}
	p := Public(AllowLoopback(), Allow(netip.MustParsePrefix("10.0.0.0/8")))
	p.resolver = names.resolver(t)
	c := s.client(t, p)
	if got := get(t, c, s.URL); got != "" {
		t.Errorf("loopback was refused: %s", got)
	}
	if got := get(t, c, "http://example.com/"); got != Scheme {
		t.Errorf("a name for another address was refused for %q, want %q", got, Scheme)
	}
}

func TestGuardUsesNoProxyAndNoDialerButItsOwn(t *testing.T) {
	proxy := newSpy(t, false, ok)
	s := newSpy(t, true, ok)
	astray := func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("tcp", proxy.Listener.Addr().String())
	}
	base := s.Client().Transport.(*http.Transport).Clone()
	base.Proxy = http.ProxyURL(mustParse(t, proxy.URL))
	base.DialContext, base.DialTLSContext = astray, astray
	t.Setenv("HTTPS_PROXY", proxy.URL)
	g := Public(AllowLoopback()).Guard(base)
	t.Cleanup(g.CloseIdleConnections)
	resp, err := (&http.Client{Transport: g}).Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.ProtoMajor != 2 {
		t.Errorf("HTTP/%d, want 2", resp.ProtoMajor)
	}
	if n := proxy.visits.Load(); n != 0 {
		t.Errorf("the proxy got %d requests", n)
	}
	if base.Proxy == nil || base.DialTLSContext == nil {
		t.Error("the caller's transport was changed")
	}
}

func TestGuardClosesTheBodyOfARefusedRequest(t *testing.T) {
	body := &closer{Reader: strings.NewReader("x")}
	req, err := http.NewRequest(http.MethodPost, "https://10.0.0.1/", body)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Public().Guard(nil).RoundTrip(req); err == nil || !body.closed {
		t.Errorf("error %v, body closed: %v", err, body.closed)
	}
}

type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error {
	c.closed = true
	return nil
}

func mustParse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
