package auth

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Why a URL is not used.
var (
	errNotURL    = errors.New("it is no absolute URL")
	errScheme    = errors.New("it is not https")
	errUserinfo  = errors.New("it has userinfo or a fragment")
	errOtherHost = errors.New("it points to the client's own machine, where the server is not")
)

// parseTrusted returns a URL that a server of endpoint named, if it may be used:
// https, without userinfo and fragment. Where the endpoint is on this machine,
// others on it are allowed, and plain http for them. A server elsewhere must not
// send the client to its own machine.
//
// Source: MCP 2026-07-28, security best practices, "Server-Side Request Forgery"
// and "OAuth Authorization URL Validation".
func parseTrusted(raw string, endpoint *url.URL) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return nil, errNotURL
	}
	if u.User != nil || u.Fragment != "" || strings.Contains(raw, "#") {
		return nil, errUserinfo
	}
	local := isLoopback(u.Hostname())
	switch {
	case local && !isLoopback(endpoint.Hostname()):
		return nil, errOtherHost
	case u.Scheme == "https", u.Scheme == "http" && local:
		return u, nil
	default:
		return nil, errScheme
	}
}

// isLoopback reports whether a host names this machine by itself.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback() || addr.Unmap().IsUnspecified()
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// shown returns a URL as it may be told: without userinfo, query and fragment.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
