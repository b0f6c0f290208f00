package erecache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpera/mcpera/negotiation"
)

var (
	errOwn  = errors.New("401")
	errDown = errors.New("503")

	modernProven   = Finding{Era: negotiation.EraModern, Version: modern, Proven: true}
	legacyProven   = Finding{Era: negotiation.EraLegacy, Version: legacy, Proven: true}
	legacyUnproven = Finding{Era: negotiation.EraLegacy}
)

// finds is a probe that ends at once.
func finds(f Finding, err error) Probe {
	return func(context.Context) (Finding, error) { return f, err }
}

// noProbe is a probe that must not run.
func noProbe(t *testing.T) Probe {
	return func(context.Context) (Finding, error) {
		t.Error("probed")
		return Finding{}, errOwn
	}
}

func entryOf(f Finding) Entry { return Entry{Era: f.Era, Version: f.Version, DecidedAt: start} }

// newCache returns a cache whose clock stands at start.
func newCache(opts ...Option) *Cache { return New((&testClock{start}).Now, opts...) }

// An outcome is what one Resolve returned.
type outcome struct {
	Resolved
	err error
}

// pending is a Resolve that runs on a goroutine of its own.
type pending chan outcome

func resolving(ctx context.Context, c *Cache, key Key, probe Probe, opts ...CallOption) pending {
	p := make(pending, 1)
	go func() {
		r, err := c.Resolve(ctx, key, probe, opts...)
		p <- outcome{r, err}
	}()
	return p
}

// want checks an outcome that is there or about to be.
func (p pending) want(t *testing.T, who string, entry Entry, source Source, err error) {
	t.Helper()
	got := <-p
	checkResolved(t, who, got.Resolved, got.err, Resolved{Entry: entry, Source: source}, err)
}

// waits checks that the call has not returned. Call it after synctest.Wait.
func (p pending) waits(t *testing.T, who string) {
	t.Helper()
	if len(p) > 0 {
		t.Errorf("%s did not wait", who)
	}
}

func checkResolved(t *testing.T, who string, got Resolved, gotErr error, want Resolved, wantErr error) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateErrors()); diff != "" {
		t.Errorf("%s: Resolve (-want +got):\n%s", who, diff)
	}
	if !errors.Is(gotErr, wantErr) {
		t.Errorf("%s: Resolve error = %v, want %v", who, gotErr, wantErr)
	}
}

