package lines

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask is a request with an id and parameters.
func ask(id int64, params string) *transport.Request {
	return &transport.Request{
		ID: protocol.NumberID(id), Method: "ask",
		Body: protocol.AppendRequest(nil, protocol.NumberID(id), "ask", []byte(params)),
	}
}
