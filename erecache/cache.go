package erecache

import (
	"context"
	"time"

	"github.com/mcpera/mcpera/negotiation"
)

// DefaultTTL is how long a verdict is trusted unless WithTTL says otherwise:
// 15 minutes.
const DefaultTTL = 15 * time.Minute

// A Cache remembers verdicts for a time, and lets one probe per key run at a
// time. It is safe for concurrent use and holds no lock while a Store or a
// probe works. Make one with New and share it between all clients of a
// process.
type Cache struct {
	clock   func() time.Time
	ttl     time.Duration
	store   Store
	flights flights
}

// An Option changes a Cache that New makes.
type Option func(*Cache)

// WithTTL sets how long a verdict is trusted: by default DefaultTTL. Zero or
// less means never.
func WithTTL(d time.Duration) Option {
	return func(c *Cache) { c.ttl = d }
}

// WithStore sets where verdicts are kept: by default, and for nil, NewMemory(0).
func WithStore(s Store) Option {
	return func(c *Cache) { c.store = s }
}

// New returns a Cache that reads the time from clock, which is time.Now in a
// program and must not be nil. Calls may read it at the same time.
func New(clock func() time.Time, opts ...Option) *Cache {
	c := &Cache{clock: clock, ttl: DefaultTTL}
	for _, opt := range opts {
		opt(c)
	}
	if c.store == nil {
		c.store = NewMemory(0)
	}
	return c
}

// A CallOption changes one Verdict or Resolve.
type CallOption func(call) call

// call is what a CallOption changes. It is passed by value to stay off the
// heap.
type call struct{ ttl time.Duration }

// WithCallTTL sets how old a verdict this one call trusts: by default the
// Cache's TTL. Zero or less means that it trusts none.
func WithCallTTL(d time.Duration) CallOption {
	return func(call) call { return call{ttl: d} }
}

// TTL returns how long the Cache trusts a verdict.
func (c *Cache) TTL() time.Duration { return c.ttl }

// Verdict returns the verdict at key and true, or false when there is none to
// trust: none was remembered, or it is older than the TTL, or its stamp lies
// in the future. A verdict exactly as old as the TTL is trusted.
//
// The read that finds a verdict too old for the Cache deletes it, but not a
// newer one that another call has remembered meanwhile. One that is too old
// for this call's own TTL only stays for the others.
//
// The error is the Store's. It is there to be logged: with an error, Verdict
// always returns false.
func (c *Cache) Verdict(ctx context.Context, key Key, opts ...CallOption) (Entry, bool, error) {
	ttl := c.callTTL(opts)
	if ttl <= 0 {
		return Entry{}, false, nil
	}
	entry, ok, err := c.store.Load(ctx, key)
	if err != nil || !ok {
		return Entry{}, false, err
	}
	now := c.clock()
	if entry.trusted(now, ttl) {
		return entry, true, nil
	}
	if entry.trusted(now, c.ttl) {
		return Entry{}, false, nil
	}
	return Entry{}, false, c.store.CompareAndDelete(ctx, key, entry)
}

func (c *Cache) callTTL(opts []CallOption) time.Duration {
	settings := call{ttl: c.ttl}
	for _, opt := range opts {
		settings = opt(settings)
	}
	return settings.ttl
}

// Remember stores a verdict at key, stamped with the time now. EraModern is a
// verdict once a DiscoverResult says so; EraLegacy only after a valid
// InitializeResult, whose version it is.
//
// It returns ErrInvalidEntry, and stores nothing, when era is EraUnknown or
// not the era of version; else the Store's error, which is there to be logged.
func (c *Cache) Remember(ctx context.Context, key Key, era negotiation.Era, version string) error {
	return c.save(ctx, key, Entry{Era: era, Version: version, DecidedAt: c.now()})
}

func (c *Cache) save(ctx context.Context, key Key, entry Entry) error {
	if err := entry.check(); err != nil {
		return err
	}
	return c.store.Save(ctx, key, entry)
}

// Forget deletes the verdict at key, whatever it is. The error is the Store's.
// After an answer that contradicts a verdict, use Refute.
func (c *Cache) Forget(ctx context.Context, key Key) error {
	entry, ok, err := c.store.Load(ctx, key)
	if err != nil || !ok {
		return err
	}
	return c.store.CompareAndDelete(ctx, key, entry)
}

// Refute deletes the verdict at key if it still is entry. When many calls
// learn at once that a verdict was wrong, the first one's new verdict so
// outlives the others' complaints, and there is one new probe, not one each.
// The error is the Store's.
func (c *Cache) Refute(ctx context.Context, key Key, entry Entry) error {
	return c.store.CompareAndDelete(ctx, key, entry)
}

// now returns the wall clock's time alone, in UTC: the monotonic clock means
// nothing in a file, and stands still while a machine sleeps.
func (c *Cache) now() time.Time { return c.clock().Round(0).UTC() }
