package conformance

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/mcpera/mcpera/protocol"
)

// errLifetime is why a request that ran for too long is cancelled.
var errLifetime = errors.New("the request took longer than it may")

// postModern serves a modern message: checks, then the method.
func (s *Server) postModern(w http.ResponseWriter, r *http.Request, m *protocol.Message, env envelope, p Principal) {
	if e := s.checkSessionOwner(r, p); e != nil {
		writeError(w, http.StatusBadRequest, m.ID, e)
		return
	}
	if m.IsNotification() {
		w.WriteHeader(http.StatusAccepted) // every modern notification is dropped
		return
	}
	if env.version != "" {
		e := checkHeaders(r.Header, m, env.version, s.cfg.versions, s.paramHeadersOf)
		if slices.Contains(s.modernVersions(), env.version) {
			w.Header().Set(headerVersion, env.version)
		}
		if e != nil {
			writeError(w, http.StatusBadRequest, m.ID, e)
			return
		}
	}
	c := s.newCall(m, env, p)
	if m.Method == methodListen {
		s.listenHTTP(w, r, c)
		return
	}
	s.answer(w, r, c)
}

// An exchange is one modern request on its way to an answer.
type exchange struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	c     *Call
	notes chan []byte    // from the tool, as long as it runs
	over  chan struct{}  // closed when nobody takes notes any more
	out   *eventStream   // nil until the stream opens
	plain bool           // the answer must be JSON
	reply chan modernEnd // has room for one
}

type modernEnd struct {
	message []byte
	err     error
}

// notify hands a notification to the handler, which may be writing.
func (x *exchange) notify(method string, params any) {
	select {
	case x.notes <- notification(method, params):
	case <-x.over:
	}
}

func (x *exchange) hangUp() {}

// answer runs a request and sends its answer: as JSON, or as an event stream
// from the first notification or keep-alive on. Only a tool call that asked
// for progress or logs may stream.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, c *Call) {
	x := &exchange{
		s: s, w: w, r: r, c: c,
		notes: make(chan []byte), over: make(chan struct{}), reply: make(chan modernEnd, 1),
	}
	defer close(x.over)
	streams := c.Method == protocol.MethodCallTool && (!c.token.IsZero() || c.logLevel != "") && accepts(r.Header, eventStreamType)
	x.plain = !streams
	if streams {
		c.link = x
	}
	ctx, cancel := s.bound(r.Context())
	defer cancel(nil)
	s.spawn(func() {
		message, err := s.respond(ctx, c)
		x.reply <- modernEnd{message, err}
	})
	x.relay(ctx, cancel)
	if x.out != nil {
		s.closeStream()
	}
}

// relay sends what the request has to say until its answer is there, or until
// it was cancelled and has had its time to stop.
func (x *exchange) relay(ctx context.Context, cancel context.CancelCauseFunc) {
	silence := time.NewTicker(x.s.cfg.keepAlive)
	defer silence.Stop()
	lifetime := time.NewTimer(x.s.cfg.lifetime)
	defer lifetime.Stop()
	cancelled, patience := ctx.Done(), (<-chan time.Time)(nil)
	for {
		var err error
		select {
		case note := <-x.notes:
			if x.open() {
				err = x.out.message("", note)
				silence.Reset(x.s.cfg.keepAlive)
			}
		case <-silence.C:
			if x.open() {
				err = x.out.keepAlive()
			}
		case end := <-x.reply:
			x.finish(end)
			return
		case <-lifetime.C:
			cancel(errLifetime)
		case <-cancelled:
			// A tool that reports on will be heard by nobody, but must not hang.
			cancelled, patience = nil, time.After(x.s.cfg.cancelTimeout)
			x.plain = x.plain || x.out == nil
		case <-patience:
			x.finish(x.givenUp(ctx))
			return
		}
		if err != nil {
			cancel(errCancelled)
		}
	}
}

// open opens the stream unless it is open, and reports whether it is. With no
// place for another stream the answer is JSON, without notifications.
func (x *exchange) open() bool {
	if x.out != nil || x.plain {
		return x.out != nil
	}
	if !x.s.openStream() {
		x.plain = true
		return false
	}
	x.out = startEventStream(x.w)
	return true
}

// finish sends the response.
func (x *exchange) finish(end modernEnd) {
	if x.out != nil {
		_ = x.out.message("", end.message) // a client that is gone misses it
		return
	}
	if scope := (*scopeError)(nil); errors.As(end.err, &scope) {
		x.s.refuseScope(x.w, x.c.id, scope)
		return
	}
	status := http.StatusOK
	if end.err != nil {
		status = modernStatus(asFault(x.c, end.err))
	}
	writeJSON(x.w, status, end.message)
}

// givenUp is the end of a request whose tool did not stop in time.
func (x *exchange) givenUp(ctx context.Context) modernEnd {
	e := internalError(context.Cause(ctx).Error())
	return modernEnd{errorMessage(x.c.id, e), e}
}
