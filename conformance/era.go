package conformance

import "slices"

// An Era says which generation of the protocol a server offers, or which one a
// request belongs to.
type Era uint8

const (
	// Both serves modern and legacy requests side by side. No request is Both.
	Both Era = iota
	// Modern is 2026-07-28 and later: every request carries its version and
	// the client's capabilities.
	Modern
	// Legacy is 2025-11-25 and earlier: initialize opens a session.
	Legacy
)

// String returns "both", "modern" or "legacy".
func (e Era) String() string {
	switch e {
	case Modern:
		return "modern"
	case Legacy:
		return "legacy"
	default:
		return "both"
	}
}

// firstModern is the version that began the modern era.
const firstModern = "2026-07-28"

// isModern reports whether version is a modern one. Versions are dates, so
// their order is that of their text.
func isModern(version string) bool { return len(version) == len(firstModern) && version >= firstModern }

// offered returns those of versions that belong to eras, in order.
func offered(versions []string, eras Era) []string {
	return slices.DeleteFunc(slices.Clone(versions), func(v string) bool {
		return eras == Modern && !isModern(v) || eras == Legacy && isModern(v)
	})
}
