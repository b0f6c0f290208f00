package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A Server is what HTTP and Stdio have in common: it plays a script and
// records what the client does. Its methods may be called concurrently.
type Server struct {
	script Script
	log    *log
	life   context.Context // ends with Close
	end    context.CancelFunc

	mu      sync.Mutex // guards running against Close
	closed  bool
	running sync.WaitGroup
}

func newServer(s Script) *Server {
	life, end := context.WithCancel(context.Background())
	return &Server{script: s, log: newLog(), life: life, end: end}
}

// begin counts something that Close waits for; false after Close.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.running.Add(1)
	return true
}

// stop ends what is under way; wait for running afterwards.
func (s *Server) stop() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
}

// answer takes the steps for r, the n-th record with its key, and reports
// whether it came to the last.
func (s *Server) answer(ctx context.Context, r Record, n int, p peer) bool {
	e := &exchange{ctx: ctx, log: s.log, peer: p, record: r, n: n}
	err := e.run(s.script.answer(r, n))
	s.log.finish(r)
	if err != nil && !errors.Is(err, errOver) && r.Process == 0 && s.life.Err() == nil {
		r.Key = Left
		s.log.add(r)
	}
	return err == nil
}

// Records returns all that has happened, in order.
func (s *Server) Records() []Record {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return slices.Clone(s.log.records)
}

// Methods returns the methods of all messages that the client sent, in order;
// Response and Unreadable for what has none.
func (s *Server) Methods() []string {
	var methods []string
	for _, r := range s.Records() {
		if r.isMessage() {
			methods = append(methods, r.Key)
		}
	}
	return methods
}

// Count returns how many records there are with a key.
func (s *Server) Count(key string) int {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.count(key)
}

// Await waits for the n-th record with a key, counted from 1, and returns it.
// The error is the context's, with the records there are.
func (s *Server) Await(ctx context.Context, key string, n int) (Record, error) {
	var found Record
	err := s.log.wait(ctx, func(l *log) (ok bool) {
		found, ok = l.nth(key, n)
		return ok
	})
	if err != nil {
		return found, fmt.Errorf("waiting for %s, number %d: %w; so far %v", key, n, err, s.Records())
	}
	return found, nil
}

// Release lets all steps go on that Hold this name, now and later.
func (s *Server) Release(name string) {
	s.log.change(func() { s.log.released[name] = true })
}
