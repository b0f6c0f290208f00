//go:build unix

package faultsuite_test

import "syscall"

// alive reports whether there is a process, be it one that nobody has reaped.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }
