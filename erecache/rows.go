package erecache

import "time"

// rows is a bounded table of verdicts. It locks nothing.
type rows[K comparable] map[K]Entry

// put stores entry at key. In a table of limit rows a new key takes the place
// of the row that was decided first.
func (r rows[K]) put(key K, entry Entry, limit int) {
	if _, known := r[key]; !known && len(r) >= limit {
		delete(r, r.oldest())
	}
	r[key] = entry
}

// oldest returns the key of the row that was decided first. It looks at every
// row: a new key comes after a probe, next to which even 10,000 rows are
// little.
func (r rows[K]) oldest() K {
	var (
		oldest K
		at     time.Time
		found  bool
	)
	for key, entry := range r {
		if !found || entry.DecidedAt.Before(at) {
			oldest, at, found = key, entry.DecidedAt, true
		}
	}
	return oldest
}

// compareAndDelete deletes the row at key if it equals old, and reports
// whether it did.
func (r rows[K]) compareAndDelete(key K, old Entry) bool {
	entry, ok := r[key]
	if !ok || !entry.Equal(old) {
		return false
	}
	delete(r, key)
	return true
}
