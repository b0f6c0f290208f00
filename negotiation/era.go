package negotiation

import "time"

// An Era is one of the two generations of MCP. The zero Era is unknown.
type Era uint8

const (
	// EraUnknown is the era of a string that is no protocol version.
	EraUnknown Era = iota
	// EraModern is 2026-07-28 and later: no handshake, every request carries its
	// version, client and capabilities in _meta.
	EraModern
	// EraLegacy is 2025-11-25 and earlier: initialize opens a session.
	EraLegacy
)

// String returns "modern", "legacy" or "unknown".
func (e Era) String() string {
	switch e {
	case EraModern:
		return "modern"
	case EraLegacy:
		return "legacy"
	default:
		return "unknown"
	}
}

const firstModern = "2026-07-28"

// EraOf returns the era of a protocol version: EraModern for a date on or after
// 2026-07-28, EraLegacy for an earlier one, EraUnknown for anything that is not a
// date written YYYY-MM-DD.
func EraOf(version string) Era {
	if _, err := time.Parse(time.DateOnly, version); err != nil {
		return EraUnknown
	}
	if version >= firstModern {
		return EraModern
	}
	return EraLegacy
}
