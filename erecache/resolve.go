package erecache

import (
	"context"
	"errors"

	"github.com/mcpera/mcpera/negotiation"
)

// A Finding is what a probe found out.
type Finding struct {
	Era     negotiation.Era
	Version string // may be empty while Proven is false
	// Proven says that the finding may be remembered: for EraModern, a
	// DiscoverResult came; for EraLegacy, a valid InitializeResult. An unproven
	// finding serves the calls that waited for it and is then dropped, so the
	// one whose initialize succeeds calls Cache.Remember.
	Proven bool
}

// A Probe asks a server for its era. It runs on the goroutine of the Resolve
// that it was given to, with that call's context, and must return when the
// context ends. It must not call Resolve for the same key.
//
// A probe that returns EraUnknown without an error fails with ErrInvalidEntry.
type Probe func(ctx context.Context) (Finding, error)

// ShareError marks an error of a Probe as the server's: every call that waited
// gets it as well. That is right for an outage, which each of them would meet.
// An error without the mark is the probing call's own, such as a refusal of
// its credentials or a version that it insists on; the next call then probes
// by itself. The result matches err, and is nil when err is nil.
func ShareError(err error) error {
	if err == nil {
		return nil
	}
	return &sharedError{err}
}

type sharedError struct{ error }

func (e *sharedError) Unwrap() error { return e.error }

func isShared(err error) bool {
	_, ok := errors.AsType[*sharedError](err)
	return ok
}

// A Source says where a Resolved comes from.
type Source uint8

const (
	// NoSource: there is no entry, Resolve failed.
	NoSource Source = iota
	// FromCache: a verdict was at hand.
	FromCache
	// FromProbe: this call's own probe.
	FromProbe
	// FromOther: the probe of another call, which this one waited for.
	FromOther
)

// String returns "none", "cache", "probe" or "other".
func (s Source) String() string {
	switch s {
	case FromCache:
		return "cache"
	case FromProbe:
		return "probe"
	case FromOther:
		return "other"
	default:
		return "none"
	}
}

// Resolved is the outcome of Resolve.
type Resolved struct {
	// Entry is what the server speaks. It need not be proven unless Source is
	// FromCache; see Finding.
	Entry
	Source Source
	// StoreErr is what went wrong when the cache was read or the finding
	// remembered; nil when nothing did. It never makes Resolve fail, and is set
	// beside an error of Resolve too. Log it.
	StoreErr error
}

// Resolve returns the verdict at key if there is one to trust, as Verdict does.
// Otherwise it runs probe, or waits for the probe of another call for the same
// key: one is in flight at a time. A proven finding is remembered before any
// call returns with it.
//
// The calls that wait share the finding, or an error marked by ShareError. On
// any other failure (the probing call's context ended, its error is its own,
// its probe panicked) one of them probes in its place. A call that waits
// returns its context's error when that ends, and disturbs nobody.
//
// A call with a TTL of its own may still get the finding of a probe that was
// already in flight. The error is the probe's, the context's, or
// ErrInvalidEntry; never the Store's.
func (c *Cache) Resolve(ctx context.Context, key Key, probe Probe, opts ...CallOption) (Resolved, error) {
	for {
		entry, ok, storeErr := c.Verdict(ctx, key, opts...)
		if ok {
			return Resolved{Entry: entry, Source: FromCache}, nil
		}
		f, leads := c.flights.join(key)
		if leads {
			return c.lead(ctx, key, f, probe, opts)
		}
		select {
		case <-f.landed:
		case <-ctx.Done():
			return Resolved{StoreErr: storeErr}, ctx.Err()
		}
		switch {
		case !f.shared: // this call's turn, or another waiting one's
		case f.err != nil:
			return Resolved{StoreErr: storeErr}, f.err
		default:
			return Resolved{Entry: f.entry, Source: FromOther, StoreErr: storeErr}, nil
		}
	}
}

// lead probes for all calls on f, which lands when lead returns or panics.
func (c *Cache) lead(ctx context.Context, key Key, f *flight, probe Probe, opts []CallOption) (Resolved, error) {
	defer c.flights.land(key, f)
	// An earlier flight may have landed after this call had missed. Those who
	// wait for this one then read for themselves: their TTL may be shorter.
	entry, ok, storeErr := c.Verdict(ctx, key, opts...)
	if ok {
		return Resolved{Entry: entry, Source: FromCache}, nil
	}
	finding, err := probe(ctx)
	if err == nil && finding.Era == negotiation.EraUnknown {
		err = ErrInvalidEntry
	}
	if err != nil {
		f.err, f.shared = err, ctx.Err() == nil && isShared(err)
		return Resolved{StoreErr: storeErr}, err
	}
	entry = Entry{Era: finding.Era, Version: finding.Version, DecidedAt: c.now()}
	if finding.Proven {
		storeErr = errors.Join(storeErr, c.save(ctx, key, entry))
	}
	f.entry, f.shared = entry, true
	return Resolved{Entry: entry, Source: FromProbe, StoreErr: storeErr}, nil
}
