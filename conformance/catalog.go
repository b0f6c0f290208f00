package conformance

import (
	"encoding/base64"
	"slices"
	"strconv"
	"sync"

	"github.com/mcpera/mcpera/protocol"
)

// An item is a tool, a resource, a template or a prompt.
type item interface {
	key() string
	wire() any
	hinted() hinted
}

// A catalog holds items of one kind in the order they were added. It is safe
// for concurrent use.
type catalog[T item] struct {
	mu    sync.RWMutex
	items []T
}

// put adds an item, or replaces the one with its key.
func (c *catalog[T]) put(item T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.index(item.key()); i >= 0 {
		c.items[i] = item
		return
	}
	c.items = append(c.items, item)
}

// remove takes an item out and reports whether it was there.
func (c *catalog[T]) remove(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.index(key)
	if i < 0 {
		return false
	}
	c.items = slices.Delete(slices.Clone(c.items), i, i+1) // readers may hold the old slice
	return true
}

func (c *catalog[T]) get(key string) (T, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if i := c.index(key); i >= 0 {
		return c.items[i], true
	}
	var none T
	return none, false
}

func (c *catalog[T]) all() []T {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.items)
}

func (c *catalog[T]) index(key string) int {
	return slices.IndexFunc(c.items, func(item T) bool { return item.key() == key })
}

// page returns the list result of one page under member, with its cache hint.
// The hint is that of the whole list, so that it does not change from page to
// page.
func (c *catalog[T]) page(member string, cursor *string, size int, def CacheHint) (object, CacheHint, *protocol.Error) {
	items := c.all()
	start := 0
	if cursor != nil {
		var ok bool
		if start, ok = decodeCursor(*cursor); !ok || start > len(items) {
			return nil, CacheHint{}, invalidParams("cursor is not one that this server gave out")
		}
	}
	end := min(start+size, len(items))
	list := make([]any, 0, end-start)
	for _, item := range items[start:end] {
		list = append(list, item.wire())
	}
	hints := make([]hinted, len(items))
	for i, item := range items {
		hints[i] = item.hinted()
	}
	result := object{}
	result.set(member, list)
	if end < len(items) {
		result.set("nextCursor", encodeCursor(end))
	}
	return result, listHint(hints, def), nil
}

// A cursor is the index of the first item of a page, in Base64 so that nobody
// reads it.
func encodeCursor(start int) string {
	return base64.RawURLEncoding.EncodeToString([]byte("page:" + strconv.Itoa(start)))
}

func decodeCursor(cursor string) (int, bool) {
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(data) < len("page:") || string(data[:5]) != "page:" {
		return 0, false
	}
	start, err := strconv.Atoi(string(data[5:]))
	return start, err == nil && start > 0
}
