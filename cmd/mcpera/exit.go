package main

import (
	"errors"
	"fmt"
)

// The exit codes. The help of the root command lists them.
const (
	exitDone         = 0
	exitFailed       = 1 // the tool or the server said so, or a demonstration failed
	exitUsage        = 2
	exitNoConnection = 3
	exitProtocol     = 4
	exitInterrupted  = 130 // as a shell has it for SIGINT
)

// A reported error ends a command with an exit code when the output has said
// why.
type reported int

func (reported) Error() string { return "reported" }

// errReported: the tool failed, or a demonstration did.
var errReported error = reported(exitFailed)

// errInterrupted: the user ended the command by a signal.
var errInterrupted = errors.New("interrupted")

// A usageError means that the command line itself is wrong. Its text never
// repeats a header or a URL.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}