// A gate is a probe that a test lets through.
type gate struct {
	entered atomic.Int32
	open    chan struct{}
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

// then is a probe that waits for the gate, or for its context when that can
// end, and then returns f and err.
func (g *gate) then(f Finding, err error) Probe {
	return func(ctx context.Context) (Finding, error) {
		g.entered.Add(1)
		select {
		case <-g.open:
			return f, err
		case <-ctx.Done():
			return Finding{}, ShareError(fmt.Errorf("%w: %w", errDown, ctx.Err()))
		}
	}
}

func TestResolveWithoutCompany(t *testing.T) {
	for name, tc := range map[string]struct {
		cached  *Entry
		opts    []CallOption
		probe   Probe
		want    Resolved
		wantErr error
		stored  *Entry // afterwards
	}{
		"a cached verdict needs no probe": {
			cached: new(entryAt(-time.Minute)), probe: noProbe(t),
			want: Resolved{Entry: entryAt(-time.Minute), Source: FromCache}, stored: new(entryAt(-time.Minute)),
		},
		"an old verdict is probed again": {
			cached: new(entryAt(-time.Hour)), probe: finds(legacyProven, nil),
			want: Resolved{Entry: entryOf(legacyProven), Source: FromProbe}, stored: new(entryOf(legacyProven)),
		},
		"a verdict past the call's own TTL is probed again": {
			cached: new(entryAt(-time.Minute)), opts: []CallOption{WithCallTTL(time.Second)}, probe: finds(legacyProven, nil),
			want: Resolved{Entry: entryOf(legacyProven), Source: FromProbe}, stored: new(entryOf(legacyProven)),
		},
		"a proven finding is remembered": {
			probe: finds(modernProven, nil),
			want:  Resolved{Entry: entryOf(modernProven), Source: FromProbe}, stored: new(entryOf(modernProven)),
		},
		"an unproven finding is not remembered": {
			probe: finds(legacyUnproven, nil),
			want:  Resolved{Entry: entryOf(legacyUnproven), Source: FromProbe},
		},
		"an error is returned and nothing remembered": {
			probe: finds(modernProven, errOwn), wantErr: errOwn,
		},
		"a shared error matches its cause": {
			probe: finds(Finding{}, ShareError(errDown)), wantErr: errDown,
		},
		"a finding without an era is an error": {
			probe: finds(Finding{Version: modern, Proven: true}, nil), wantErr: ErrInvalidEntry,
		},
		"a proven finding that contradicts itself is used but not remembered": {
			probe: finds(Finding{negotiation.EraModern, legacy, true}, nil),
			want: Resolved{
				Entry:  Entry{negotiation.EraModern, legacy, start},
				Source: FromProbe, StoreErr: ErrInvalidEntry,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := NewMemory(0)
			if tc.cached != nil {
				save(t, store, here, *tc.cached)
			}
			got, err := newCache(WithStore(store)).Resolve(t.Context(), here, tc.probe, tc.opts...)
			checkResolved(t, "the call", got, err, tc.want, tc.wantErr)
			if row, ok := stored(t, store, here); ok != (tc.stored != nil) || ok && row != *tc.stored {
				t.Errorf("stored %v, %v, want %v", row, ok, tc.stored)
			}
		})
	}
}

func TestResolveReportsTheStoreAndGoesOn(t *testing.T) {
	errSave := errors.New("read only")
	failSave := func(context.Context) error { return errSave }
	for name, tc := range map[string]struct {
		store   scriptStore
		probe   Probe
		want    Resolved
		wantErr error
	}{
		"Load fails": {
			scriptStore{beforeLoad: failing}, finds(modernProven, nil),
			Resolved{entryOf(modernProven), FromProbe, errStore}, nil,
		},
		"Save fails": {
			scriptStore{beforeSave: failSave}, finds(modernProven, nil),
			Resolved{entryOf(modernProven), FromProbe, errSave}, nil,
		},
		"Load fails and so does the probe": {
			scriptStore{beforeLoad: failing}, finds(Finding{}, errOwn),
			Resolved{StoreErr: errStore}, errOwn,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.store.Memory = NewMemory(0)
			got, err := newCache(WithStore(&tc.store)).Resolve(t.Context(), here, tc.probe)
			checkResolved(t, "the call", got, err, tc.want, tc.wantErr)
		})
	}
	t.Run("Load and Save fail", func(t *testing.T) {
		store := &scriptStore{NewMemory(0), failing, failSave, nil}
		got, err := newCache(WithStore(store)).Resolve(t.Context(), here, finds(modernProven, nil))
		if err != nil || !errors.Is(got.StoreErr, errStore) || !errors.Is(got.StoreErr, errSave) {
			t.Errorf("Resolve = %v, %v, want both store errors in StoreErr", got, err)
		}
	})
}

func TestResolveReportsTheStoreToThoseWhoWait(t *testing.T) {
	for name, tc := range map[string]struct {
		finding Finding
		err     error
		leave   bool
		want    Resolved
		wantErr error
	}{
		"with the finding":           {legacyUnproven, nil, false, Resolved{entryOf(legacyUnproven), FromOther, errStore}, nil},
		"with the shared error":      {Finding{}, ShareError(errDown), false, Resolved{StoreErr: errStore}, errDown},
		"with their context's error": {Finding{}, nil, true, Resolved{StoreErr: errStore}, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCache(WithStore(&scriptStore{beforeLoad: failing}))
				g := newGate()
				leader := resolving(t.Context(), c, here, g.then(tc.finding, tc.err))
				synctest.Wait()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				waiter := resolving(ctx, c, here, noProbe(t))
				synctest.Wait()
				if tc.leave {
					leave()
					got := <-waiter
					checkResolved(t, "the waiter", got.Resolved, got.err, tc.want, tc.wantErr)
					close(g.open)
				} else {
					close(g.open)
					got := <-waiter
					checkResolved(t, "the waiter", got.Resolved, got.err, tc.want, tc.wantErr)
				}
				<-leader
			})
		})
	}
}

