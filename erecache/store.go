package erecache

import "context"

// A Store keeps verdicts for one or more Caches.
//
// Keys: a Key is taken as it is, byte for byte; two keys are one row only when
// they are equal. Its Path may carry a secret: a Store that others can read
// must not hold it, and keeps rows by Key.Hash instead.
//
// Missing rows are no error: Load returns false, CompareAndDelete does
// nothing. A Store may drop any row at any time, which costs a probe.
//
// Expiry is the Cache's business. A Store returns rows however old they are,
// with DecidedAt to the nanosecond.
//
// Blocking: methods may wait for I/O, and then return soon after ctx ends. A
// Cache holds no lock while it calls them.
//
// Concurrency: all methods may run at the same time, for one key too. Of two
// Saves the later wins, whole: no Load returns a mixture of them.
type Store interface {
	// Load returns the row at key, and false when there is none.
	Load(ctx context.Context, key Key) (Entry, bool, error)

	// Save puts entry at key, in place of any row there.
	Save(ctx context.Context, key Key, entry Entry) error

	// CompareAndDelete deletes the row at key if it equals old, as Entry.Equal
	// has it. Comparing and deleting are one step: a row that a Save puts there
	// in the meantime stays.
	CompareAndDelete(ctx context.Context, key Key, old Entry) error
}
