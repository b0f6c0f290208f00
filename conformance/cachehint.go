package conformance

import "time"

// Scopes of a cache hint.
const (
	Public  = "public"  // any cache may keep the result
	Private = "private" // only caches of the same principal
)

// A CacheHint says for how long a modern result stays fresh, in whole
// milliseconds, and who may keep it. Any Scope but [Public] is [Private].
//
// Source: MCP 2026-07-28, server/utilities/caching.
type CacheHint struct {
	TTL   time.Duration // zero: stale at once
	Scope string        // Public or Private
}

// A hinted is an item's own hint, nil for the default, and the scope that a
// principal needs to use the item, "" for none.
type hinted struct {
	hint  *CacheHint
	scope string
}

// listHint is the hint of a list: the shortest TTL of its items, and private
// when any item is private or is not for everyone. An empty list has the
// default.
func listHint(items []hinted, def CacheHint) CacheHint {
	if len(items) == 0 {
		return def
	}
	out := itemHint(items[0], def)
	for _, item := range items[1:] {
		h := itemHint(item, def)
		out.TTL = min(out.TTL, h.TTL)
		if h.Scope != Public {
			out.Scope = Private
		}
	}
	return out
}

// itemHint is one item's hint. What needs a scope is never public.
func itemHint(item hinted, def CacheHint) CacheHint {
	h := def
	if item.hint != nil {
		h = *item.hint
	}
	if h.Scope != Public || item.scope != "" {
		h.Scope = Private
	}
	return h
}