func TestResolveProbesOnceForAll(t *testing.T) {
	for name, finding := range map[string]Finding{
		"a proven finding is shared":    modernProven,
		"an unproven finding is shared": legacyUnproven,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, g := newCache(), newGate()
				calls := make([]pending, 64)
				for i := range calls {
					calls[i] = resolving(t.Context(), c, here, g.then(finding, nil))
				}
				synctest.Wait()
				if got := g.entered.Load(); got != 1 {
					t.Errorf("%d probes in flight, want 1", got)
				}
				close(g.open)
				sources := map[Source]int{}
				for _, call := range calls {
					got := <-call
					sources[got.Source]++
					if got.Entry != entryOf(finding) || got.err != nil || got.StoreErr != nil {
						t.Errorf("Resolve = %v, %v", got.Resolved, got.err)
					}
				}
				if diff := cmp.Diff(map[Source]int{FromProbe: 1, FromOther: 63}, sources); diff != "" {
					t.Errorf("sources (-want +got):\n%s", diff)
				}
				if got := g.entered.Load(); got != 1 {
					t.Errorf("%d probes, want 1", got)
				}
				_, ok, _ := c.Verdict(t.Context(), here)
				if ok != finding.Proven {
					t.Errorf("remembered: %v, want %v", ok, finding.Proven)
				}
			})
		})
	}
}

func TestResolveRemembersBeforeAnyCallReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, saving := newScriptStore(), make(chan struct{})
		store.beforeSave = func(context.Context) error { <-saving; return nil }
		c, g := newCache(WithStore(store)), newGate()
		close(g.open)

		leader := resolving(t.Context(), c, here, g.then(modernProven, nil))
		synctest.Wait()
		waiter := resolving(t.Context(), c, here, noProbe(t))
		synctest.Wait()
		leader.waits(t, "the leader")
		waiter.waits(t, "the waiter")
		close(saving)
		leader.want(t, "the leader", entryOf(modernProven), FromProbe, nil)
		waiter.want(t, "the waiter", entryOf(modernProven), FromOther, nil)
	})
}

func TestResolveKeysDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, g := newCache(), newGate()
		slow := resolving(t.Context(), c, here, g.then(modernProven, nil))
		synctest.Wait()
		resolving(t.Context(), c, there, finds(legacyProven, nil)).want(t, "the other key", entryOf(legacyProven), FromProbe, nil)
		slow.waits(t, "the slow key")
		close(g.open)
		slow.want(t, "the slow key", entryOf(modernProven), FromProbe, nil)
	})
}

func TestResolveHoldsNoLockWhileItProbes(t *testing.T) {
	c := newCache()
	got, err := c.Resolve(t.Context(), here, func(ctx context.Context) (Finding, error) {
		if err := c.Remember(ctx, here, negotiation.EraLegacy, legacy); err != nil {
			t.Errorf("Remember: %v", err)
		}
		if _, ok, err := c.Verdict(ctx, here); !ok || err != nil {
			t.Errorf("Verdict = %v, %v", ok, err)
		}
		if err := c.Forget(ctx, here); err != nil {
			t.Errorf("Forget: %v", err)
		}
		other, err := c.Resolve(ctx, there, finds(legacyProven, nil))
		checkResolved(t, "the other key", other, err, Resolved{Entry: entryOf(legacyProven), Source: FromProbe}, nil)
		return modernProven, nil
	})
	checkResolved(t, "the call", got, err, Resolved{Entry: entryOf(modernProven), Source: FromProbe}, nil)
}

