package negotiation_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
)

func TestVersions(t *testing.T) {
	want := []string{"2026-07-28", "2025-11-25", "2025-06-18"}
	got := negotiation.Versions()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Versions() (-want +got):\n%s", diff)
	}

	clear(got) // the slice is the caller's
	if diff := cmp.Diff(want, negotiation.Versions()); diff != "" {
		t.Errorf("Versions() after its result was changed (-want +got):\n%s", diff)
	}
	if v, err := negotiation.PickVersion(want, nil); v != modern || err != nil {
		t.Errorf("PickVersion after that = %q, %v", v, err)
	}
	v := negotiation.ClassifyProbe(http, answered(200, rpcResult("1", discover(discoverModern))), negotiation.Options{})
	if _, ok := v.(negotiation.Modern); !ok {
		t.Errorf("ClassifyProbe after that = %v", v)
	}
}

// M-VER-01.
func TestPickVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		server, client []string
		want           string // "" for ErrNoCommonVersion
	}{
		"the newest mutual version is picked":                     {[]string{"2025-06-18", "2025-11-25"}, nil, "2025-11-25"},
		"the server's order does not count":                       {[]string{"2025-06-18", "2025-11-25", "2026-07-28"}, nil, "2026-07-28"},
		"a version that is accepted is not one that is offered":   {[]string{"2024-11-05"}, nil, ""},
		"2025-03-26 is not offered either":                        {[]string{"2025-03-26"}, nil, ""},
		"the client's preference counts, not the date":            {[]string{"2026-07-28", "2025-06-18"}, []string{"2025-06-18", "2026-07-28"}, "2025-06-18"},
		"a version of the caller's own can be picked":             {[]string{"x"}, []string{"x"}, "x"},
		"a server that lists nothing shares nothing":              {nil, nil, ""},
		"an empty client is not a nil one":                        {[]string{"2026-07-28"}, []string{}, ""},
		"a nil client stands for Versions":                        {[]string{"2026-07-28"}, nil, "2026-07-28"},
		"versions are compared as a whole":                        {[]string{"2026-07-28-rc1", "2026-07"}, nil, ""},
		"versions that the server alone knows do not stand in":    {[]string{"2099-01-01", "2025-06-18"}, nil, "2025-06-18"},
		"a version that is listed twice is one that is in common": {[]string{"2025-06-18", "2025-06-18"}, nil, "2025-06-18"},
	} {
		t.Run(name, func(t *testing.T) {
			server, client := slices.Clone(tc.server), slices.Clone(tc.client)
			got, err := negotiation.PickVersion(server, client)
			if got != tc.want {
				t.Errorf("PickVersion = %q, want %q", got, tc.want)
			}
			if wantErr := tc.want == ""; errors.Is(err, negotiation.ErrNoCommonVersion) != wantErr || (err != nil) != wantErr {
				t.Errorf("error is %v", err)
			}
			if !slices.Equal(server, tc.server) || !slices.Equal(client, tc.client) {
				t.Error("PickVersion changed its arguments")
			}
		})
	}
}

// L-VER-01, L-VER-02.
func TestSpeaksLegacy(t *testing.T) {
	for version, want := range map[string]bool{
		"2025-11-25": true,
		"2025-06-18": true,
		"2025-03-26": true,
		"2024-11-05": true,

		"2026-07-28": false, // no answer to initialize
		"1900-01-01": false,
		"2024-10-07": false,
		"":           false,
	} {
		if got := negotiation.SpeaksLegacy(version); got != want {
			t.Errorf("SpeaksLegacy(%q) is %v", version, got)
		}
	}
	if got := negotiation.LegacyVersion(); got != "2025-11-25" {
		t.Errorf("LegacyVersion() is %q, want 2025-11-25", got)
	}
	for _, v := range negotiation.Versions() {
		if legacy := negotiation.EraOf(v) == negotiation.EraLegacy; legacy != negotiation.SpeaksLegacy(v) {
			t.Errorf("%s is offered, and SpeaksLegacy is %v", v, !legacy)
		}
	}
}

// O-BAT-01, B040.
func TestOneVersionHasBatches(t *testing.T) {
	for version, want := range map[string]bool{
		"2024-11-05": false, "2025-03-26": true, "2025-06-18": false, "2025-11-25": false, "2026-07-28": false, "": false,
	} {
		if got := negotiation.HasBatches(version); got != want {
			t.Errorf("HasBatches(%q) is %v", version, got)
		}
	}
}
