package conformance

import (
	"net/http"

	"github.com/mcpera/mcpera/protocol"
)

// get opens or resumes a legacy session's event stream. A GET that does not
// ask for one gets a description of the server.
func (s *Server) get(w http.ResponseWriter, r *http.Request, p Principal) {
	if !accepts(r.Header, eventStreamType) {
		s.describe(w)
		return
	}
	if !s.hasSessions() {
		s.methodNotAllowed(w)
		return
	}
	if e := checkLegacyVersion(r.Header, "", s.cfg.versions); e != nil {
		writeError(w, http.StatusBadRequest, protocol.ID{}, e)
		return
	}
	sess, ok := s.sessionOf(w, r, protocol.ID{}, p)
	if !ok {
		return
	}
	last := r.Header.Get("Last-Event-Id")
	if last == "" {
		j := sess.standingJournal()
		s.follow(w, r, j, following{seat: j.attach(), sess: sess, from: j.unsent()})
		return
	}
	j, read, ok := sess.resume(last)
	if !ok {
		// Not 404, which would mean that the session has ended.
		writeError(w, http.StatusBadRequest, protocol.ID{}, invalidRequest("the event to resume from is not known"))
		return
	}
	s.follow(w, r, j, following{seat: j.attach(), sess: sess, from: read, resumed: true})
}

// delete ends a legacy session.
func (s *Server) delete(w http.ResponseWriter, r *http.Request, p Principal) {
	if !s.hasSessions() {
		s.methodNotAllowed(w)
		return
	}
	sess, ok := s.sessionOf(w, r, protocol.ID{}, p)
	if !ok {
		return
	}
	s.endSession(sess)
	w.WriteHeader(http.StatusOK)
}

func (s *Server) endSession(sess *session) {
	s.hub.remove(sess)
	s.sessions.remove(sess)
}

// describe says what this is, for people who look with a browser.
func (s *Server) describe(w http.ResponseWriter) {
	writeJSON(w, http.StatusOK, mustEncode(struct {
		Name     string   `json:"name"`
		Version  string   `json:"version"`
		Protocol string   `json:"protocol"`
		Versions []string `json:"protocolVersions"`
	}{s.cfg.name, s.cfg.version, "Model Context Protocol", s.cfg.versions}))
}
