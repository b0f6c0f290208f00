//go:build unix

package soak_test

import (
	"errors"
	"syscall"
)

// hasChildren reports whether a process that this one started is left, be it
// one that nobody has reaped.
func hasChildren() bool {
	_, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
	return !errors.Is(err, syscall.ECHILD)
}
