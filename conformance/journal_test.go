package conformance

import (
	"fmt"
	"testing"
)

func TestAJournalKeepsItsNewestEvents(t *testing.T) {
	j := newJournal("7")
	for i := range maxEvents + 5 {
		j.add(fmt.Appendf(nil, "%d", i))
	}
	for name, tc := range map[string]struct {
		from, first, count int
	}{
		"from the beginning, the oldest are lost": {0, 5, maxEvents},
		"from the middle":                         {maxEvents, maxEvents, 5},
		"from the end":                            {maxEvents + 5, maxEvents + 5, 0},
		"from an event that never was":            {maxEvents * 2, maxEvents + 5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := j.read(tc.from, seat{})
			if got.first != tc.first || len(got.events) != tc.count {
				t.Errorf("%d events from %d, want %d from %d", len(got.events), got.first, tc.count, tc.first)
			}
			if tc.count > 0 && string(got.events[0]) != fmt.Sprint(tc.first) {
				t.Errorf("first event %s", got.events[0])
			}
		})
	}
}

func TestASessionKeepsItsNewestJournals(t *testing.T) {
	s := newSession(t.Context(), "s", Principal{}, nil)
	s.standingJournal()
	for range maxJournals + 1 {
		s.newJournal()
	}
	for id, want := range map[string]bool{"0-0": true, "1-0": false, "2-0": true, "101-0": true} {
		if _, _, ok := s.resume(id); ok != want {
			t.Errorf("resume(%s) = %v, want %v", id, ok, want)
		}
	}
}
