package erecache

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
)

var errStore = errors.New("disk full")

func failing(context.Context) error { return errStore }

func TestVerdictTrust(t *testing.T) {
	const limit = DefaultTTL
	for name, tc := range map[string]struct {
		age      time.Duration
		cache    []Option
		call     []CallOption
		trusted  bool
		survives bool // the row is still in the store afterwards
	}{
		"a new row is trusted":                         {age: 0, trusted: true, survives: true},
		"a row on the limit is trusted":                {age: limit, trusted: true, survives: true},
		"a row a nanosecond past the limit is deleted": {age: limit + 1},
		"a row from the future is deleted":             {age: -1},
		"a row from the far future is deleted":         {age: -1000 * time.Hour},

		"the cache's own TTL counts, on the limit": {
			age: time.Hour, cache: []Option{WithTTL(time.Hour)}, trusted: true, survives: true,
		},
		"the cache's own TTL counts, a nanosecond past it": {
			age: time.Hour + 1, cache: []Option{WithTTL(time.Hour)},
		},
		"with a TTL of zero even a new row is not trusted": {
			age: 0, cache: []Option{WithTTL(0)}, survives: true,
		},
		"a TTL below zero is zero": {
			age: 0, cache: []Option{WithTTL(-time.Hour)}, survives: true,
		},
		"the longest TTL trusts every past row": {
			age: 100 * 365 * 24 * time.Hour, cache: []Option{WithTTL(math.MaxInt64)}, trusted: true, survives: true,
		},

		"a call's shorter TTL trusts a row on its limit": {
			age: time.Minute, call: []CallOption{WithCallTTL(time.Minute)}, trusted: true, survives: true,
		},
		"a call's shorter TTL misses a row that stays for others": {
			age: time.Minute + 1, call: []CallOption{WithCallTTL(time.Minute)}, survives: true,
		},
		"a call's TTL of zero misses a row that stays for others": {
			age: 0, call: []CallOption{WithCallTTL(0)}, survives: true,
		},
		"a call's TTL of zero does not look at an old row": {
			age: limit + 1, call: []CallOption{WithCallTTL(0)}, survives: true,
		},
		"a call's longer TTL trusts a row on its limit": {
			age: time.Hour, call: []CallOption{WithCallTTL(time.Hour)}, trusted: true, survives: true,
		},
		"a call's longer TTL deletes a row past both": {
			age: time.Hour + 1, call: []CallOption{WithCallTTL(time.Hour)},
		},
		"a call's TTL trusts where the cache never does": {
			age: time.Hour, cache: []Option{WithTTL(0)}, call: []CallOption{WithCallTTL(time.Hour)}, trusted: true, survives: true,
		},
		"the last of two call options counts": {
			age: time.Hour, call: []CallOption{WithCallTTL(0), WithCallTTL(time.Hour)}, trusted: true, survives: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := NewMemory(0)
			clock := &testClock{start}
			c := New(clock.Now, append(tc.cache, WithStore(store))...)
			save(t, store, here, entryAt(0))

			clock.now = start.Add(tc.age)
			got, ok, err := c.Verdict(t.Context(), here, tc.call...)
			if ok != tc.trusted || err != nil {
				t.Errorf("Verdict at age %v = %v, %v, want %v", tc.age, ok, err, tc.trusted)
			}
			want := Entry{}
			if tc.trusted {
				want = entryAt(0)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Verdict (-want +got):\n%s", diff)
			}
			if _, ok := stored(t, store, here); ok != tc.survives {
				t.Errorf("the row is in the store: %v, want %v", ok, tc.survives)
			}
		})
	}
}

func TestVerdictMissesAnUnknownKey(t *testing.T) {
	c := New((&testClock{start}).Now)
	if err := c.Remember(t.Context(), here, negotiation.EraModern, modern); err != nil {
		t.Fatal(err)
	}
	if entry, ok, err := c.Verdict(t.Context(), there); ok || err != nil || entry != (Entry{}) {
		t.Errorf("Verdict = %v, %v, %v, want a miss", entry, ok, err)
	}
}

func TestVerdictKeepsARowThatCameWhileItDeletedTheOldOne(t *testing.T) {
	store := newScriptStore()
	clock := &testClock{start.Add(time.Hour)}
	c := New(clock.Now, WithStore(store))
	save(t, store, here, entryAt(0))
	store.beforeDelete = func(ctx context.Context) error { return store.Memory.Save(ctx, here, entryAt(time.Hour)) }

	if _, ok, err := c.Verdict(t.Context(), here); ok || err != nil {
		t.Errorf("Verdict of an old row = %v, %v, want a miss", ok, err)
	}
	if got, ok, _ := c.Verdict(t.Context(), here); !ok || !got.Equal(entryAt(time.Hour)) {
		t.Errorf("Verdict = %v, %v, want the new row", got, ok)
	}
}

func TestVerdictReportsTheStoreBesideAMiss(t *testing.T) {
	for name, tc := range map[string]struct {
		store scriptStore
		ttl   time.Duration
		want  error
	}{
		"Load fails":                   {scriptStore{beforeLoad: failing}, DefaultTTL, errStore},
		"the old row can't be deleted": {scriptStore{beforeDelete: failing}, time.Nanosecond, errStore},
		"TTL zero asks no store":       {scriptStore{beforeLoad: failing}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			tc.store.Memory = NewMemory(0)
			save(t, &tc.store, here, entryAt(0))
			c := New((&testClock{start.Add(time.Minute)}).Now, WithStore(&tc.store), WithTTL(tc.ttl))
			entry, ok, err := c.Verdict(t.Context(), here)
			if entry != (Entry{}) || ok || !errors.Is(err, tc.want) {
				t.Errorf("Verdict = %v, %v, %v, want a miss and %v", entry, ok, err, tc.want)
			}
		})
	}
}

