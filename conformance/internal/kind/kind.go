// Package kind names what a program learns from an error: its exported type.
// Tests use it to find the errors that have none.
package kind

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/stdio"
)

// A Kind is the exported type of an error, or the sentinel that it matches.
type Kind string

// The kinds of errors of a connection.
const (
	OK          Kind = "ok"
	Auth        Kind = "AuthError"
	Unavailable Kind = "UnavailableError"
	Timeout     Kind = "TimeoutError"
	Limited     Kind = "LimitError"
	Exited      Kind = "ExitError"
	Message     Kind = "MessageError"
	Status      Kind = "StatusError"
	Server      Kind = "ServerError"
	Undecided   Kind = "negotiation.Error"
	Version     Kind = "VersionError"
	ResultType  Kind = "ResultTypeError"
	Rounds      Kind = "RoundsError"
	Ended       Kind = "ErrSubscriptionEnded"
	NoChanges   Kind = "ErrNoSubscriptions"
	Closed      Kind = "ErrClosed"
	Canceled    Kind = "context.Canceled"
	Deadline    Kind = "context.DeadlineExceeded"
)

// Of returns the kind of err. What matches several is what comes first: a limit
// stands behind a broken message, an exit behind a closed connection. Of a
// failed Connect it is what decided.
func Of(err error) Kind {
	if err == nil {
		return OK
	}
	if both, is := errors.AsType[*client.ConnectError](err); is {
		err = both.Err
	}
	for _, k := range []struct {
		kind Kind
		is   bool
	}{
		{Limited, as[*transport.LimitError](err)},
		{Exited, as[*stdio.ExitError](err)},
		{Auth, as[*transport.AuthError](err)},
		{Unavailable, as[*transport.UnavailableError](err)},
		{Timeout, as[*transport.TimeoutError](err)},
		{Version, as[*client.VersionError](err)},
		{Undecided, as[*negotiation.Error](err)},
		{Message, as[*transport.MessageError](err)},
		{Status, as[*transport.StatusError](err)},
		{NoChanges, errors.Is(err, client.ErrNoSubscriptions)},
		{Server, as[*transport.ServerError](err)},
		{ResultType, as[*client.ResultTypeError](err)},
		{Rounds, as[*client.RoundsError](err)},
		{Ended, errors.Is(err, client.ErrSubscriptionEnded)},
		{Closed, errors.Is(err, client.ErrClosed)},
		{Canceled, errors.Is(err, context.Canceled)},
		{Deadline, errors.Is(err, context.DeadlineExceeded)},
	} {
		if k.is {
			return k.kind
		}
	}
	return Kind(fmt.Sprintf("%s %T: %v", untyped, err, err))
}

const untyped = "an untyped"

// Typed reports whether k is one of the kinds above.
func (k Kind) Typed() bool { return !strings.HasPrefix(string(k), untyped) }

func as[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}
