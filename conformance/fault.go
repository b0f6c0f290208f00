package conformance

import (
	"fmt"

	"github.com/mcpera/mcpera/protocol"
)

// Codes of this server's own, from the range that MCP gives no meaning to.
const (
	codeServer    = -32000 // insufficient scope; no room for another stream
	codeCancelled = -32800 // the request was cancelled
)

// ErrResourceNotFound is what a read function returns for a resource that does
// not exist. A legacy client sees -32002, a modern one -32602, both with the
// URI in data.
var ErrResourceNotFound = &protocol.Error{Code: protocol.CodeLegacyResourceNotFound, Message: "resource not found"}

func fault(code int64, format string, args ...any) *protocol.Error {
	return &protocol.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func invalidRequest(format string, args ...any) *protocol.Error {
	return fault(protocol.CodeInvalidRequest, format, args...)
}

func invalidParams(format string, args ...any) *protocol.Error {
	return fault(protocol.CodeInvalidParams, format, args...)
}

func headerMismatch(format string, args ...any) *protocol.Error {
	return fault(protocol.CodeHeaderMismatch, format, args...)
}

func methodNotFound(method string) *protocol.Error {
	return fault(protocol.CodeMethodNotFound, "method not found: %s", protocol.Quote(method))
}

func internalError(reason string) *protocol.Error {
	return fault(protocol.CodeInternal, "internal error: %s", reason)
}

// unsupportedVersion says which versions would do.
func unsupportedVersion(requested string, supported []string) *protocol.Error {
	e := fault(protocol.CodeUnsupportedVersion, "unsupported protocol version; this server speaks %q", supported)
	e.Data = mustEncode(struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}{supported, requested})
	return e
}

// missingCapability names what the client would have to declare.
func missingCapability(required protocol.ClientCapabilities) *protocol.Error {
	e := fault(protocol.CodeMissingClientCapability, "the request needs a client capability that it did not declare")
	e.Data = mustEncode(struct {
		Required protocol.ClientCapabilities `json:"requiredCapabilities"`
	}{required})
	return e
}

// scopeError is the answer to a principal that lacks a scope. Over HTTP it
// becomes 403 with a challenge.
type scopeError struct {
	scope string
}

func (e *scopeError) Error() string { return "insufficient scope" }

func (e *scopeError) wire() *protocol.Error { return fault(codeServer, "insufficient scope") }
