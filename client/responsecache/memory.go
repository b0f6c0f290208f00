package responsecache

import (
	"bytes"
	"container/list"
	"context"
	"sync"
)

// Default bounds of a Memory.
const (
	defaultMemoryRows  = 10_000
	defaultMemoryBytes = 64 << 20
)

// rowBytes is about what a row costs beside its result.
const rowBytes = 512

// A Memory is a Store in memory. Its methods never fail, never wait and ignore
// their context. It is safe for concurrent use.
type Memory struct {
	maxRows  int
	maxBytes int64

	mu     sync.Mutex
	topics map[Topic]map[Key]*list.Element
	used   *list.List // of *row, the latest used first
	bytes  int64
}

type row struct {
	key   Key
	entry Entry
}

func (r *row) size() int64 { return int64(len(r.entry.Result)) + rowBytes }

// NewMemory returns an empty Memory that holds at most maxEntries answers and
// about maxBytes bytes: 10,000 and 64 MiB when they are zero or less. When it
// is full, what was not used for the longest time goes. An answer of more than
// a quarter of maxBytes is not kept.
func NewMemory(maxEntries int, maxBytes int64) *Memory {
	if maxEntries <= 0 {
		maxEntries = defaultMemoryRows
	}
	if maxBytes <= 0 {
		maxBytes = defaultMemoryBytes
	}
	return &Memory{
		maxRows: maxEntries, maxBytes: maxBytes,
		topics: make(map[Topic]map[Key]*list.Element), used: list.New(),
	}
}

// Load implements Store.
func (m *Memory) Load(_ context.Context, key Key) (Entry, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	element := m.topics[key.Topic][key]
	if element == nil {
		return Entry{}, false, nil
	}
	m.used.MoveToFront(element)
	entry := element.Value.(*row).entry
	entry.Result = bytes.Clone(entry.Result)
	return entry, true, nil
}

// Save implements Store.
func (m *Memory) Save(_ context.Context, key Key, entry Entry) error {
	entry.Result = bytes.Clone(entry.Result)
	r := &row{key, entry}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(m.topics[key.Topic][key])
	if r.size() > m.maxBytes/4 {
		return nil
	}
	if m.topics[key.Topic] == nil {
		m.topics[key.Topic] = make(map[Key]*list.Element)
	}
	m.topics[key.Topic][key] = m.used.PushFront(r)
	m.bytes += r.size()
	for m.used.Len() > m.maxRows || m.bytes > m.maxBytes {
		m.remove(m.used.Back())
	}
	return nil
}

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, key Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(m.topics[key.Topic][key])
	return nil
}

// Drop implements Store.
func (m *Memory) Drop(_ context.Context, topic Topic) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, element := range m.topics[topic] {
		m.remove(element)
	}
	return nil
}

// remove takes a row out, if there is one.
func (m *Memory) remove(element *list.Element) {
	if element == nil {
		return
	}
	r := m.used.Remove(element).(*row)
	m.bytes -= r.size()
	rows := m.topics[r.key.Topic]
	delete(rows, r.key)
	if len(rows) == 0 {
		delete(m.topics, r.key.Topic)
	}
}
