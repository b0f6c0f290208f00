package conformance

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpera/mcpera/protocol"
)

// onLoopback reports whether the request came in on a loopback address.
func onLoopback(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	host, _, err := net.SplitHostPort(addr.String())
	return err == nil && net.ParseIP(host).IsLoopback()
}

// isLoopbackHost reports whether a Host header, with or without a port, is
// localhost or a loopback address.
func isLoopbackHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

func isLoopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && isLoopbackHost(u.Host)
}

// authenticate finds out who is asking. Without tokens everyone is nobody in
// particular; with tokens a request without a good one is answered 401.
//
// Source: MCP 2026-07-28, basic/authorization, "Error Handling".
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) (Principal, bool) {
	if s.cfg.tokens == nil {
		return Principal{}, true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		if p, ok := s.cfg.tokens[strings.TrimSpace(token)]; ok {
			return p, true
		}
		s.challenge(w, `error="invalid_token"`)
	} else {
		s.challenge(w, "")
	}
	writeError(w, http.StatusUnauthorized, protocol.ID{}, invalidRequest("authentication is required"))
	return Principal{}, false
}

// refuseScope answers a principal that lacks a scope, in both eras.
func (s *Server) refuseScope(w http.ResponseWriter, id protocol.ID, e *scopeError) {
	s.challenge(w, fmt.Sprintf(`error="insufficient_scope", scope=%q`, e.scope))
	writeError(w, http.StatusForbidden, id, e.wire())
}

// challenge sets WWW-Authenticate.
func (s *Server) challenge(w http.ResponseWriter, params string) {
	parts := []string{`realm="mcp"`}
	if params != "" {
		parts = append(parts, params)
	}
	if s.cfg.resourceMetadata != "" {
		parts = append(parts, fmt.Sprintf("resource_metadata=%q", s.cfg.resourceMetadata))
	}
	w.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(parts, ", "))
}

// checkSessionOwner keeps a session id from being carried over to someone
// else. A modern request may name a session, which is then ignored, but not
// one of another principal.
func (s *Server) checkSessionOwner(r *http.Request, p Principal) *protocol.Error {
	sess := s.sessions.get(r.Header.Get(headerSession))
	if sess == nil || sess.principal.Name == "" || sess.principal.Name == p.Name {
		return nil
	}
	return invalidRequest("the session belongs to someone else")
}
