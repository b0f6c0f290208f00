package target

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcpera/mcpera/internal/origin"
)

// A Policy says which targets are allowed. Make one with Public. It never
// changes, and is safe for concurrent use.
type Policy struct {
	allowed  []netip.Prefix
	loopback bool
	resolver *net.Resolver // nil for the default
}

// An Option allows more than a Policy does by default.
type Option func(*Policy)

// Public returns a policy that allows public servers over https, and nothing
// else. Refused are loopback, private, link-local, unique local, carrier-grade
// NAT, unspecified, multicast, documentation, benchmark and reserved addresses,
// whatever form they come in, and the metadata services of clouds.
func Public(opts ...Option) *Policy {
	p := new(Policy)
	for _, opt := range opts {
		opt(p)
	}
	return p
}

// Allow lets https targets within the prefixes pass, such as the part of a
// private network where servers are meant to be reached. A prefix of IPv4 also
// holds the IPv6 forms of its addresses.
func Allow(prefixes ...netip.Prefix) Option {
	prefixes = slices.Clone(prefixes)
	return func(p *Policy) { p.allowed = append(p.allowed, prefixes...) }
}

// AllowLoopback lets loopback targets pass, over http too: for development.
func AllowLoopback() Option {
	return func(p *Policy) { p.loopback = true }
}

// CheckURL returns an *Error when the URL itself tells that its target is
// refused: by its scheme, or by a host that is an address. A name is judged
// when it is dialled; see Guard.
func (p *Policy) CheckURL(u *url.URL) error {
	addr, err := netip.ParseAddr(u.Hostname())
	literal := err == nil
	plainText := !strings.EqualFold(u.Scheme, "https")
	if plainText && (!strings.EqualFold(u.Scheme, "http") || !p.loopback) {
		return &Error{Origin: origin.Of(u), Reason: Scheme}
	}
	if !literal {
		return nil
	}
	if err := p.check(addr, plainText); err != nil {
		err.Origin = origin.Of(u)
		return err
	}
	return nil
}

// CheckAddr returns an *Error when a connection to the address is refused.
func (p *Policy) CheckAddr(addr netip.Addr) error {
	if err := p.check(addr, false); err != nil {
		return err
	}
	return nil
}

// check judges an address that is dialled, for plain http or not.
func (p *Policy) check(addr netip.Addr, plainText bool) *Error {
	reason := judge(addr)
	switch {
	case reason == Loopback && p.loopback:
		return nil
	case plainText:
		return &Error{Addr: addr, Reason: Scheme}
	case reason == "":
		return nil
	}
	actual := plain(addr)
	for _, prefix := range p.allowed {
		if prefix.Contains(actual) {
			return nil
		}
	}
	return &Error{Addr: addr, Reason: reason}
}

// Control judges the address that a socket is about to be connected to, and
// fits net.Dialer.ControlContext: it runs after the one resolution, and before
// anything is sent.
func (p *Policy) Control(ctx context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Error{Origin: address, Reason: Unreadable}
	}
	plainText, _ := ctx.Value(plainTextKey{}).(bool)
	if err := p.check(ap.Addr(), plainText); err != nil {
		return err
	}
	return nil
}

// plainTextKey marks the context of a request without TLS.
type plainTextKey struct{}

// dialTimeout bounds making a connection.
const dialTimeout = 10 * time.Second

// Guard returns a round tripper that sends requests only where the policy
// allows, and otherwise fails with an *Error. It works like a copy of base, nil
// for one with ordinary settings, but makes all connections by itself: base's
// dialers and proxies, those of the environment too, are not used, since what
// they connect to could not be judged. Close its idle connections like those of
// any http.Transport when it is not needed any more.
func (p *Policy) Guard(base *http.Transport) *Guard {
	if base == nil {
		base = &http.Transport{
			ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second,
			TLSHandshakeTimeout: dialTimeout, ExpectContinueTimeout: time.Second,
		}
	}
	t := base.Clone()
	t.Proxy, t.OnProxyConnectResponse, t.GetProxyConnectHeader, t.ProxyConnectHeader = nil, nil, nil, nil
	t.DialTLSContext = nil
	//lint:ignore SA1019 net/http still obeys it
	t.DialTLS = nil
	t.DialContext = (&net.Dialer{
		Timeout: dialTimeout, KeepAlive: 30 * time.Second,
		Resolver: p.resolver, ControlContext: p.Control,
	}).DialContext
	t.ForceAttemptHTTP2 = true // net/http would not with a dialer
	if len(t.TLSNextProto) > 0 {
		t.TLSNextProto = nil // it may lead to connections that base has made
	}
	return &Guard{policy: p, transport: t}
}

// A Guard is an http.RoundTripper that holds to a Policy.
type Guard struct {
	policy    *Policy
	transport *http.Transport
}

// RoundTrip sends a request, unless its target is refused.
func (g *Guard) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.policy.CheckURL(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	if !strings.EqualFold(req.URL.Scheme, "https") {
		req = req.WithContext(context.WithValue(req.Context(), plainTextKey{}, true))
	}
	return g.transport.RoundTrip(req)
}

// CloseIdleConnections closes what is kept for later requests.
func (g *Guard) CloseIdleConnections() { g.transport.CloseIdleConnections() }
