//go:build !unix

package soak_test

// hasChildren can't tell.
func hasChildren() bool { return false }
