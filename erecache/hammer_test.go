package erecache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpera/mcpera/negotiation"
)

// TestHammer lets everything happen at once and holds the cache to what must
// be so in any order: one probe in flight per key, no verdict that nobody
// found, no call without an end, no flight left over.
func TestHammer(t *testing.T) {
	for name, tc := range map[string]struct {
		store Store
		calls int
	}{
		"in a small memory": {NewMemory(3), 2000},
		"in a file":         {NewFile(filepath.Join(t.TempDir(), "eras.json")), 30},
	} {
		t.Run(name, func(t *testing.T) {
			var now atomic.Int64
			clock := func() time.Time { return start.Add(time.Duration(now.Add(int64(time.Second)))) }
			c := New(clock, WithStore(tc.store), WithTTL(20*time.Second))
			servers := make([]*hammered, 5)
			for i := range servers {
				servers[i] = &hammered{t: t, key: Key{"https://h", fmt.Sprint("/", i)}}
			}
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					for range tc.calls {
						servers[rand.IntN(len(servers))].strike(c)
					}
				})
			}
			wg.Wait()
			if got := len(c.flights.byKey); got != 0 {
				t.Errorf("%d flights left over", got)
			}
		})
	}
}

// hammered is one server and what is known of it.
type hammered struct {
	t        *testing.T
	key      Key
	inFlight atomic.Int32
}

// strike does one of the things that can be done to a Cache.
func (h *hammered) strike(c *Cache) {
	ctx, cancel := context.WithCancel(h.t.Context())
	defer cancel()
	switch rand.IntN(8) {
	case 0:
		h.noError("Remember", c.Remember(ctx, h.key, negotiation.EraModern, modern))
	case 1:
		h.noError("Forget", c.Forget(ctx, h.key))
	case 2:
		entry, ok, err := c.Verdict(ctx, h.key)
		h.noError("Verdict", err)
		if ok {
			h.checkEntry(entry)
			h.noError("Refute", c.Refute(ctx, h.key, entry))
		}
	case 3:
		go cancel()
		fallthrough
	default:
		got, err := c.Resolve(ctx, h.key, h.probe)
		switch {
		case err == nil:
			h.checkEntry(got.Entry)
		case !errors.Is(err, errOwn) && !errors.Is(err, errDown) && !errors.Is(err, context.Canceled):
			h.t.Errorf("Resolve: %v", err)
		}
	}
}

func (h *hammered) probe(ctx context.Context) (Finding, error) {
	if h.inFlight.Add(1) > 1 {
		h.t.Errorf("two probes in flight for %s", h.key.Path)
	}
	defer h.inFlight.Add(-1)
	runtime.Gosched() // give the others a chance to break in
	if err := ctx.Err(); err != nil {
		return Finding{}, err
	}
	switch rand.IntN(4) {
	case 0:
		return Finding{}, errOwn
	case 1:
		return Finding{}, ShareError(errDown)
	case 2:
		return legacyProven, nil
	default:
		return modernProven, nil
	}
}

func (h *hammered) checkEntry(entry Entry) {
	if err := entry.check(); err != nil {
		h.t.Errorf("%v: %v", entry, err)
	}
}

func (h *hammered) noError(what string, err error) {
	if err != nil {
		h.t.Errorf("%s: %v", what, err)
	}
}
