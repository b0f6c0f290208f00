package transport

import (
	"math/rand/v2"
	"time"
)

// A Backoff says how long to wait between attempts. Each wait is drawn at
// random from the upper half of a range that doubles from Min up to Max; a Min
// of 0 stands for Max.
type Backoff struct {
	Min      time.Duration // the first wait at the most
	Max      time.Duration // any later wait at the most
	MaxAfter time.Duration // the longest delay that a server may ask for; 0: it has no say
}

// DefaultBackoff waits 200 ms to 5 s, and as long as a server asks up to 30 s.
func DefaultBackoff() Backoff {
	return Backoff{Min: 200 * time.Millisecond, Max: 5 * time.Second, MaxAfter: 30 * time.Second}
}

// Wait returns the time to wait after attempt, counted from 0, when the server
// asked for a delay of after; 0 means that it did not.
func (b Backoff) Wait(attempt int, after time.Duration) time.Duration {
	if after = min(after, b.MaxAfter); after > 0 {
		return after
	}
	attempt = max(attempt, 0)
	ceiling := b.Max
	if b.Min > 0 && b.Min <= b.Max>>attempt {
		ceiling = b.Min << attempt
	}
	if ceiling <= 1 {
		return ceiling
	}
	return ceiling/2 + rand.N(ceiling/2)
}
