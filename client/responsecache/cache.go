package responsecache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// maxTTL is the longest time for which an answer is fresh, whatever its server
// or a Store says.
const maxTTL = time.Duration(protocol.MaxTTL)

// storeTime is what one call of a Store may take.
const storeTime = 2 * time.Second

// A Cache gives out what servers answered while it is fresh. It is safe for
// concurrent use and holds no lock while a Store works. Make one with New and
// share it between clients.
type Cache struct {
	clock  func() time.Time
	store  Store
	memory bool // the store never waits and never fails

	mu      sync.Mutex
	fetches map[*Fetch]struct{} // under way
	drops   drops
}

// An Option changes a Cache that New makes.
type Option func(*Cache)

// WithStore sets where answers are kept: by default, and for nil,
// NewMemory(0, 0).
func WithStore(s Store) Option {
	return func(c *Cache) { c.store = s }
}

// New returns a Cache that reads the time from clock, which is time.Now in a
// program and must not be nil. Calls may read it at the same time.
func New(clock func() time.Time, opts ...Option) *Cache {
	c := &Cache{clock: clock, fetches: make(map[*Fetch]struct{})}
	for _, opt := range opts {
		opt(c)
	}
	if c.store == nil {
		c.store = NewMemory(0, 0)
	}
	_, c.memory = c.store.(*Memory)
	return c
}

// now returns the wall clock's time alone, in UTC: the monotonic clock means
// nothing to another process, and stands still while a machine sleeps.
func (c *Cache) now() time.Time { return c.clock().Round(0).UTC() }

// bounded is ctx with the time that a Store has. A Memory needs no bound.
func (c *Cache) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.memory {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, storeTime)
}

// Load returns the result of the newest answer to r that this principal may
// have, and true, if it is fresh or expired less than stale ago. The result is
// the caller's to change.
//
// The error is the Store's. It is there to be logged: with an error, Load
// always returns false.
func (c *Cache) Load(ctx context.Context, r Request, stale time.Duration) (jsontext.Value, bool, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	private, public := r.keys()
	newest, ok, err := c.load(ctx, private)
	if err != nil {
		return nil, false, err
	}
	shared, found, err := c.load(ctx, public)
	if err != nil {
		return nil, false, err
	}
	if found && (!ok || shared.ReceivedAt.After(newest.ReceivedAt)) {
		newest, ok = shared, true
	}
	if !ok || !newest.usable(c.now(), stale) {
		return nil, false, nil
	}
	return newest.Result, true, nil
}

// load returns the row at key, unless it was dropped.
func (c *Cache) load(ctx context.Context, key Key) (Entry, bool, error) {
	entry, ok, err := c.store.Load(ctx, key)
	if err != nil || !ok {
		return Entry{}, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return entry, !c.drops.hold(key.Topic, entry), nil
}

// A Fetch is a request to a server that is under way. What is dropped
// meanwhile is not kept: the answer may be from before the change.
type Fetch struct {
	cache     *Cache
	request   Request
	topic     Topic
	overtaken bool // by a Drop; guarded by the Cache's mutex
}

// Begin says that r is about to be sent. The caller calls End when it is done.
func (c *Cache) Begin(r Request) *Fetch {
	f := &Fetch{cache: c, request: r, topic: r.Topic()}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fetches[f] = struct{}{}
	return f
}

// End ends a Fetch.
func (f *Fetch) End() {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	delete(f.cache.fetches, f)
}

// isOvertaken reports whether the topic was dropped since Begin.
func (f *Fetch) isOvertaken() bool {
	f.cache.mu.Lock()
	defer f.cache.mu.Unlock()
	return f.overtaken
}

// Keep keeps the server's result for as long and for whom its ttlMs and
// cacheScope say, in place of what it answered before. A ttlMs that is absent,
// not a number or not above zero means stale at once: nothing is kept then. It
// counts for 24 h at most. Any cacheScope but "public" means private.
//
// The error is the Store's. It is there to be logged.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Cacheable Model".
func (f *Fetch) Keep(ctx context.Context, result jsontext.Value) error {
	c := f.cache
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	private, public := f.request.keys()
	ttl, scope := protocol.CacheHints(result)
	if ttl <= 0 || !result.IsValid() {
		return errors.Join(c.store.Delete(ctx, private), c.store.Delete(ctx, public))
	}
	key := private
	if scope == "public" {
		key = public
	}
	if f.isOvertaken() {
		return nil
	}
	if err := c.store.Save(ctx, key, Entry{Result: result, ReceivedAt: c.now(), TTL: time.Duration(ttl)}); err != nil {
		return err
	}
	if f.isOvertaken() { // the Drop may have come before the Save
		return c.store.Delete(ctx, key)
	}
	return nil
}
