package protocol

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error codes of JSON-RPC 2.0 and of MCP. Codes from -32000 to -32019 have no
// meaning shared between implementations, and this package gives them none,
// but for CodeLegacyResourceNotFound.
//
// Source: MCP 2026-07-28, basic, "Error Codes".
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603

	// CodeHeaderMismatch: an HTTP header is missing, malformed, or disagrees
	// with the body. Modern era only.
	CodeHeaderMismatch = -32020
	// CodeMissingClientCapability: the request needs a client capability that
	// it did not declare. Modern era only.
	CodeMissingClientCapability = -32021
	// CodeUnsupportedVersion: the server does not implement the request's
	// protocol version; Error.Data lists those that it does. Modern era only.
	CodeUnsupportedVersion = -32022

	// CodeLegacyResourceNotFound: a resource does not exist. Legacy era only;
	// the modern era uses CodeInvalidParams.
	CodeLegacyResourceNotFound = -32002
	// CodeURLElicitationRequired: a URL elicitation must be finished before
	// the request can succeed. Version 2025-11-25 only.
	CodeURLElicitationRequired = -32042
)

// Sentinels for errors.Is, which compares by code: errors.Is(err,
// ErrMethodNotFound) holds for any Error that has that code.
var (
	ErrMethodNotFound = &Error{Code: CodeMethodNotFound, Message: "method not found"}
	ErrInvalidParams  = &Error{Code: CodeInvalidParams, Message: "invalid params"}
)

// An Error is the error member of a JSON-RPC response: what the server said,
// never an error that the client raised itself.
type Error struct {
	Code    int64          `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"`
}

// maxQuoted bounds how much of the server's own words an error text repeats.
const maxQuoted = 300

// Error gives the code and the server's message, quoted and bounded.
func (e *Error) Error() string {
	return fmt.Sprintf("server error %d: %s", e.Code, Quote(e.Message))
}

// Is reports whether target is an Error with the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// SupportedVersions returns the protocol versions that a
// CodeUnsupportedVersion error lists in its data, in the server's order; nil
// for any other error or when the data has another shape.
func (e *Error) SupportedVersions() []string {
	if e.Code != CodeUnsupportedVersion || e.Data.Kind() != '{' {
		return nil
	}
	var data struct {
		Supported []string `json:"supported"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return nil
	}
	return data.Supported
}

// Quote returns what a server said in a form fit for an error or a log line:
// quoted, with control characters escaped, and cut after 300 bytes.
func Quote[T ~string | ~[]byte](said T) string {
	if len(said) > maxQuoted {
		return fmt.Sprintf("%q…", string(said[:maxQuoted]))
	}
	return fmt.Sprintf("%q", string(said))
}