func TestResolveHandsTheCallersContextToTheProbe(t *testing.T) {
	type name struct{}
	ctx := context.WithValue(t.Context(), name{}, "mine")
	_, err := newCache().Resolve(ctx, here, func(ctx context.Context) (Finding, error) {
		if got := ctx.Value(name{}); got != "mine" {
			t.Errorf("the probe's context holds %v", got)
		}
		return modernProven, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestResolveSharesTheServersError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, g := newCache(), newGate()
		down := fmt.Errorf("probe: %w", ShareError(errDown)) // the mark counts at any depth
		leader := resolving(t.Context(), c, here, g.then(Finding{}, down))
		synctest.Wait()
		var waiters []pending
		for range 8 {
			waiters = append(waiters, resolving(t.Context(), c, here, noProbe(t)))
		}
		synctest.Wait()
		close(g.open)
		leader.want(t, "the leader", Entry{}, NoSource, errDown)
		for _, waiter := range waiters {
			waiter.want(t, "a waiter", Entry{}, NoSource, errDown)
		}
		// The error itself is not remembered.
		resolving(t.Context(), c, here, finds(modernProven, nil)).want(t, "a later call", entryOf(modernProven), FromProbe, nil)
	})
}

func TestResolvePassesTheLead(t *testing.T) {
	for name, tc := range map[string]struct {
		finding Finding
		err     error
		leave   bool // the leader's context ends
		want    error
	}{
		"when the error is the leader's own":      {Finding{}, errOwn, false, errOwn},
		"when the finding is no era":              {Finding{}, nil, false, ErrInvalidEntry},
		"when the leader's own context has ended": {modernProven, nil, true, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, first, second := newCache(), newGate(), newGate()
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				leader := resolving(ctx, c, here, first.then(tc.finding, tc.err))
				synctest.Wait()
				waiters := make([]pending, 8)
				for i := range waiters {
					waiters[i] = resolving(t.Context(), c, here, second.then(modernProven, nil))
				}
				synctest.Wait()
				if tc.leave {
					leave()
				} else {
					close(first.open)
				}
				leader.want(t, "the leader", Entry{}, NoSource, tc.want)

				synctest.Wait()
				if got := second.entered.Load(); got != 1 {
					t.Errorf("%d waiters probe, want 1", got)
				}
				close(second.open)
				sources := map[Source]int{}
				for _, waiter := range waiters {
					got := <-waiter
					sources[got.Source]++
					if got.err != nil || got.Entry != entryOf(modernProven) {
						t.Errorf("a waiter: Resolve = %v, %v", got.Resolved, got.err)
					}
				}
				if diff := cmp.Diff(map[Source]int{FromProbe: 1, FromOther: 7}, sources); diff != "" {
					t.Errorf("sources (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestResolveGivesEachPrincipalItsOwnRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, g := newCache(), newGate()
		calls, errs := make([]pending, 8), make([]error, 8)
		for i := range calls {
			errs[i] = fmt.Errorf("principal %d: %w", i, errOwn)
			calls[i] = resolving(t.Context(), c, here, g.then(Finding{}, errs[i]))
		}
		synctest.Wait()
		close(g.open)
		for i, call := range calls {
			call.want(t, fmt.Sprint("principal ", i), Entry{}, NoSource, errs[i])
		}
		if got := g.entered.Load(); got != 8 {
			t.Errorf("%d probes, want one for each principal", got)
		}
	})
}

func TestResolveLetsAWaiterLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, g := newCache(), newGate()
		leader := resolving(t.Context(), c, here, g.then(modernProven, nil))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		leaver := resolving(ctx, c, here, noProbe(t))
		stayer := resolving(t.Context(), c, here, noProbe(t))
		leaver.want(t, "the one that leaves", Entry{}, NoSource, context.DeadlineExceeded)
		leader.waits(t, "the leader")
		stayer.waits(t, "the one that stays")
		close(g.open)
		leader.want(t, "the leader", entryOf(modernProven), FromProbe, nil)
		stayer.want(t, "the one that stays", entryOf(modernProven), FromOther, nil)
	})
}

func TestResolveSurvivesAPanicOfTheProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, g := newCache(), newGate()
		panicked := make(chan any, 1)
		go func() {
			defer func() { panicked <- recover() }() // so it runs on the caller's goroutine
			_, _ = c.Resolve(t.Context(), here, func(context.Context) (Finding, error) {
				<-g.open
				panic("probe")
			})
		}()
		synctest.Wait()
		waiter := resolving(t.Context(), c, here, finds(modernProven, nil))
		synctest.Wait()
		waiter.waits(t, "the waiter")
		close(g.open)
		if got := <-panicked; got != "probe" {
			t.Errorf("the caller saw the panic %v", got)
		}
		waiter.want(t, "the waiter", entryOf(modernProven), FromProbe, nil)
	})
}

// A verdict that is remembered between a call's miss and its lead needs no
// probe.
func TestResolveLooksAgainBeforeItProbes(t *testing.T) {
	store := newScriptStore()
	loads := 0
	store.beforeLoad = func(ctx context.Context) error {
		if loads++; loads == 2 {
			return store.Memory.Save(ctx, here, entryAt(0))
		}
		return nil
	}
	got, err := newCache(WithStore(store)).Resolve(t.Context(), here, noProbe(t))
	checkResolved(t, "the call", got, err, Resolved{Entry: entryAt(0), Source: FromCache}, nil)
}

// A verdict that the leader trusts is not forced on a call that waited for it
// and trusts less.
func TestResolveHoldsAWaiterToItsOwnTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, second := newScriptStore(), make(chan struct{})
		loads := 0
		store.beforeLoad = func(ctx context.Context) error {
			if loads++; loads == 2 { // the leader's second look
				<-second
				return store.Memory.Save(ctx, here, entryAt(-10*time.Minute))
			}
			return nil
		}
		c := newCache(WithStore(store))
		leader := resolving(t.Context(), c, here, noProbe(t))
		synctest.Wait()
		waiter := resolving(t.Context(), c, here, finds(legacyProven, nil), WithCallTTL(5*time.Minute))
		synctest.Wait()
		waiter.waits(t, "the waiter")
		close(second)
		leader.want(t, "the leader", entryAt(-10*time.Minute), FromCache, nil)
		waiter.want(t, "the waiter", entryOf(legacyProven), FromProbe, nil)
	})
}

func TestResolveProbesOnceAfterManyRefutations(t *testing.T) {
	c := newCache()
	if err := c.Remember(t.Context(), here, negotiation.EraLegacy, legacy); err != nil {
		t.Fatal(err)
	}
	var (
		probes  atomic.Int32
		wg      sync.WaitGroup
		refuted = entryOf(legacyProven)
	)
	for range 32 {
		wg.Go(func() {
			if err := c.Refute(t.Context(), here, refuted); err != nil {
				t.Errorf("Refute: %v", err)
			}
			got, err := c.Resolve(t.Context(), here, func(context.Context) (Finding, error) {
				probes.Add(1)
				return modernProven, nil
			})
			if err != nil || got.Entry != entryOf(modernProven) {
				t.Errorf("Resolve = %v, %v", got, err)
			}
		})
	}
	wg.Wait()
	if got := probes.Load(); got != 1 {
		t.Errorf("%d probes, want 1", got)
	}
}

func TestShareErrorOfNilIsNil(t *testing.T) {
	if err := ShareError(nil); err != nil {
		t.Errorf("ShareError(nil) = %v", err)
	}
	if got := ShareError(errDown).Error(); got != errDown.Error() {
		t.Errorf("ShareError changed the text to %q", got)
	}
}

func TestSourceString(t *testing.T) {
	for source, want := range map[Source]string{
		NoSource: "none", FromCache: "cache", FromProbe: "probe", FromOther: "other", 9: "none",
	} {
		if got := source.String(); got != want {
			t.Errorf("Source(%d) = %q, want %q", source, got, want)
		}
	}
}
