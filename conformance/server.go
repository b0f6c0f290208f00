package conformance

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// A Server serves both eras of MCP over HTTP, as an [http.Handler], and over
// stdio, as often as wanted and at once. It is safe for concurrent use. Close
// it before the http.Server that it stands behind.
type Server struct {
	cfg       *config
	tools     catalog[Tool]
	resources catalog[Resource]
	templates catalog[ResourceTemplate]
	prompts   catalog[Prompt]

	ids      *idSource
	key      stateKey
	sessions sessionStore
	hub      hub
	tasks    taskStore
	streams  chan struct{} // one token per open event stream

	ctx    context.Context // ends with Close
	cancel context.CancelCauseFunc
	mu     sync.Mutex // guards closed, and running.Add against running.Wait
	closed bool
	// running counts HTTP handlers, stdio connections, tools and tasks.
	running sync.WaitGroup
}

// errClosed is why everything ends when Close is called.
var errClosed = errors.New("the server is closed")

// New returns a server that is ready to serve. It panics when an option's
// value is out of its range, or when no protocol version is left to speak.
func New(opts ...Option) *Server {
	cfg := newConfig(opts)
	if len(cfg.versions) == 0 {
		panic("conformance: no protocol version to speak")
	}
	s := &Server{cfg: cfg, ids: newIDSource(cfg.seed), key: newStateKey(cfg.seed), streams: make(chan struct{}, cfg.maxStreams)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	if cfg.fixtures {
		putAll(&s.tools, s.fixtureTools())
		putAll(&s.resources, fixtureResources())
		putAll(&s.templates, fixtureTemplates())
		putAll(&s.prompts, fixturePrompts())
	}
	putAll(&s.tools, cfg.tools)
	putAll(&s.resources, cfg.resources)
	putAll(&s.templates, cfg.templates)
	putAll(&s.prompts, cfg.prompts)
	return s
}

func putAll[T item](c *catalog[T], items []T) {
	for _, item := range items {
		c.put(item)
	}
}

// Close ends every subscription with its final result, cancels what runs,
// forgets sessions and tasks, and returns when no goroutine of the server is
// left: at once, unless a tool does not heed its context. Requests that arrive
// later are answered 503. It may be called more than once, but not by a tool.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel(errClosed)
	s.running.Wait()
}

// enter counts the caller as running until it calls s.running.Done. It fails
// once the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.running.Add(1)
	return true
}

// spawn runs f in a goroutine that Close waits for. The caller is running
// itself, so that the count can't be at zero.
func (s *Server) spawn(f func()) {
	s.running.Go(f)
}

// bound makes a context that ends with Close, too.
func (s *Server) bound(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(errClosed) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// openStream takes one of the places for event streams, if there is one. The
// caller gives it back with closeStream.
func (s *Server) openStream() bool {
	select {
	case s.streams <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s *Server) closeStream() { <-s.streams }

// modernVersions are the modern versions that the server speaks.
func (s *Server) modernVersions() []string { return offered(s.cfg.versions, Modern) }

// legacyVersion is the version that initialize answers with.
func (s *Server) legacyVersion(requested string) string {
	spoken := offered(s.cfg.versions, Legacy)
	if slices.Contains(spoken, requested) || len(spoken) == 0 {
		return requested
	}
	return spoken[0]
}
