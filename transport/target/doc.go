// Package target decides which servers a program may be sent to by a URL that
// it did not choose itself: one that a user typed in, or that another server
// named. Without such a policy a URL can point into the program's own network,
// at a cloud's metadata service for example.
//
//	client := &http.Client{Transport: target.Public().Guard(nil)}
//
// The address that is dialled is the one that is judged, so that a name which
// resolves to something else the second time (DNS rebinding) gains nothing. The
// guard judges each request by itself, and with it each hop of a redirect.
//
// A policy does not look at ports, paths or answers, and knows no addresses of
// a network that translates IPv6 to IPv4 by a prefix of its own.
//
// Source: MCP 2026-07-28, basic/security_best_practices, "Server-Side Request
// Forgery".
package target
