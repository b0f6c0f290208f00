package conformance

import (
	"net/http"

	"github.com/mcpera/mcpera/protocol"
)

// modernStatus is the HTTP status of a modern response whose method ran: 200
// for a result and for the method's own errors.
func modernStatus(e *protocol.Error) int {
	if e == nil {
		return http.StatusOK
	}
	switch e.Code {
	case protocol.CodeHeaderMismatch, protocol.CodeMissingClientCapability, protocol.CodeUnsupportedVersion:
		return http.StatusBadRequest
	case protocol.CodeMethodNotFound:
		return http.StatusNotFound
	default:
		return http.StatusOK
	}
}
