package transport_test

import (
	"math"
	"testing"
	"time"

	"github.com/mcpera/mcpera/transport"
)

func TestBackoffWaitsWithinItsRange(t *testing.T) {
	const second = time.Second
	for name, tc := range map[string]struct {
		backoff  transport.Backoff
		attempt  int
		after    time.Duration
		min, max time.Duration
	}{
		"the first wait is from the upper half of Min": {
			transport.DefaultBackoff(), 0, 0, 100 * time.Millisecond, 200 * time.Millisecond,
		},
		"the range doubles":                       {transport.Backoff{Min: 1 * second, Max: 9 * second}, 2, 0, 2 * second, 4 * second},
		"Max is reached exactly":                  {transport.Backoff{Min: 1 * second, Max: 8 * second}, 3, 0, 4 * second, 8 * second},
		"Max is not passed":                       {transport.Backoff{Min: 1 * second, Max: 9 * second}, 4, 0, 4*second + second/2, 9 * second},
		"a large attempt does not overflow":       {transport.Backoff{Min: 1<<36 + 1, Max: math.MaxInt64}, 1000, 0, math.MaxInt64 / 2, math.MaxInt64},
		"a shift that would wrap to a small wait": {transport.Backoff{Min: 1<<36 + 1, Max: 1 << 62}, 30, 0, 1 << 61, 1 << 62},
		"the largest attempt":                     {transport.DefaultBackoff(), math.MaxInt, 0, 2500 * time.Millisecond, 5 * second},
		"an attempt below zero counts as zero":    {transport.Backoff{Min: 2 * second, Max: 9 * second}, -1, 0, 1 * second, 2 * second},
		"no Min stands for Max":                   {transport.Backoff{Max: 4 * second}, 0, 0, 2 * second, 4 * second},
		"one nanosecond":                          {transport.Backoff{Min: 1, Max: 1}, 0, 0, 1, 1},
		"two nanoseconds":                         {transport.Backoff{Min: 2, Max: 2}, 0, 0, 1, 2},
		"the zero value does not wait":            {transport.Backoff{}, 5, 0, 0, 0},
		"what the server asks for is honoured":    {transport.DefaultBackoff(), 0, 7 * second, 7 * second, 7 * second},
		"on the limit of what it may ask for":     {transport.DefaultBackoff(), 0, 30 * second, 30 * second, 30 * second},
		"a nanosecond past it":                    {transport.DefaultBackoff(), 0, 30*second + 1, 30 * second, 30 * second},
		"an absurd wish is capped":                {transport.DefaultBackoff(), 0, math.MaxInt64, 30 * second, 30 * second},
		"a wish is ignored where it has no say":   {transport.Backoff{Min: 2 * second, Max: 4 * second}, 0, time.Hour, 1 * second, 2 * second},
		"a wish below zero is none":               {transport.Backoff{Min: 2 * second, Max: 4 * second, MaxAfter: second}, 0, -5, 1 * second, 2 * second},
	} {
		t.Run(name, func(t *testing.T) {
			for range 200 {
				if got := tc.backoff.Wait(tc.attempt, tc.after); got < tc.min || got > tc.max {
					t.Fatalf("Wait(%d, %v) = %v, want %v to %v", tc.attempt, tc.after, got, tc.min, tc.max)
				}
			}
		})
	}
}

func TestBackoffIsNotTheSameForEveryone(t *testing.T) {
	seen := make(map[time.Duration]bool)
	for range 50 {
		seen[transport.DefaultBackoff().Wait(3, 0)] = true
	}
	if len(seen) < 2 {
		t.Errorf("50 waits were all %v", seen)
	}
}
