package faultsuite_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/stdio"
)

// A kind is what a program learns from an error: its exported type.
type kind string

const (
	ok          kind = "ok"
	auth        kind = "AuthError"
	unavailable kind = "UnavailableError"
	timeout     kind = "TimeoutError"
	limited     kind = "LimitError"
	exited      kind = "ExitError"
	message     kind = "MessageError"
	status      kind = "StatusError"
	server      kind = "ServerError"
	undecided   kind = "negotiation.Error"
	unknownType kind = "ResultTypeError"
	tooMany     kind = "RoundsError"
	ended       kind = "ErrSubscriptionEnded"
	noChanges   kind = "ErrNoSubscriptions"
	canceled    kind = "context.Canceled"
	closed      kind = "ErrClosed"
)

// kindOf returns the kind of err. What matches several is what comes first: a
// limit stands behind a broken message, an exit behind a closed connection.
func kindOf(err error) kind {
	if err == nil {
		return ok
	}
	if both, is := errors.AsType[*client.ConnectError](err); is {
		err = both.Err // what decided
	}
	for _, k := range []struct {
		kind kind
		is   bool
	}{
		{limited, as[*transport.LimitError](err)},
		{exited, as[*stdio.ExitError](err)},
		{auth, as[*transport.AuthError](err)},
		{unavailable, as[*transport.UnavailableError](err)},
		{timeout, as[*transport.TimeoutError](err)},
		{undecided, as[*negotiation.Error](err)},
		{message, as[*transport.MessageError](err)},
		{status, as[*transport.StatusError](err)},
		{noChanges, errors.Is(err, client.ErrNoSubscriptions)},
		{server, as[*transport.ServerError](err)},
		{unknownType, as[*client.ResultTypeError](err)},
		{tooMany, as[*client.RoundsError](err)},
		{ended, errors.Is(err, client.ErrSubscriptionEnded)},
		{closed, errors.Is(err, client.ErrClosed)},
		{canceled, errors.Is(err, context.Canceled)},
	} {
		if k.is {
			return k.kind
		}
	}
	return kind(fmt.Sprintf("an untyped %T: %v", err, err))
}

func as[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}
