package interop

import (
	"testing"

	"github.com/mcpera/mcpera/transport"
)

// A Server is one that a test connects to. Make one with OverHTTP or OverStdio.
type Server struct {
	reach func() (transport.Transport, error)
	asked func() ([]string, error)
}

// Transport returns a new transport to the server.
func (s *Server) Transport(t testing.TB) transport.Transport {
	t.Helper()
	tr, err := s.reach()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Asked returns the methods of the messages that came to the server since it
// was called last, in their order. Over stdio the record is complete once the
// client is closed.
func (s *Server) Asked(t testing.TB) []string {
	t.Helper()
	methods, err := s.asked()
	if err != nil {
		t.Errorf("no record of what the server was asked: %v", err)
	}
	return methods
}
