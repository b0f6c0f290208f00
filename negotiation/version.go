package negotiation

import (
	"errors"
	"slices"
)

// ErrNoCommonVersion means that client and server share no protocol version.
var ErrNoCommonVersion = errors.New("no common protocol version")

// Versions returns the protocol versions that this client offers, newest
// first. The slice is the caller's.
func Versions() []string {
	return []string{firstModern, "2025-11-25", "2025-06-18"}
}

// offered and accepted are the tables behind Versions and AcceptsLegacy.
var (
	offered      = Versions()
	legacySpoken = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
)

// LegacyVersion is the version that initialize offers: the newest legacy one.
//
// Source: MCP 2025-11-25, lifecycle, "Version Negotiation".
func LegacyVersion() string { return legacySpoken[0] }

// SpeaksLegacy reports whether version is one that a server may answer
// initialize with: the legacy ones of Versions, and 2025-03-26 and 2024-11-05,
// which this client never offers but can speak.
func SpeaksLegacy(version string) bool { return slices.Contains(legacySpoken, version) }

// HasBatches reports whether a peer that speaks version may send several
// messages as one JSON array.
//
// Source: MCP 2025-03-26, basic, "Batching"; no other version has it.
func HasBatches(version string) bool { return version == "2025-03-26" }

// PickVersion returns the first entry of client, which is in order of
// preference, that server lists too. A nil client stands for Versions. The
// error is ErrNoCommonVersion.
func PickVersion(server, client []string) (string, error) {
	if client == nil {
		client = offered
	}
	for _, v := range client {
		if slices.Contains(server, v) {
			return v, nil
		}
	}
	return "", ErrNoCommonVersion
}

// pickModern is PickVersion over the modern entries of client.
func pickModern(server, client []string) (string, bool) {
	if client == nil {
		client = offered
	}
	for _, v := range client {
		if EraOf(v) == EraModern && slices.Contains(server, v) {
			return v, true
		}
	}
	return "", false
}
