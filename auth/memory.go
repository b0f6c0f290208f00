package auth

import (
	"bytes"
	"context"
	"sync"
)

// A Memory is a TokenStore and a Locker in memory: logins end with the process,
// but Authorizers can share them. The zero value is empty and ready. It is safe
// for concurrent use.
type Memory struct {
	mu    sync.Mutex
	rows  map[string][]byte
	locks map[string]chan struct{}
}

// Load implements TokenStore.
func (m *Memory) Load(_ context.Context, key string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.rows[key]
	return value, ok, nil
}

// Save implements TokenStore.
func (m *Memory) Save(_ context.Context, key string, value []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		m.rows = make(map[string][]byte)
	}
	m.rows[key] = value
	return nil
}

// CompareAndDelete implements TokenStore.
func (m *Memory) CompareAndDelete(_ context.Context, key string, old []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value, ok := m.rows[key]; ok && bytes.Equal(value, old) {
		delete(m.rows, key)
	}
	return nil
}

// Lock implements Locker.
func (m *Memory) Lock(ctx context.Context, key string) (unlock func(), err error) {
	m.mu.Lock()
	if m.locks == nil {
		m.locks = make(map[string]chan struct{})
	}
	lock, ok := m.locks[key]
	if !ok {
		lock = make(chan struct{}, 1)
		m.locks[key] = lock
	}
	m.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// String does not show what is in it.
func (m *Memory) String() string { return "auth.Memory" }
