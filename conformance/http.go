package conformance

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// ServeHTTP serves the MCP endpoint, whatever its path.
//
// Source: MCP 2026-07-28 and 2025-11-25, Streamable HTTP.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "the server is closed", http.StatusServiceUnavailable)
		return
	}
	defer s.running.Done()
	if e := s.checkOrigin(r); e != nil {
		writeError(w, http.StatusForbidden, protocol.ID{}, e)
		return
	}
	s.allowOrigin(w, r)
	if r.Method == http.MethodOptions {
		s.preflight(w)
		return
	}
	principal, ok := s.authenticate(w, r)
	if !ok {
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.post(w, r, principal)
	case http.MethodGet:
		s.get(w, r, principal)
	case http.MethodDelete:
		s.delete(w, r, principal)
	default:
		s.methodNotAllowed(w)
	}
}

// post serves one JSON-RPC message.
func (s *Server) post(w http.ResponseWriter, r *http.Request, p Principal) {
	body, status, e := s.readBody(w, r)
	if e != nil {
		writeError(w, status, protocol.ID{}, e)
		return
	}
	m, id, e := decodeMessage(body)
	if e != nil {
		writeError(w, http.StatusBadRequest, id, e)
		return
	}
	env, e := classify(s.cfg.eras, m, r.Header.Get(headerVersion))
	if e != nil {
		writeError(w, http.StatusBadRequest, m.ID, e)
		return
	}
	if env.era == Modern {
		s.postModern(w, r, m, env, p)
	} else {
		s.postLegacy(w, r, m, env, p)
	}
}

// readBody reads a JSON body within the limit. Its status goes with the error.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, int, *protocol.Error) {
	if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType != "application/json" {
		return nil, http.StatusUnsupportedMediaType, invalidRequest("the Content-Type is not application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.cfg.maxBody))
	if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
		return nil, http.StatusRequestEntityTooLarge, invalidRequest("the body is longer than %d bytes", tooBig.Limit)
	}
	if err != nil {
		return nil, http.StatusBadRequest, invalidRequest("the body broke off")
	}
	return body, 0, nil
}

// decodeMessage reads one message. With an error it returns the message's id
// when that could be read.
func decodeMessage(data []byte) (*protocol.Message, protocol.ID, *protocol.Error) {
	if !jsontext.Value(data).IsValid() {
		return nil, protocol.ID{}, fault(protocol.CodeParse, "parse error")
	}
	m, err := protocol.Decode(data)
	if err != nil {
		var id protocol.ID
		if o, err := parseObject(jsontext.Value(data)); err == nil {
			_ = id.UnmarshalJSON(o.get("id")) // no readable id is none
		}
		return nil, id, invalidRequest("not a JSON-RPC request, notification or response")
	}
	if m.Method != "" && m.ID.IsNull() {
		return nil, protocol.ID{}, invalidRequest("the id of a request is null")
	}
	return m, m.ID, nil
}

// checkOrigin keeps pages of other sites away from a server on this machine,
// which is all that stands between them and a user's tools: on a loopback
// address the Host must be a loopback name, and an Origin must be one too
// unless it was allowed.
func (s *Server) checkOrigin(r *http.Request) *protocol.Error {
	if onLoopback(r) && !isLoopbackHost(r.Host) {
		return invalidRequest("the Host header is not a name of this machine")
	}
	origin := r.Header.Get("Origin")
	if origin == "" || origin == s.cfg.corsOrigin || s.cfg.corsOrigin == "*" || isLoopbackOrigin(origin) {
		return nil
	}
	return invalidRequest("the Origin header is not allowed")
}

// allowOrigin sets the response headers that let a page read the answer.
func (s *Server) allowOrigin(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" || s.cfg.corsOrigin == "" {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", s.cfg.corsOrigin)
	h.Set("Access-Control-Expose-Headers", "mcp-session-id, mcp-protocol-version, www-authenticate")
	h.Add("Vary", "Origin")
}

// preflight answers a browser's question about what it may send.
func (s *Server) preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Allow", s.allowed())
	if s.cfg.corsOrigin != "" {
		h.Set("Access-Control-Allow-Methods", s.allowed())
		h.Set("Access-Control-Allow-Headers", strings.Join(s.cfg.corsHeaders, ", "))
		h.Set("Access-Control-Max-Age", "86400")
	}
	w.WriteHeader(http.StatusNoContent)
}

// hasSessions reports whether legacy clients get sessions over HTTP.
func (s *Server) hasSessions() bool { return s.cfg.eras != Modern && !s.cfg.stateless }

// allowed lists the HTTP methods of the endpoint.
func (s *Server) allowed() string {
	if s.hasSessions() {
		return "POST, GET, DELETE, OPTIONS"
	}
	return "POST, OPTIONS"
}

func (s *Server) methodNotAllowed(w http.ResponseWriter) {
	w.Header().Set("Allow", s.allowed())
	writeError(w, http.StatusMethodNotAllowed, protocol.ID{}, invalidRequest("the endpoint does not serve this HTTP method"))
}

func writeJSON(w http.ResponseWriter, status int, message []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(message) // a client that is gone misses it
}

func writeError(w http.ResponseWriter, status int, id protocol.ID, e *protocol.Error) {
	writeJSON(w, status, errorMessage(id, e))
}
