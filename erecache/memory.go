package erecache

import (
	"context"
	"sync"
)

// defaultMemoryRows is the default bound of a Memory.
const defaultMemoryRows = 10_000

// A Memory is a Store in memory. Its methods never fail, never wait and
// ignore their context. It is safe for concurrent use.
type Memory struct {
	limit int

	mu   sync.RWMutex
	rows rows[Key]
}

// NewMemory returns an empty Memory that holds at most maxEntries verdicts,
// 10,000 when maxEntries is zero or less. When it is full, a new key takes the
// place of the verdict that was decided first.
func NewMemory(maxEntries int) *Memory {
	if maxEntries <= 0 {
		maxEntries = defaultMemoryRows
	}
	return &Memory{limit: maxEntries, rows: rows[Key]{}}
}

// Load implements Store. It does not allocate.
func (m *Memory) Load(_ context.Context, key Key) (Entry, bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	entry, ok := m.rows[key]
	return entry, ok, nil
}

// Save implements Store.
func (m *Memory) Save(_ context.Context, key Key, entry Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows.put(key, entry, m.limit)
	return nil
}

// CompareAndDelete implements Store.
func (m *Memory) CompareAndDelete(_ context.Context, key Key, old Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows.compareAndDelete(key, old)
	return nil
}