func TestRemember(t *testing.T) {
	for name, tc := range map[string]struct {
		era     negotiation.Era
		version string
		want    error
	}{
		"modern":                              {negotiation.EraModern, modern, nil},
		"legacy":                              {negotiation.EraLegacy, legacy, nil},
		"an unknown era is refused":           {negotiation.EraUnknown, modern, ErrInvalidEntry},
		"an unknown era and version":          {negotiation.EraUnknown, "latest", ErrInvalidEntry},
		"an era out of range is refused":      {negotiation.Era(9), modern, ErrInvalidEntry},
		"a version of another era is refused": {negotiation.EraModern, legacy, ErrInvalidEntry},
		"a verdict needs a version":           {negotiation.EraLegacy, "", ErrInvalidEntry},
	} {
		t.Run(name, func(t *testing.T) {
			store := NewMemory(0)
			c := New((&testClock{start}).Now, WithStore(store))
			if err := c.Remember(t.Context(), here, tc.era, tc.version); !errors.Is(err, tc.want) {
				t.Fatalf("Remember = %v, want %v", err, tc.want)
			}
			got, ok := stored(t, store, here)
			want := Entry{}
			if tc.want == nil {
				want = Entry{Era: tc.era, Version: tc.version, DecidedAt: start}
			}
			if ok != (tc.want == nil) || got != want {
				t.Errorf("stored %v, %v, want %v", got, ok, want)
			}
		})
	}
}

func TestRememberReplacesAnEarlierVerdict(t *testing.T) {
	clock := &testClock{start}
	c := New(clock.Now)
	for _, version := range []string{legacy, modern} {
		clock.now = clock.now.Add(DefaultTTL)
		if err := c.Remember(t.Context(), here, negotiation.EraOf(version), version); err != nil {
			t.Fatal(err)
		}
	}
	want := entryAt(2 * DefaultTTL)
	if got, ok, err := c.Verdict(t.Context(), here); got != want || !ok || err != nil {
		t.Errorf("Verdict = %v, %v, %v, want %v", got, ok, err, want)
	}
}

func TestRememberStampsTheWallClockInUTC(t *testing.T) {
	store := NewMemory(0)
	c := New(time.Now, WithStore(store))
	if err := c.Remember(t.Context(), here, negotiation.EraModern, modern); err != nil {
		t.Fatal(err)
	}
	got, _ := stored(t, store, here)
	if got.DecidedAt != got.DecidedAt.Round(0).UTC() {
		t.Errorf("DecidedAt is %#v", got.DecidedAt)
	}
}

func TestRememberReturnsTheStoresError(t *testing.T) {
	c := New((&testClock{start}).Now, WithStore(&scriptStore{beforeSave: failing}))
	if err := c.Remember(t.Context(), here, negotiation.EraModern, modern); !errors.Is(err, errStore) {
		t.Errorf("Remember = %v, want %v", err, errStore)
	}
}

func TestForget(t *testing.T) {
	store := newScriptStore()
	c := New((&testClock{start}).Now, WithStore(store))
	save(t, store, here, entryAt(0))
	save(t, store, there, entryAt(0))

	if err := c.Forget(t.Context(), here); err != nil {
		t.Fatal(err)
	}
	if _, ok := stored(t, store, here); ok {
		t.Error("the row is still there")
	}
	if _, ok := stored(t, store, there); !ok {
		t.Error("another row went with it")
	}
	if err := c.Forget(t.Context(), here); err != nil {
		t.Errorf("Forget of nothing = %v, want nil", err)
	}

	store.beforeDelete = failing
	if err := c.Forget(t.Context(), there); !errors.Is(err, errStore) {
		t.Errorf("Forget = %v when deleting fails, want %v", err, errStore)
	}
	store.beforeLoad = failing
	if err := c.Forget(t.Context(), here); !errors.Is(err, errStore) {
		t.Errorf("Forget = %v when loading fails, want %v", err, errStore)
	}
}

func TestRefute(t *testing.T) {
	store := newScriptStore()
	c := New((&testClock{start}).Now, WithStore(store))
	save(t, store, here, entryAt(0))

	if err := c.Refute(t.Context(), here, entryAt(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, ok := stored(t, store, here); !ok {
		t.Error("refuting an earlier verdict deleted the new one")
	}
	if err := c.Refute(t.Context(), here, entryAt(0)); err != nil {
		t.Fatal(err)
	}
	if _, ok := stored(t, store, here); ok {
		t.Error("the refuted verdict is still there")
	}
	store.beforeDelete = failing
	if err := c.Refute(t.Context(), here, entryAt(0)); !errors.Is(err, errStore) {
		t.Errorf("Refute = %v, want %v", err, errStore)
	}
}

func TestTTL(t *testing.T) {
	if got := New(time.Now).TTL(); got != 15*time.Minute {
		t.Errorf("the default TTL is %v, want 15 min", got)
	}
	if got := New(time.Now, WithTTL(time.Second)).TTL(); got != time.Second {
		t.Errorf("TTL = %v, want 1 s", got)
	}
}

func TestEntryEqual(t *testing.T) {
	base := entryAt(0)
	for name, tc := range map[string]struct {
		other Entry
		want  bool
	}{
		"itself":                       {base, true},
		"the instant in another zone":  {Entry{base.Era, base.Version, start.In(time.FixedZone("", 3600))}, true},
		"another era":                  {Entry{negotiation.EraLegacy, base.Version, start}, false},
		"another version":              {Entry{base.Era, "2027-01-01", start}, false},
		"the instant a nanosecond off": {entryAt(1), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := base.Equal(tc.other); got != tc.want {
				t.Errorf("Equal = %v, want %v", got, tc.want)
			}
		})
	}
}
