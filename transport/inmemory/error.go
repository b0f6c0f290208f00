package inmemory

import (
	"errors"
	"fmt"

	"github.com/mcpera/mcpera/transport"
)

// ErrStillRuns: the server did not return, although its input, its context and
// its output had ended. Its goroutine is left.
var ErrStillRuns = errors.New("inmemory: the server still runs")

// An EndError means that the server returned, or closed its output, without
// being asked to. What was under way may or may not have been done. It matches
// transport.ErrClosed.
type EndError struct {
	Err error // what the server returned, or why reading ended; nil for neither
}

func (e *EndError) Error() string {
	if e.Err == nil {
		return "the server ended"
	}
	return fmt.Sprintf("the server ended: %v", e.Err)
}

// Unwrap returns transport.ErrClosed and the cause.
func (e *EndError) Unwrap() []error {
	if e.Err == nil {
		return []error{transport.ErrClosed}
	}
	return []error{transport.ErrClosed, e.Err}
}
