package interop

import "github.com/mcpera/mcpera/transport"

// A Server is one that a test connects to. Make one with OverHTTP or OverStdio.
type Server struct {
	// reach returns a new transport to the server.
	reach func() (transport.Transport, error)
	// asked returns the methods of the messages that came to the server since it
	// was called last, in their order.
	asked func() ([]string, error)
}
