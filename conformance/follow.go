package conformance

import (
	"errors"
	"net/http"
	"time"

	"github.com/mcpera/mcpera/protocol"
)

// following says how an HTTP response reads a journal.
type following struct {
	seat    seat
	call    *Call    // of a POST
	sess    *session // of a GET, which is an event stream from the start
	from    int      // events that the client has
	resumed bool     // the client named its last event
}

func (f following) session() *session {
	if f.call != nil {
		return f.call.session
	}
	return f.sess
}

// opens reports whether it is time for an event stream: there is more to send
// than a response, or nothing has been sent for a while.
func (f following) opens(j *journal, now reading, quiet bool) bool {
	switch {
	case isClosed(j.muted):
		return false
	case f.call == nil || len(now.events) > 1:
		return true
	default:
		return !now.over && (len(now.events) > 0 || now.hungUp || quiet)
	}
}

// follow writes a journal to an HTTP response until it is over, the client
// leaves, the session ends, or a newer reader takes over.
func (s *Server) follow(w http.ResponseWriter, r *http.Request, j *journal, f following) {
	var out *eventStream
	defer func() {
		if out != nil {
			s.closeStream()
		}
	}()
	silence := time.NewTicker(s.cfg.keepAlive)
	defer silence.Stop()
	var ended <-chan struct{}
	if f.sess != nil {
		ended = f.sess.ctx.Done() // a POST waits for its response instead
	}
	lifetime := time.NewTimer(s.cfg.lifetime)
	defer lifetime.Stop()
	quiet := false
	for {
		now := j.read(f.from, f.seat)
		if out == nil && f.opens(j, now, quiet) {
			if !s.openStream() {
				if s.refuseStream(w, j, f) {
					return
				}
				continue
			}
			out = s.startLegacyStream(w, j, f)
		}
		if out == nil && now.over {
			s.finishLegacy(w, f.call, now)
			return
		}
		if out != nil {
			if copyEvents(out, j, &f, now) != nil || now.over || now.hungUp {
				return
			}
		}
		select {
		case <-now.changed:
		case <-silence.C:
			quiet = true
			if out != nil && out.keepAlive() != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-ended:
			return
		case <-lifetime.C:
			if f.call == nil {
				return
			}
		}
	}
}

// copyEvents writes what is new. An event counts as written before it is, so
// that a client that has it and comes back at once does not get it again.
func copyEvents(out *eventStream, j *journal, f *following, now reading) error {
	f.from = now.first
	for _, event := range now.events {
		j.wrote(f.from + 1)
		if err := out.message(j.eventID(f.from+1), event); err != nil {
			j.wrote(f.from)
			return err
		}
		f.from++
	}
	return nil
}

// refuseStream deals with a full house and reports whether the request has
// its answer: a GET is refused, a POST goes on without a stream.
func (s *Server) refuseStream(w http.ResponseWriter, j *journal, f following) bool {
	if f.call != nil {
		j.mute()
		return false
	}
	writeError(w, http.StatusServiceUnavailable, protocol.ID{}, fault(codeServer, "too many streams are open"))
	return true
}

// startLegacyStream opens the stream with a priming event, for clients whose
// version has those.
func (s *Server) startLegacyStream(w http.ResponseWriter, j *journal, f following) *eventStream {
	out := startEventStream(w)
	if sess := f.session(); sess != nil && sess.primes() && !f.resumed {
		_ = out.prime(j.eventID(f.from), s.cfg.retry) // a client that is gone shows at the next event
	}
	return out
}

// primes reports whether the session's version knows events without data.
func (s *session) primes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version >= "2025-11-25"
}

// finishLegacy sends a response as JSON. Only a lack of scope has a status.
func (s *Server) finishLegacy(w http.ResponseWriter, c *Call, end reading) {
	if scope := (*scopeError)(nil); errors.As(end.err, &scope) {
		s.refuseScope(w, c.id, scope)
		return
	}
	writeJSON(w, http.StatusOK, end.events[len(end.events)-1])
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
