package responsecache

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Store keeps answers for one or more Caches.
//
// Keys: a Key is taken as it is; two keys are one row only when they are equal.
// They hold hashes, no secrets. Answers may be confidential: a Store that
// others can read must protect them.
//
// Missing rows are no error: Load returns false, Delete and Drop do nothing. A
// Store may lose any row at any time, which costs a request.
//
// Expiry is the Cache's business. A Store returns rows however old they are,
// with ReceivedAt to the nanosecond. It may delete what has long expired.
//
// Blocking: methods may wait for I/O, and then return soon after ctx ends. A
// Cache holds no lock while it calls them, and gives each 2 s at most.
//
// Errors: a Store that fails costs a request, never a call.
//
// Concurrency: all methods may run at the same time, for one key too. Of two
// Saves the later wins, whole. A Drop deletes at least what was saved before it
// began.
type Store interface {
	// Load returns the row at key, and false when there is none. What it
	// returns is the caller's to change.
	Load(ctx context.Context, key Key) (Entry, bool, error)

	// Save puts entry at key, in place of any row there. It does not keep
	// entry.Result itself, which is the caller's to change afterwards.
	Save(ctx context.Context, key Key, entry Entry) error

	// Delete deletes the row at key.
	Delete(ctx context.Context, key Key) error

	// Drop deletes every row whose key has this Topic, whoever its principal is.
	Drop(ctx context.Context, topic Topic) error
}

// An Entry is one answer of a server.
type Entry struct {
	// Result is the result of the JSON-RPC response, as it came.
	Result jsontext.Value
	// ReceivedAt is when it came, by the Cache's clock.
	ReceivedAt time.Time
	// TTL is for how long it is fresh: above zero, at most 24 h.
	TTL time.Duration
}

// usable reports whether e may be given out at now: while it is fresh, and for
// less than stale after that. An answer from the future is not: the clock was
// set back, and how old it is can't be known.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Freshness Calculation".
func (e Entry) usable(now time.Time, stale time.Duration) bool {
	age := now.Sub(e.ReceivedAt)
	expired := age - min(e.TTL, maxTTL)
	return age >= 0 && e.TTL > 0 && (expired < 0 || expired < stale)
}
