package client

import (
	"testing"
	"time"

	"github.com/mcpera/mcpera/transport"
)

// Each row is when processes were lost, in seconds, and what follows: a restart
// at once, one after a wait, or none.
func TestRow(t *testing.T) {
	const (
		atOnce = "at once"
		later  = "later"
		never  = "never"
	)
	type loss struct {
		at   float64
		want string
	}
	for name, tc := range map[string]struct {
		limit  int
		losses []loss
	}{
		"none are allowed":              {0, []loss{{0, never}, {1000, never}}},
		"the first is at once":          {2, []loss{{0, atOnce}, {1, later}, {10, never}}},
		"a minute does not end the row": {1, []loss{{0, atOnce}, {60, never}}},
		"a little more does":            {1, []loss{{0, atOnce}, {60.001, atOnce}, {61, never}}},
		"it ends when it was too long":  {1, []loss{{0, atOnce}, {1, never}, {59, never}, {61, atOnce}}},
		"waits count as part of it":     {2, []loss{{0, atOnce}, {1, later}, {61, never}, {66.1, atOnce}}},
	} {
		t.Run(name, func(t *testing.T) {
			var r row
			start := time.Unix(1_000_000, 0)
			for _, l := range tc.losses {
				now := start.Add(time.Duration(l.at * float64(time.Second)))
				// A wait is 2.5 to 5 s.
				wait, ok := r.next(now, tc.limit, transport.Backoff{Max: 5 * time.Second})
				got := later
				switch {
				case !ok:
					got = never
				case wait == 0:
					got = atOnce
				}
				if got != l.want {
					t.Errorf("lost at %v: restarted %s, want %s", l.at, got, l.want)
				}
			}
		})
	}
}
