package client

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A session is one era's way to speak: how a message is written, what a result
// must look like, how things end. The rest of the client rarely asks which era
// it is in.
type session interface {
	server() serverDetails
	// request writes a message, ready to send.
	request(id protocol.ID, m outgoing) *transport.Request
	// resultType tells complete results from those that ask for more.
	resultType(raw jsontext.Value) (string, error)
	// cancels reports whether the server is told by a notification that a
	// request is no longer wanted; where not, the end of its stream tells.
	cancels(kind negotiation.Transport) bool
	// answers reports whether the server may send requests.
	answers() bool
	// lost reports whether an outcome says that the server has forgotten the
	// session that the request named, and did nothing else.
	lost(req *transport.Request, o negotiation.Outcome) bool
	// reopen opens the session anew, as the one of a server that knows nothing of
	// it. Nothing must be sent meanwhile that depends on it.
	reopen(ctx context.Context) error
	// end takes leave of the server.
	end(ctx context.Context)
}

// An outgoing message is what a session writes in its era's form.
type outgoing struct {
	method string
	name   string         // what the method is about, for Mcp-Name
	params jsontext.Value // a JSON object, or nil
	meta   []byte         // members for _meta, comma-separated, or nil
}

// serverDetails is what a server said of itself when the session opened.
type serverDetails struct {
	era          negotiation.Era
	version      string
	info         protocol.Implementation
	capabilities protocol.ServerCapabilities
	instructions string
}

// encode writes a message whose _meta has the members meta and those of m. Each
// may be empty.
func encode(id protocol.ID, m outgoing, meta []byte) []byte {
	const punctuation = 96 // what stands around them
	body := make([]byte, 0, len(m.method)+len(meta)+len(m.meta)+len(m.params)+punctuation)
	if len(meta)+len(m.meta) == 0 {
		return protocol.AppendRequest(body, id, m.method, m.params)
	}
	body = protocol.AppendRequest(body, id, m.method, nil)
	body = append(body[:len(body)-1], `,"params":{"_meta":{`...)
	body = append(body, meta...)
	if len(meta) > 0 && len(m.meta) > 0 {
		body = append(body, ',')
	}
	body = append(body, m.meta...)
	body = append(body, '}')
	if len(m.params) > len(`{}`) {
		body = append(body, ',')
		body = append(body, m.params[1:len(m.params)-1]...)
	}
	return append(body, "}}"...)
}
