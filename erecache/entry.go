package erecache

import (
	"errors"
	"time"

	"github.com/mcpera/mcpera/negotiation"
)

// ErrInvalidEntry means that a verdict names no era, or a version of another
// era. Such a verdict is never remembered.
var ErrInvalidEntry = errors.New("not a verdict: no era, or a version of another era")

// An Entry is a verdict: what a server speaks, and when that was found out.
type Entry struct {
	Era       negotiation.Era
	Version   string // the protocol version, of Era
	DecidedAt time.Time
}

// Equal reports whether e and other are the same verdict: era, version and
// instant.
func (e Entry) Equal(other Entry) bool {
	return e.Era == other.Era && e.Version == other.Version && e.DecidedAt.Equal(other.DecidedAt)
}

// check returns ErrInvalidEntry for what must not be stored.
func (e Entry) check() error {
	if e.Era == negotiation.EraUnknown || e.Era != negotiation.EraOf(e.Version) {
		return ErrInvalidEntry
	}
	return nil
}

// trusted reports whether e counts at now. A stamp in the future means that
// the clock was set back; trusting it could mean trusting it for years.
func (e Entry) trusted(now time.Time, ttl time.Duration) bool {
	age := now.Sub(e.DecidedAt)
	return 0 <= age && age <= ttl
}
