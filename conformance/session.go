package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mcpera/mcpera/protocol"
)

// A session is what a legacy client and the server know of each other, from
// initialize on: over HTTP under an Mcp-Session-Id, over stdio for as long as
// the process lasts. It is safe for concurrent use.
type session struct {
	id        string // "" over stdio
	principal Principal
	ctx       context.Context // ends when the session does
	cancel    context.CancelCauseFunc
	// standing takes messages that belong to no request.
	standing func(message []byte)

	mu       sync.Mutex
	version  string
	client   protocol.Implementation
	caps     protocol.ClientCapabilities
	level    string
	watched  map[string]bool
	nextID   int64
	awaited  map[string]chan *protocol.Message // by the id of a server request
	running  map[string]context.CancelCauseFunc
	journals journals // of event streams, over HTTP
}

var (
	errSessionEnded = errors.New("the session has ended")
	errCancelled    = fmt.Errorf("cancelled by the client: %w", context.Canceled)
)

func newSession(ctx context.Context, id string, p Principal, standing func([]byte)) *session {
	s := &session{
		id: id, principal: p, standing: standing, level: "info",
		watched: map[string]bool{},
		awaited: map[string]chan *protocol.Message{},
		running: map[string]context.CancelCauseFunc{},
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s
}

// open records what initialize agreed on.
func (s *session) open(version string, p protocol.InitializeParams) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.client, s.caps = version, p.ClientInfo, p.Capabilities
}

// inform gives a call what the session knows.
func (s *session) inform(c *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.session, c.logLevel = s, s.level
	c.Version, c.Client, c.Capabilities = s.version, s.client, s.caps
}

func (s *session) setLevel(level string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = level
}

func (s *session) watch(uri string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on {
		s.watched[uri] = true
	} else {
		delete(s.watched, uri)
	}
}

// hear sends a change to the client if it is one that the client hears of.
func (s *session) hear(ch change) {
	s.mu.Lock()
	opened, watched := s.version != "", s.watched[ch.uri]
	s.mu.Unlock()
	if opened && (ch.kind.listChanged() || ch.kind == resourceUpdated && watched) {
		s.standing(ch.message(protocol.ID{}))
	}
}

// begin makes the context of a request, which a notifications/cancelled with
// its id cancels. The caller must call end.
func (s *session) begin(ctx context.Context, id protocol.ID) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id.String()] = cancel
	return ctx, func() {
		s.mu.Lock()
		delete(s.running, id.String())
		s.mu.Unlock()
		cancel(nil)
	}
}

// receive takes a notification or a response from the client.
func (s *session) receive(m *protocol.Message) {
	switch {
	case m.IsResponse():
		s.mu.Lock()
		waiting := s.awaited[m.ID.String()]
		delete(s.awaited, m.ID.String())
		s.mu.Unlock()
		if waiting != nil {
			waiting <- m // buffered
		}
	case m.Method == protocol.MethodCancelled:
		var p protocol.CancelledParams
		if bind(m.Params, &p) != nil {
			return
		}
		s.mu.Lock()
		cancel := s.running[p.RequestID.String()]
		s.mu.Unlock()
		if cancel != nil {
			cancel(errCancelled)
		}
	}
}

// expect makes the id of a request to the client and the channel that its
// response will come on.
func (s *session) expect() (protocol.ID, chan *protocol.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	id, response := protocol.NumberID(s.nextID), make(chan *protocol.Message, 1)
	s.awaited[id.String()] = response
	return id, response
}

func (s *session) forget(id protocol.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.awaited, id.String())
}

// A peer answers Ask in the legacy era: it sends requests to the client.
type peer struct {
	session *session
	send    func(message []byte)
	gone    <-chan struct{} // closed when nothing can be sent any more
}

// ask sends all inputs at once and waits for all answers.
func (p peer) ask(ctx context.Context, _ *Call, inputs []Input) (Answers, error) {
	answers := make(Answers, len(inputs))
	responses := make([]chan *protocol.Message, len(inputs))
	for i, in := range inputs {
		id, response := p.session.expect()
		defer p.session.forget(id)
		responses[i] = response
		p.send(protocol.AppendRequest(nil, id, in.Method, in.legacyParams()))
	}
	for i, in := range inputs {
		select {
		case m := <-responses[i]:
			if m.Error != nil {
				// As a text: the client's error is not the server's own.
				return nil, fmt.Errorf("the client refused %s: %s", in.Method, protocol.Quote(m.Error.Message))
			}
			if !in.fits(m.Result) {
				return nil, fmt.Errorf("the client's answer to %s has the wrong shape", in.Method)
			}
			answers[in.Key] = m.Result
		case <-p.gone:
			return nil, errors.New("the client can't be asked: no event stream is open")
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return answers, nil
}

// A sessionStore holds the sessions of HTTP clients. It is safe for concurrent
// use.
type sessionStore struct {
	mu  sync.Mutex
	all map[string]*session
}

// maxSessions is how many sessions a server keeps. initialize is refused
// beyond it.
const maxSessions = 10_000

// add keeps a session, and fails when there are too many.
func (st *sessionStore) add(s *session) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.all) >= maxSessions {
		return false
	}
	if st.all == nil {
		st.all = make(map[string]*session)
	}
	st.all[s.id] = s
	return true
}

func (st *sessionStore) snapshot() []*session {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.Collect(maps.Values(st.all))
}

func (st *sessionStore) get(id string) *session {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.all[id]
}

func (st *sessionStore) remove(s *session) {
	st.mu.Lock()
	delete(st.all, s.id)
	st.mu.Unlock()
	s.cancel(errSessionEnded)
}
