// Package transport is the contract between the client and the ways to reach
// a server: Streamable HTTP (transport/http), a child process
// (transport/stdio), or one of your own.
//
// A transport moves messages and reports what happened. It never decides an
// era and never asks which one a message belongs to beyond what Request says.
//
// Programs make one by New of transport/http, transport/stdio or
// transport/inmemory, give it to client.Connect, and need no more of this package
// than its errors: AuthError, UnavailableError, TimeoutError, ServerError,
// StatusError, MessageError and LimitError.
//
// A custom transport frames and correlates JSON-RPC messages as it likes, as
// long as Exchange returns the response to its own request. Over a byte
// stream, use the framing of stdio: one message per line.
package transport

import (
	"context"
	"net/url"
	"path/filepath"

	"github.com/mcpera/mcpera/internal/origin"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// A Transport carries messages to one server. Methods may be called
// concurrently, but Open comes first and once.
type Transport interface {
	// Kind tells which rows of the decision table apply.
	Kind() negotiation.Transport

	// Target says which server this is, for the era cache, errors and logs.
	Target() Target

	// Open makes the transport ready: it starts a process, or does nothing. From
	// then on every message that is no response to an Exchange goes to r. An
	// error means that nothing was started. The context bounds Open alone.
	Open(ctx context.Context, r Receiver) error

	// Exchange sends one request and waits for what comes of it: a response, a
	// refusal or a failure, all told by the Outcome. It returns soon after ctx
	// ends, and does not tell the server by itself; over HTTP the end of ctx
	// closes the response stream. Whether the client tells it follows from the
	// Attempts of the Outcome: 0 says that nothing was sent.
	Exchange(ctx context.Context, req *Request) negotiation.Outcome

	// Send sends one message that has no response: a notification, or a
	// response to a server's request. Over HTTP nil means that the server
	// accepted it.
	Send(ctx context.Context, req *Request) error

	// Close ends the transport and everything it started, and waits for it.
	// Exchanges under way end with a failure. It may be called more than once;
	// later calls return what the first did.
	Close() error
}

// A Receiver takes what a server sends of its own accord: notifications, and
// in the legacy era requests. Messages of one stream come in their order, on
// the goroutine that reads the stream, so Receive must not wait for another
// message of the same server. on is the request whose response stream carried
// the message, nil when the stream is shared by all.
type Receiver interface {
	Receive(msg *protocol.Message, on *Request)
}

// A Restarter is a transport that can begin anew: a stdio transport whose
// process left, on the probe or later.
type Restarter interface {
	// Restart ends what is left of the connection and opens another. What was under
	// way ends before it returns.
	Restart(ctx context.Context) error
}

// A LossReporter is a transport that tells when its connection is lost, even
// when nothing is sent.
type LossReporter interface {
	// Lost returns a channel that is closed once the connection that is there now
	// is no more, for whatever reason. It is closed when there is none.
	Lost() <-chan struct{}
}

// A SessionEnder is a transport with legacy sessions that can be ended.
type SessionEnder interface {
	// EndSession tells the server that a session is over. What the server
	// answers does not matter.
	//
	// Source: MCP 2025-11-25, transports, "Session Management".
	EndSession(ctx context.Context, version, session string) error
}

// A Listener is a transport with a stream for what a legacy server sends
// outside of any request.
type Listener interface {
	// Listen opens the stream and gives what comes to the Receiver, until ctx
	// ends. It takes a broken stream up again where it broke. req says which
	// version and session this is; its other fields are not used. It calls opened
	// once the server has answered: from then on nothing is missed.
	//
	// The error is ErrNoStream when the server offers none, which is normal;
	// another one when the stream was lost and could not be had again; that of
	// ctx when it ended.
	//
	// Source: MCP 2025-11-25, transports, "Listening for Messages from the
	// Server".
	Listen(ctx context.Context, req *Request, opened func()) error
}

// A Sharer is a transport that can change to the oldest way of HTTP: one event
// stream for all answers, and a URL to post to that its first event names.
type Sharer interface {
	// Share asks the server for that stream, and changes to it when it comes.
	// An error leaves the transport as it was.
	//
	// Source: MCP 2025-11-25, transports, "Backwards Compatibility".
	Share(ctx context.Context) error
}

// A Request is one encoded message, with what a transport must know to send
// it. Transports do not change it.
type Request struct {
	// ID is the JSON-RPC id; zero when no response is due.
	ID protocol.ID
	// Method is the JSON-RPC method; "" for a response.
	Method string
	// Name is what the method is about: a tool's or prompt's name, a resource's
	// URI, a task's id. Modern HTTP requests carry it in Mcp-Name.
	Name string
	// Body is the whole JSON-RPC message, on one line.
	Body []byte
	// Era and Version are those of the connection. A legacy initialize has no
	// Version yet.
	Era     negotiation.Era
	Version string
	// Session is the legacy session id, "" when there is none. It is a secret.
	Session string
	// Params are the Mcp-Param-* headers of a modern tools/call, by the full
	// header name, already encoded.
	Params map[string]string
	// Idempotent requests may be sent again after a fault or a refusal.
	Idempotent bool
	// Once is set when the caller repeats the request itself: the transport
	// tries it a single time, even when nothing reached the server.
	Once bool
	// Sent, if set, is to be called when the message is on a stream that all
	// requests share, or can't be: what is sent after that comes after it.
	Sent func()
	// MaxAnswer bounds the answer in bytes, below the transport's own limit; 0 stands
	// for that.
	MaxAnswer int64
}

// A Target names a server. The zero value names none.
type Target struct {
	// URL is the endpoint of an HTTP server. It may hold secrets.
	URL *url.URL
	// Command is the program and arguments of a stdio server. They may be
	// secrets.
	Command []string
	// Principal tells apart the credentials that this transport sends, without
	// revealing them; "" when it sends none. Private answers are shared only
	// within one principal.
	Principal string
}

// Named reports whether the target tells one server from another. What is found
// out about an unnamed one is remembered for nobody else.
func (t Target) Named() bool { return t.URL != nil || len(t.Command) > 0 }

// String returns what may be shown: the URL's origin, or the name of the
// program.
func (t Target) String() string {
	switch {
	case t.URL != nil:
		return origin.Of(t.URL)
	case len(t.Command) > 0:
		return filepath.Base(t.Command[0])
	default:
		return "server"
	}
}
