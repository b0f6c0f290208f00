package erecache

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
)

// TestStore holds each Store to the contract of the interface.
func TestStore(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) Store{
		"Memory": func(*testing.T) Store { return NewMemory(0) },
		"File":   func(t *testing.T) Store { return NewFile(filepath.Join(t.TempDir(), "eras.json")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("a missing row is no error", func(t *testing.T) { testMissing(t, open(t)) })
			t.Run("a row comes back to the nanosecond", func(t *testing.T) { testRoundTrip(t, open(t)) })
			t.Run("the later Save wins", func(t *testing.T) { testLaterSave(t, open(t)) })
			t.Run("only equal keys share a row", func(t *testing.T) { testKeys(t, open(t)) })
			t.Run("only an equal row is deleted", func(t *testing.T) { testCompareAndDelete(t, open(t)) })
			t.Run("calls at the same time lose nothing", func(t *testing.T) { testConcurrent(t, open(t)) })
		})
	}
}

func testMissing(t *testing.T, s Store) {
	if entry, ok := stored(t, s, here); ok || entry != (Entry{}) {
		t.Errorf("Load = %v, %v, want nothing", entry, ok)
	}
	if err := s.CompareAndDelete(t.Context(), here, entryAt(0)); err != nil {
		t.Errorf("CompareAndDelete = %v, want nil", err)
	}
}

func testRoundTrip(t *testing.T, s Store) {
	for _, want := range []Entry{
		entryAt(1),
		{Era: negotiation.EraLegacy, Version: legacy, DecidedAt: start.In(time.FixedZone("", -3600))},
		{Era: negotiation.EraLegacy, Version: legacy, DecidedAt: time.Time{}}, // however old
	} {
		save(t, s, here, want)
		got, ok := stored(t, s, here)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("Load: found %v (-want +got):\n%s", ok, diff)
		}
	}
}

func testLaterSave(t *testing.T, s Store) {
	save(t, s, here, entryAt(time.Hour))
	save(t, s, here, entryAt(0)) // later, though it was decided before
	if got, _ := stored(t, s, here); got != entryAt(0) {
		t.Errorf("Load = %v, want %v", got, entryAt(0))
	}
}

func testKeys(t *testing.T, s Store) {
	keys := []Key{here, there, {"https://h/", "mcp"}, {"https://H", "/mcp"}, {"http://h", "/mcp"}, {}, {"https://h", ""}}
	for i, key := range keys {
		save(t, s, key, entryAt(time.Duration(i)))
	}
	for i, key := range keys {
		if got, _ := stored(t, s, key); got != entryAt(time.Duration(i)) {
			t.Errorf("Load(%#v) = %v, want %v", key, got, entryAt(time.Duration(i)))
		}
	}
}

func testCompareAndDelete(t *testing.T, s Store) {
	row := entryAt(0)
	save(t, s, here, row)
	save(t, s, there, row)
	for _, old := range []Entry{{}, entryAt(1), entryAt(-1), {negotiation.EraLegacy, legacy, row.DecidedAt}} {
		if err := s.CompareAndDelete(t.Context(), here, old); err != nil {
			t.Fatal(err)
		}
		if _, ok := stored(t, s, here); !ok {
			t.Fatalf("deleted %v as if it was %v", row, old)
		}
	}
	row.DecidedAt = row.DecidedAt.In(time.FixedZone("", 3600)) // the same instant
	if err := s.CompareAndDelete(t.Context(), here, row); err != nil {
		t.Fatal(err)
	}
	if _, ok := stored(t, s, here); ok {
		t.Error("the equal row is still there")
	}
	if _, ok := stored(t, s, there); !ok {
		t.Error("the row of another key is gone")
	}
}

func testConcurrent(t *testing.T, s Store) {
	var wg sync.WaitGroup
	for i := range 32 {
		key := Key{Origin: "https://h", Path: string(rune('a' + i))}
		wg.Go(func() {
			save(t, s, key, entryAt(0))
			stored(t, s, here)
			if err := s.CompareAndDelete(t.Context(), key, entryAt(1)); err != nil {
				t.Errorf("CompareAndDelete: %v", err)
			}
		})
	}
	wg.Wait()
	for i := range 32 {
		if _, ok := stored(t, s, Key{Origin: "https://h", Path: string(rune('a' + i))}); !ok {
			t.Errorf("row %d is lost", i)
		}
	}
}
