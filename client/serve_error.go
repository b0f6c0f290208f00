package client

import (
	"errors"
	"fmt"
	"net"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// ErrUndeclared is matched by *UndeclaredError.
var ErrUndeclared = errors.New("the client did not declare it")

// An UndeclaredError means that a server asked for what the client did not
// declare, because the program's handler does not serve it.
type UndeclaredError struct {
	Method string // what the server asked for, such as "sampling/createMessage"
	What   string // what was not declared, in words
}

func (e *UndeclaredError) Error() string {
	return fmt.Sprintf("the server sent %s, but the client did not declare %s", protocol.Quote(e.Method), e.What)
}

// Unwrap returns ErrUndeclared.
func (e *UndeclaredError) Unwrap() error { return ErrUndeclared }

// A RequestError means that what a server asked for is malformed or unsafe.
type RequestError struct {
	Method string // what the server asked for, such as "elicitation/create"
	Err    error  // what is wrong with it; never nil
}

func (e *RequestError) Error() string {
	return fmt.Sprintf("the server sent a bad %s: %v", e.Method, e.Err)
}

// Unwrap returns the cause.
func (e *RequestError) Unwrap() error { return e.Err }

// A HandlerError means that the program's handler failed: it returned an
// error, panicked, or gave no valid answer.
type HandlerError struct {
	Method string // what the handler was to serve, such as "elicitation/create"
	Err    error  // what it returned, or why its answer will not do; never nil
	Stack  []byte // of a panic, else nil
}

func (e *HandlerError) Error() string {
	return fmt.Sprintf("the handler for %s failed: %v", e.Method, e.Err)
}

// Unwrap returns the cause.
func (e *HandlerError) Unwrap() error { return e.Err }

// serverSide returns what a legacy server is told when serve failed. A handler
// chooses it by returning a *protocol.Error; other errors of the program stay
// in the program.
//
// Source: MCP 2025-11-25, client/*, "Error Handling".
func serverSide(err error) (code int64, message string) {
	var chosen *protocol.Error
	var undeclared *UndeclaredError
	var bad *RequestError
	switch {
	case errors.As(err, new(*transport.ServerError)): // of another call, and not for this server
		return protocol.CodeInternal, "the client could not answer"
	case errors.As(err, &chosen):
		return chosen.Code, chosen.Message
	case errors.As(err, &undeclared) && (undeclared.What == "sampling" || undeclared.What == "roots" || undeclared.What == "the method"):
		return protocol.CodeMethodNotFound, "method not found"
	case errors.As(err, &undeclared):
		return protocol.CodeInvalidParams, "the client did not declare " + undeclared.What
	case errors.As(err, &bad):
		return protocol.CodeInvalidParams, bad.Err.Error()
	default:
		return protocol.CodeInternal, "the client could not answer"
	}
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
