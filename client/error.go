package client

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// ErrClosed is returned by calls on a closed Client.
var ErrClosed = transport.ErrClosed

// A ConnectError means that Connect could not agree on an era with the server,
// or could not open it. Use errors.As to learn more: *transport.AuthError,
// *transport.UnavailableError, *negotiation.Error and others stand behind it.
type ConnectError struct {
	Target string // origin or program, never a secret
	Err    error  // what decided
	// Other is what the other way to open the server met, where both were tried;
	// else nil.
	Other error
	// Stderr is the end of what a server process wrote there, "" when nothing.
	Stderr string
}

func (e *ConnectError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "connect to %s: %v", e.Target, e.Err)
	if e.Other != nil {
		fmt.Fprintf(&b, " (also: %v)", e.Other)
	}
	if said := strings.TrimSpace(e.Stderr); said != "" {
		fmt.Fprintf(&b, "; its stderr ends with %s", protocol.Quote(said[max(0, len(said)-300):]))
	}
	if e.pinHelps() {
		b.WriteString("; this says nothing about the era: if the server is known to be legacy, pin it with client.WithEra(negotiation.EraLegacy)")
	}
	return b.String()
}

// pinHelps reports whether the server refused the probe itself.
func (e *ConnectError) pinHelps() bool {
	var refused *transport.AuthError
	var down *transport.UnavailableError
	return errors.As(e.Err, &refused) && refused.Method == protocol.MethodDiscover ||
		errors.As(e.Err, &down) && down.Method == protocol.MethodDiscover && down.Status != 0
}

// Unwrap returns Err and then Other.
func (e *ConnectError) Unwrap() []error {
	if e.Other == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Other}
}

// A VersionError means that a legacy server answered initialize with a version
// that this client does not speak. It matches negotiation.ErrNoCommonVersion.
type VersionError struct {
	Origin   string // scheme, host and port; a program's name over stdio
	Offered  string // the version in initialize
	Answered string // the server's, as it came
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s answered initialize with protocol version %s; %s was offered", e.Origin, protocol.Quote(e.Answered), e.Offered)
}

// Unwrap returns negotiation.ErrNoCommonVersion.
func (e *VersionError) Unwrap() error { return negotiation.ErrNoCommonVersion }

// A ResultTypeError means that a modern server answered with a resultType that
// the call can't use.
//
// Source: MCP 2026-07-28, basic, "ResultType".
type ResultTypeError struct {
	Type string
}

func (e *ResultTypeError) Error() string {
	return fmt.Sprintf("the result has resultType %s, which this call does not know", protocol.Quote(e.Type))
}

// A PageError means that a list could not be read to its end. What was read
// before it is not lost: the iterator has yielded it.
type PageError struct {
	Method string // the list's, such as "tools/list"
	Pages  int    // how many pages were read
	Err    error  // never nil
}

func (e *PageError) Error() string {
	return fmt.Sprintf("%s: after %d pages: %v", e.Method, e.Pages, e.Err)
}

// Unwrap returns the cause: ErrRepeatedCursor, ErrTooManyPages, or what the
// call for the next page met.
func (e *PageError) Unwrap() error { return e.Err }

// Causes of a PageError.
var (
	ErrRepeatedCursor = errors.New("the server gave a cursor that it had given before")
	ErrTooManyPages   = errors.New("the list has more pages; client.WithMaxPages sets the limit")
)
