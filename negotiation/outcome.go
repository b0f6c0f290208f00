package negotiation

import (
	"time"

	"github.com/mcpera/mcpera/protocol"
)

// A Transport is the kind of transport that an outcome was observed on. The
// rows of the table differ between the two.
type Transport uint8

const (
	// Stdio is a child process, or any other byte stream shared by all
	// messages.
	Stdio Transport = iota
	// HTTP is Streamable HTTP: every request has a response of its own.
	HTTP
)

// String returns "stdio" or "HTTP".
func (t Transport) String() string {
	if t == HTTP {
		return "HTTP"
	}
	return "stdio"
}

// A Failure is a way for an exchange to end without a complete answer.
type Failure uint8

const (
	// NoFailure: an answer came, whatever it says.
	NoFailure Failure = iota
	// TimedOut: the time for this exchange passed.
	TimedOut
	// NetworkError: the connection could not be made, or broke before the
	// answer was complete.
	NetworkError
	// Closed: over stdio, the process exited or closed its output.
	Closed
	// Canceled: the caller gave up. It says nothing about the server.
	Canceled
)

// String names the failure in a few words, such as "timeout".
func (f Failure) String() string {
	switch f {
	case NoFailure:
		return "none"
	case TimedOut:
		return "timeout"
	case NetworkError:
		return "network error"
	case Closed:
		return "server process exited"
	case Canceled:
		return "canceled by the caller"
	default:
		return "unknown failure"
	}
}

// An Outcome is what happened to one request, as a transport saw it. A
// transport fills in what it knows and judges nothing.
//
// Only the fields before Err matter to ClassifyProbe and Evidence.
type Outcome struct {
	// Failure is set when no complete answer arrived; Err then says why.
	Failure Failure
	// Status is the HTTP status, 0 over stdio or when none arrived.
	Status int
	// ContentType is the HTTP Content-Type, as it came.
	ContentType string
	// Message is the answer, when the transport has already decoded it.
	Message *protocol.Message
	// Body is the answer's raw bytes, when it has not: one JSON-RPC message or,
	// if ContentType says so, an event stream. Transports bound it.
	Body []byte
	// RequestID is the id of the request that this is the outcome of. The zero
	// ID lets any id pass.
	RequestID protocol.ID
	// RetryAfter is the delay that the server asked for, 0 when it named none.
	RetryAfter time.Duration

	// Err is the cause of Failure, or of an answer that could not be read.
	Err error
	// Challenge is the WWW-Authenticate header of the answer, fields joined by
	// ", ".
	Challenge string
	// Location is where a redirect that was not followed points, without
	// userinfo and query.
	Location string
	// Session is the legacy session id that came with the answer. It is a
	// secret: never print it.
	Session string
	// Attempts is how often the request was sent: more than 1 after retries, 0
	// when it certainly never reached the server.
	Attempts int
}
