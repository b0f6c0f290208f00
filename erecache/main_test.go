package erecache

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/negotiation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
)

var (
	start = time.Date(2026, 8, 1, 12, 0, 0, 123456789, time.UTC)
	here  = Key{Origin: "https://h", Path: "/mcp"}
	there = Key{Origin: "https://h", Path: "/other"}
)

// A testClock is a time that a test sets.
type testClock struct{ now time.Time }

func (c *testClock) Now() time.Time { return c.now }

// entryAt is a modern verdict decided d after start.
func entryAt(d time.Duration) Entry {
	return Entry{Era: negotiation.EraModern, Version: modern, DecidedAt: start.Add(d)}
}

// A scriptStore is a Memory whose methods a test can come in front of. A hook
// that returns an error makes the method fail.
type scriptStore struct {
	*Memory
	beforeLoad, beforeSave, beforeDelete func(context.Context) error
}

func newScriptStore() *scriptStore { return &scriptStore{Memory: NewMemory(0)} }

func run(ctx context.Context, hook func(context.Context) error) error {
	if hook == nil {
		return nil
	}
	return hook(ctx)
}

func (s *scriptStore) Load(ctx context.Context, key Key) (Entry, bool, error) {
	if err := run(ctx, s.beforeLoad); err != nil {
		return Entry{}, false, err
	}
	return s.Memory.Load(ctx, key)
}

func (s *scriptStore) Save(ctx context.Context, key Key, entry Entry) error {
	if err := run(ctx, s.beforeSave); err != nil {
		return err
	}
	return s.Memory.Save(ctx, key, entry)
}

func (s *scriptStore) CompareAndDelete(ctx context.Context, key Key, old Entry) error {
	if err := run(ctx, s.beforeDelete); err != nil {
		return err
	}
	return s.Memory.CompareAndDelete(ctx, key, old)
}

// stored returns the row at key past all trust, and whether there is one.
func stored(t testing.TB, s Store, key Key) (Entry, bool) {
	t.Helper()
	entry, ok, err := s.Load(t.Context(), key)
	if err != nil {
		t.Errorf("Load: %v", err)
	}
	return entry, ok
}

func save(t testing.TB, s Store, key Key, entry Entry) {
	t.Helper()
	if err := s.Save(t.Context(), key, entry); err != nil {
		t.Errorf("Save: %v", err)
	}
}
