// Package origin names the place that a URL points to: its scheme, host and
// port. Two URLs with equal origins reach the same server.
package origin

import (
	"net/url"
	"strings"
)

// Of returns u's origin, such as "https://api.example.com" or
// "http://[::1]:8080". Scheme and host are lower-case, an IPv6 address stands
// in brackets, and the scheme's default port (80 for http, 443 for https) is
// left out, so that http://h and http://h:80 are equal. Userinfo, path, query
// and fragment, which may all carry secrets, are never part of it.
//
// Source: RFC 6454, section 4.
func Of(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Host), u.Port()
	if port == "" || port == defaultPort(scheme) {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return (&url.URL{Scheme: scheme, Host: host}).String()
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	default:
		return ""
	}
}
