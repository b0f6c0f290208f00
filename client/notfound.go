package client

import (
	"errors"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// ErrResourceNotFound is matched by the error of ReadResource when the server
// says that there is no such resource: with -32602 in the modern era, -32002 in
// the legacy one. A modern server says -32602 for a URI that it can't read too.
//
// Source: MCP 2026-07-28, server/resources, "Error Handling".
var ErrResourceNotFound = errors.New("resource not found")

// notFoundError ties a server's error to ErrResourceNotFound.
type notFoundError struct{ *transport.ServerError }

func (e *notFoundError) Unwrap() []error { return []error{ErrResourceNotFound, e.ServerError} }

// notFound marks err when it says that a resource does not exist.
func notFound(err error) error {
	server, ok := errors.AsType[*transport.ServerError](err)
	if ok && (server.Err.Code == protocol.CodeInvalidParams || server.Err.Code == protocol.CodeLegacyResourceNotFound) {
		return &notFoundError{server}
	}
	return err
}
