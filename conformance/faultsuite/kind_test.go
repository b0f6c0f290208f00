package faultsuite_test

import kinds "github.com/mcpera/mcpera/conformance/internal/kind"

// The kinds of errors, short enough for the tables.
type kind = kinds.Kind

const (
	ok          = kinds.OK
	auth        = kinds.Auth
	unavailable = kinds.Unavailable
	timeout     = kinds.Timeout
	limited     = kinds.Limited
	exited      = kinds.Exited
	message     = kinds.Message
	status      = kinds.Status
	server      = kinds.Server
	undecided   = kinds.Undecided
	ended       = kinds.Ended
	canceled    = kinds.Canceled
	closed      = kinds.Closed
)
