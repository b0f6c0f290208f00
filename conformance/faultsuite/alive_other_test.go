//go:build !unix

package faultsuite_test

import "os"

// alive reports whether there is a process.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}
