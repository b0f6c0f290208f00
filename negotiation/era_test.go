package negotiation_test

import (
	"fmt"
	"testing"

	"github.com/mcpera/mcpera/negotiation"
)

func TestEraOf(t *testing.T) {
	for version, want := range map[string]negotiation.Era{
		"2026-07-28": negotiation.EraModern,
		"2026-07-29": negotiation.EraModern,
		"2026-08-01": negotiation.EraModern,
		"2027-01-01": negotiation.EraModern,
		"9999-12-31": negotiation.EraModern,

		"2026-07-27": negotiation.EraLegacy,
		"2026-06-30": negotiation.EraLegacy,
		"2025-11-25": negotiation.EraLegacy,
		"2025-06-18": negotiation.EraLegacy,
		"2025-03-26": negotiation.EraLegacy,
		"2024-11-05": negotiation.EraLegacy,
		"2024-02-29": negotiation.EraLegacy,
		"1900-01-01": negotiation.EraLegacy,

		"":                     negotiation.EraUnknown,
		"modern":               negotiation.EraUnknown,
		"1.0":                  negotiation.EraUnknown,
		"DRAFT-2026-v1":        negotiation.EraUnknown,
		"2026-07":              negotiation.EraUnknown,
		"2026-7-28":            negotiation.EraUnknown,
		"2026-07-1":            negotiation.EraUnknown,
		"26-07-28":             negotiation.EraUnknown,
		"02026-07-28":          negotiation.EraUnknown,
		"20260728":             negotiation.EraUnknown,
		"2026/07/28":           negotiation.EraUnknown,
		"2026-02-30":           negotiation.EraUnknown,
		"2025-02-29":           negotiation.EraUnknown,
		"2026-13-01":           negotiation.EraUnknown,
		"2026-00-10":           negotiation.EraUnknown,
		"2026-08-00":           negotiation.EraUnknown,
		"2026-08-32":           negotiation.EraUnknown,
		" 2026-07-28":          negotiation.EraUnknown,
		"2026-07-28 ":          negotiation.EraUnknown,
		"2026-07-28\n":         negotiation.EraUnknown,
		"2026-07-28-rc1":       negotiation.EraUnknown,
		"2026-07-28T00:00:00Z": negotiation.EraUnknown,
		"２０２６-07-28":           negotiation.EraUnknown,
		"-2026-07-28":          negotiation.EraUnknown,
	} {
		if got := negotiation.EraOf(version); got != want {
			t.Errorf("EraOf(%q) is %v, want %v", version, got, want)
		}
	}
}

func TestEraString(t *testing.T) {
	got := fmt.Sprint(negotiation.EraModern, negotiation.EraLegacy, negotiation.EraUnknown, negotiation.Era(9))
	if want := "modern legacy unknown unknown"; got != want {
		t.Errorf("eras are %q, want %q", got, want)
	}
}

// M-ERR-01, M-VER-03: no other code says anything about the era.
func TestIsModernError(t *testing.T) {
	modernCodes := map[int64]bool{-32020: true, -32021: true, -32022: true}
	for code := int64(-32768); code <= 1000; code++ {
		if got := negotiation.IsModernError(code); got != modernCodes[code] {
			t.Errorf("IsModernError(%d) is %v", code, got)
		}
	}
}
