package erecache

import (
	"fmt"
	"testing"
	"time"
)

func TestMemoryEvictsTheRowDecidedFirst(t *testing.T) {
	key := func(i int) Key { return Key{Origin: "https://h", Path: fmt.Sprint("/", i)} }
	ages := []time.Duration{3, 1, 2} // in the order of saving: 1 was decided first
	m := NewMemory(len(ages))
	for i, age := range ages {
		save(t, m, key(i), entryAt(age))
	}

	save(t, m, key(2), entryAt(4)) // a known key needs no room
	for i := range ages {
		if _, ok := stored(t, m, key(i)); !ok {
			t.Fatalf("row %d left for a key that was there already", i)
		}
	}

	for _, step := range []struct{ saved, gone int }{{3, 1}, {4, 0}, {5, 2}} {
		save(t, m, key(step.saved), entryAt(time.Duration(10+step.saved)))
		if _, ok := stored(t, m, key(step.gone)); ok {
			t.Errorf("after key %d the row of key %d is still there", step.saved, step.gone)
		}
		if got := len(m.rows); got != len(ages) {
			t.Errorf("after key %d there are %d rows, want %d", step.saved, got, len(ages))
		}
	}
}

func TestMemoryKeepsANewRowHoweverOldItIs(t *testing.T) {
	m := NewMemory(1)
	save(t, m, here, entryAt(0))
	save(t, m, there, entryAt(-time.Hour))
	if _, ok := stored(t, m, there); !ok || len(m.rows) != 1 {
		t.Errorf("the new row is there: %v, among %d", ok, len(m.rows))
	}
}

func TestMemoryDefaultBound(t *testing.T) {
	for limit, want := range map[int]int{-1: 10_000, 0: 10_000, 1: 1} {
		if got := NewMemory(limit).limit; got != want {
			t.Errorf("NewMemory(%d) holds %d rows, want %d", limit, got, want)
		}
	}
}
