package stdio

import (
	"fmt"
	"os"
	"strings"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A StartError means that the command could not be started.
type StartError struct {
	Command string // the program's name, without arguments
	Err     error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("start %s: %v", e.Command, e.Err)
}

// Unwrap returns the cause, such as exec.ErrNotFound.
func (e *StartError) Unwrap() error { return e.Err }

// An ExitError means that the server process ended, or closed its standard
// output, without being asked to. What was under way may or may not have been
// done. It matches transport.ErrClosed.
type ExitError struct {
	Command string           // the program's name, without arguments
	State   *os.ProcessState // nil when the process still ran
	Stderr  string           // the end of its standard error; see WithKeptStderr
	Err     error            // why reading ended, when not by the process's end
}

func (e *ExitError) Error() string {
	var b strings.Builder
	b.WriteString(e.Command)
	if e.State != nil {
		fmt.Fprintf(&b, " exited (%s)", e.State)
	} else {
		b.WriteString(" closed its output")
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if said := strings.TrimSpace(e.Stderr); said != "" {
		fmt.Fprintf(&b, "; its stderr ends with %s", protocol.Quote(lastBytes(said)))
	}
	return b.String()
}

// lastBytes returns the end of s that Quote shows whole.
func lastBytes(s string) string {
	const n = 300
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}

// Unwrap returns transport.ErrClosed and the cause.
func (e *ExitError) Unwrap() []error {
	if e.Err == nil {
		return []error{transport.ErrClosed}
	}
	return []error{transport.ErrClosed, e.Err}
}
