package client

import (
	"sync"
	"time"

	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/protocol"
)

// maxDiscovers bounds a DiscoverCache.
const maxDiscovers = 1000

// A DiscoverCache keeps DiscoverResults for as long as their servers allow, so
// that connecting again takes no round trip. A result that is not public is
// kept for the credentials that it was given to. Safe for concurrent use.
//
// Source: MCP 2026-07-28, server/utilities/caching.
type DiscoverCache struct {
	clock func() time.Time

	mu   sync.Mutex
	rows map[discoverKey]discoverRow
}

type discoverKey struct {
	server    erecache.Key
	principal string // "" and public: for all
	public    bool
}

type discoverRow struct {
	result *protocol.DiscoverResult
	until  time.Time
}

// NewDiscoverCache returns an empty cache of at most 1,000 results that reads
// the time from clock.
func NewDiscoverCache(clock func() time.Time) *DiscoverCache {
	return &DiscoverCache{clock: clock, rows: make(map[discoverKey]discoverRow)}
}

// WithDiscoverCache sets where DiscoverResults are kept: by default one cache
// for the whole process. nil keeps none.
func WithDiscoverCache(cache *DiscoverCache) Option {
	return func(c *config) error {
		c.discovers = cache
		return nil
	}
}

// get returns the fresh result for a principal, or nil. A nil cache has none.
func (c *DiscoverCache) get(server erecache.Key, principal string) *protocol.DiscoverResult {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range []discoverKey{{server, principal, false}, {server, "", true}} {
		row, ok := c.rows[key]
		switch {
		case !ok:
		case c.clock().Before(row.until):
			return row.result
		default:
			delete(c.rows, key)
		}
	}
	return nil
}

// put keeps d for its TTL; a result without one is stale at once.
func (c *DiscoverCache) put(server erecache.Key, principal string, d *protocol.DiscoverResult) {
	if c == nil || d.TTL <= 0 {
		return
	}
	key := discoverKey{server, principal, false}
	if d.CacheScope == "public" {
		key = discoverKey{server, "", true}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.rows) >= maxDiscovers {
		c.evict()
	}
	c.rows[key] = discoverRow{d, c.clock().Add(time.Duration(d.TTL))}
}

// evict drops the row that would go stale first.
func (c *DiscoverCache) evict() {
	var first discoverKey
	var until time.Time
	for key, row := range c.rows {
		if until.IsZero() || row.until.Before(until) {
			first, until = key, row.until
		}
	}
	delete(c.rows, first)
}
