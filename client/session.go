package client

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A session is one era's way to speak: how a message is written, what a result
// must look like, how things end. The rest of the client never asks which era
// it is in.
type session interface {
	server() serverDetails
	// request returns the message for a method, ready to send. name is what the
	// method is about, for Mcp-Name; params is a JSON object.
	request(id protocol.ID, method, name string, params jsontext.Value) *transport.Request
	// result checks a result that came, and returns it.
	result(raw jsontext.Value) (jsontext.Value, error)
	// cancels reports whether the server is told by a notification that a
	// request is no longer wanted; where not, the end of its stream tells.
	cancels(kind negotiation.Transport) bool
	// answers reports whether the server may send requests.
	answers() bool
	// end takes leave of the server.
	end(ctx context.Context)
}

// serverDetails is what a server said of itself when the session opened.
type serverDetails struct {
	era          negotiation.Era
	version      string
	info         protocol.Implementation
	capabilities protocol.ServerCapabilities
	instructions string
}
