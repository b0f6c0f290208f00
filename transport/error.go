package transport

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport/challenge"
)

// Sentinels for errors.Is.
var (
	// ErrUnauthorized: the server asks for authorization, or refuses what it
	// got. Matched by *AuthError. Nothing was done.
	ErrUnauthorized = errors.New("not authorized")
	// ErrUnavailable: the server could not be reached, or answers that it can't
	// serve now. Matched by *UnavailableError.
	ErrUnavailable = errors.New("server unavailable")
	// ErrClosed: the connection is closed, by Close or by the server's end.
	// What was under way may or may not have been done.
	ErrClosed = errors.New("connection closed")
	// ErrStreamEnded: a response stream ended without the response. What was
	// under way may or may not have been done.
	ErrStreamEnded = errors.New("the stream ended without a response")
	// ErrNoStream: the server offers no stream outside of requests. That is
	// normal.
	ErrNoStream = errors.New("the server offers no stream of its own")
	// ErrPermanent: a fault that no retry can mend, such as a certificate that
	// does not verify.
	ErrPermanent = errors.New("retrying can't help")
	// ErrHeldBack: the client itself did not send the request, by its circuit
	// breaker or its rate limit. The server was not asked.
	ErrHeldBack = errors.New("held back by the client")
)

// An AuthError means that the server answered 401 or 403. Nothing was done, and it
// says nothing about the era.
type AuthError struct {
	Origin    string // scheme, host and port
	Method    string // the JSON-RPC method that was refused
	Status    int    // 401 or 403
	Challenge string // the WWW-Authenticate header, as it came; may be ""
	// Err is what the server said, or why the transport's authorizer could not
	// get what it asked for; may be nil.
	Err error
}

// Challenges returns what the server asks for, read from Challenge.
func (e *AuthError) Challenges() []challenge.Challenge { return challenge.Parse(e.Challenge) }

func (e *AuthError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s refused %s with HTTP %d", e.Origin, e.Method, e.Status)
	if e.Err != nil {
		b.WriteString(": " + brief(e.Err))
	}
	if e.Challenge != "" {
		fmt.Fprintf(&b, "; it asks for %s", protocol.Quote(e.Challenge))
	}
	return b.String()
}

// Unwrap returns ErrUnauthorized and the cause.
func (e *AuthError) Unwrap() []error { return join(ErrUnauthorized, e.Err) }

// An UnavailableError means that the server could not be reached or could not
// serve, after the retries that the request allows. It says nothing about the
// era.
type UnavailableError struct {
	Origin     string        // scheme, host and port; a program's name over stdio
	Method     string        // the JSON-RPC method of the request
	Status     int           // the last HTTP status; 0 when none arrived
	Attempts   int           // how often the request was sent; 0: never
	RetryAfter time.Duration // the delay that the server asked for last, or a circuit breaker; 0 if none
	Err        error         // the last cause; may be nil when Status says it all
}

func (e *UnavailableError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is unavailable: %s", e.Origin, e.Method)
	if e.Status != 0 {
		fmt.Fprintf(&b, " got HTTP %d", e.Status)
	} else {
		b.WriteString(" got no answer")
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, ", %d times", e.Attempts)
	}
	if e.Err != nil {
		b.WriteString(": " + brief(e.Err))
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, "; it asks to wait %v", e.RetryAfter)
	}
	return b.String()
}

// Unwrap returns ErrUnavailable and the cause.
func (e *UnavailableError) Unwrap() []error { return join(ErrUnavailable, e.Err) }

// A TimeoutError means that no answer came in time. The request may have been
// carried out all the same.
type TimeoutError struct {
	Origin string // scheme, host and port; a program's name over stdio
	Method string // the JSON-RPC method of the request
	Err    error  // may be nil
}

func (e *TimeoutError) Error() string {
	s := fmt.Sprintf("%s did not answer %s in time", e.Origin, e.Method)
	if e.Err != nil && e.Err != context.DeadlineExceeded {
		s += ": " + brief(e.Err)
	}
	return s
}

// Timeout reports true, as net.Error does.
func (e *TimeoutError) Timeout() bool { return true }

// Unwrap returns context.DeadlineExceeded and the cause.
func (e *TimeoutError) Unwrap() []error { return join(context.DeadlineExceeded, e.Err) }

// A ServerError means that the server answered with a JSON-RPC error. errors.Is
// compares codes, as in errors.Is(err, protocol.ErrInvalidParams).
type ServerError struct {
	Origin string          // scheme, host and port; a program's name over stdio
	Method string          // the JSON-RPC method of the request
	Status int             // HTTP status; 0 over stdio
	Err    *protocol.Error // what the server said; never nil
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("%s: %s: %v", e.Origin, e.Method, e.Err)
}

// Unwrap returns the *protocol.Error.
func (e *ServerError) Unwrap() error { return e.Err }

// A StatusError means that the server gave an HTTP answer that is not MCP, or
// a redirect that was not followed.
type StatusError struct {
	Origin      string // scheme, host and port
	Method      string // the JSON-RPC method of the request
	Status      int    // HTTP status
	ContentType string // as it came; may be ""
	Location    string // of a redirect, without userinfo and query; else ""
	Said        string // the start of the body, quoted; "" when empty
	Err         error  // why a redirect was not followed that could have been; else nil
}

func (e *StatusError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s answered %s with HTTP %d", e.Origin, e.Method, e.Status)
	if e.Location != "" {
		fmt.Fprintf(&b, ", a redirect to %s: ", protocol.Quote(e.Location))
		if e.Err != nil {
			return b.String() + brief(e.Err)
		}
		return b.String() + "use that URL if you trust it"
	}
	if e.ContentType != "" {
		fmt.Fprintf(&b, " and type %s", protocol.Quote(e.ContentType))
	}
	if e.Said != "" {
		fmt.Fprintf(&b, ", saying %s", e.Said)
	}
	b.WriteString("; that is no MCP response")
	return b.String()
}

// Unwrap returns the cause.
func (e *StatusError) Unwrap() error { return e.Err }

// A MessageError means that what came is not the response that is due: not
// JSON-RPC, or under another id.
type MessageError struct {
	Origin string // scheme, host and port; a program's name over stdio
	Method string // the JSON-RPC method of the request
	Status int    // HTTP status; 0 over stdio
	Said   string // the start of what came, quoted; may be ""
	Err    error  // what is wrong with it
}

func (e *MessageError) Error() string {
	s := fmt.Sprintf("%s answered %s with an unusable message: %s", e.Origin, e.Method, brief(e.Err))
	if e.Said != "" {
		s += "; it said " + e.Said
	}
	return s
}

// Unwrap returns the cause.
func (e *MessageError) Unwrap() error { return e.Err }

// A LimitError means that something read was larger than a limit, which an
// option can raise.
type LimitError struct {
	What  string // "message", "event" or "line"
	Limit int64  // bytes
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s is larger than the limit of %d bytes", e.What, e.Limit)
}

// maxCause bounds how much of a cause an error text repeats: net/http and the
// JSON decoder quote without limit what a server sent.
const maxCause = 1000

// brief returns err's text, cut to a length fit for a log line.
func brief(err error) string {
	s := err.Error()
	if len(s) <= maxCause {
		return s
	}
	return strings.ToValidUTF8(s[:maxCause], "") + "…"
}

// join collects what an error unwraps to.
func join(sentinel, cause error) []error {
	if cause == nil {
		return []error{sentinel}
	}
	return []error{sentinel, cause}
}
