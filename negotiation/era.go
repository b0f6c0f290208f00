package negotiation

import "time"

// An Era is one of the two generations of MCP. The zero Era is unknown.
type Era uint8

const (
	// UnknownEra is the era of a string that is no protocol version.
	UnknownEra Era = iota
	// Modern is 2026-07-28 and later: no handshake, every request carries its
	// version, client and capabilities in _meta.
	Modern
	// Legacy is 2025-11-25 and earlier: initialize opens a session.
	Legacy
)

// String returns "modern", "legacy" or "unknown".
func (e Era) String() string {
	switch e {
	case Modern:
		return "modern"
	case Legacy:
		return "legacy"
	default:
		return "unknown"
	}
}

const firstModern = "2026-07-28"

// EraOf returns the era of a protocol version: Modern for a date on or after
// 2026-07-28, Legacy for an earlier one, UnknownEra for anything that is not a
// date written YYYY-MM-DD.
func EraOf(version string) Era {
	if _, err := time.Parse(time.DateOnly, version); err != nil {
		return UnknownEra
	}
	if version >= firstModern {
		return Modern
	}
	return Legacy
}
