package conformance

import (
	"context"
	"net/http"

	"github.com/mcpera/mcpera/protocol"
)

// postLegacy serves a legacy message: within its session, or on its own when
// the server keeps none.
func (s *Server) postLegacy(w http.ResponseWriter, r *http.Request, m *protocol.Message, env envelope, p Principal) {
	if s.cfg.eras == Modern {
		s.refuseLegacy(w, m)
		return
	}
	if e := checkLegacyVersion(r.Header, m.Method, s.cfg.versions); e != nil {
		writeError(w, http.StatusBadRequest, m.ID, e)
		return
	}
	var sess *session
	switch {
	case s.cfg.stateless:
	case m.Method == protocol.MethodInitialize && m.IsRequest():
		sess = s.newHTTPSession(p)
	default:
		var ok bool
		if sess, ok = s.sessionOf(w, r, m.ID, p); !ok {
			return
		}
	}
	if !m.IsRequest() {
		if sess != nil {
			sess.receive(m)
		}
		w.WriteHeader(http.StatusAccepted)
		return
	}
	c := s.newCall(m, env, p)
	if sess != nil {
		sess.inform(c)
	} else {
		c.Version, c.logLevel = r.Header.Get(headerVersion), "info"
	}
	if m.Method == protocol.MethodInitialize {
		s.openSession(w, r, c)
		return
	}
	s.runLegacy(w, r, c)
}

// refuseLegacy is a modern-only server's answer to a legacy message. It names
// the versions that would do, since a legacy client has no other way to learn
// of them.
func (s *Server) refuseLegacy(w http.ResponseWriter, m *protocol.Message) {
	switch {
	case m.IsNotification():
		w.WriteHeader(http.StatusAccepted)
	case m.IsResponse():
		writeError(w, http.StatusBadRequest, protocol.ID{}, invalidRequest("this server sends no requests"))
	default:
		writeError(w, http.StatusBadRequest, m.ID, s.initializeRefusal(m))
	}
}

func (s *Server) initializeRefusal(m *protocol.Message) *protocol.Error {
	var p protocol.InitializeParams
	_ = bind(m.Params, &p) // an unreadable version is an unsupported one
	return unsupportedVersion(p.ProtocolVersion, s.cfg.versions)
}

func (s *Server) newHTTPSession(p Principal) *session {
	sess := newSession(s.ctx, s.ids.next(), p, nil)
	sess.standing = func(message []byte) { sess.standingJournal().add(message) }
	return sess
}

// openSession answers initialize and, when it succeeded, keeps the session.
func (s *Server) openSession(w http.ResponseWriter, r *http.Request, c *Call) {
	response, err := s.respond(r.Context(), c)
	switch sess := c.session; {
	case sess == nil:
	case err != nil:
		sess.cancel(errSessionEnded)
	case !s.sessions.add(sess):
		sess.cancel(errSessionEnded)
		writeError(w, http.StatusServiceUnavailable, c.id, fault(codeServer, "too many sessions are open"))
		return
	default:
		s.hub.add(sess)
		w.Header().Set(headerSession, sess.id)
	}
	writeJSON(w, http.StatusOK, response)
}

// sessionOf finds the session that a request names, or answers the request:
// 400 without the header or for another principal's session, 404 for one that
// has ended or never was.
//
// Source: MCP 2025-11-25, basic/transports, "Session Management".
func (s *Server) sessionOf(w http.ResponseWriter, r *http.Request, id protocol.ID, p Principal) (*session, bool) {
	name := r.Header.Get(headerSession)
	if name == "" {
		writeError(w, http.StatusBadRequest, id, invalidRequest("the %s header is missing", headerSession))
		return nil, false
	}
	sess := s.sessions.get(name)
	if sess == nil {
		writeError(w, http.StatusNotFound, id, invalidRequest("the session does not exist"))
		return nil, false
	}
	if e := s.checkSessionOwner(r, p); e != nil {
		writeError(w, http.StatusBadRequest, id, e)
		return nil, false
	}
	return sess, true
}

// runLegacy runs a request and answers it: as JSON when the response comes
// first, else as an event stream. Within a session the request goes on when
// the connection breaks, and the client can resume the stream; otherwise a
// broken connection cancels it.
func (s *Server) runLegacy(w http.ResponseWriter, r *http.Request, c *Call) {
	j, ctx, end := newJournal(""), r.Context(), func() {}
	if c.session != nil {
		j = c.session.newJournal()
		ctx, end = c.session.begin(c.session.ctx, c.id)
		c.asker = peer{c.session, j.add, j.muted}
	}
	c.link = j
	ctx, cancel := s.bound(ctx)
	if !accepts(r.Header, eventStreamType) {
		j.mute()
	}
	ctx, stop := context.WithTimeoutCause(ctx, s.cfg.lifetime, errLifetime)
	f := following{seat: j.attach(), call: c} // before the request can hang up
	s.spawn(func() {
		defer end()
		defer cancel(nil)
		defer stop()
		j.finish(s.respond(ctx, c))
	})
	s.follow(w, r, j, f)
}
