package erecache

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestAHitDoesNotAllocate(t *testing.T) {
	ctx, store := t.Context(), NewMemory(0)
	save(t, store, here, entryAt(0))
	c, probe := newCache(WithStore(store)), noProbe(t)
	aMinute := WithCallTTL(time.Minute)
	for name, hit := range map[string]func(){
		"Load":                       func() { _, _, _ = store.Load(ctx, here) },
		"Verdict":                    func() { _, _, _ = c.Verdict(ctx, here) },
		"Verdict with a call option": func() { _, _, _ = c.Verdict(ctx, here, aMinute) },
		"Resolve":                    func() { _, _ = c.Resolve(ctx, here, probe) },
	} {
		t.Run(name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, hit); got != 0 {
				t.Errorf("%v allocations, want none", got)
			}
		})
	}
}

// benchmarkHit measures what Verdict costs when the verdict is there.
func benchmarkHit(b *testing.B, store Store) {
	save(b, store, here, entryAt(0))
	c, ctx := newCache(WithStore(store)), b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, _ := c.Verdict(ctx, here); !ok {
			b.Fatal("a miss")
		}
	}
}

func BenchmarkHitInMemory(b *testing.B) { benchmarkHit(b, NewMemory(0)) }

func BenchmarkHitInFile(b *testing.B) {
	benchmarkHit(b, NewFile(filepath.Join(b.TempDir(), "eras.json")))
}

func BenchmarkHitIn64Goroutines(b *testing.B) {
	store := NewMemory(0)
	save(b, store, here, entryAt(0))
	c, ctx := newCache(WithStore(store)), b.Context()
	b.SetParallelism((64 + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, ok, _ := c.Verdict(ctx, here); !ok {
				b.Error("a miss")
			}
		}
	})
}

// BenchmarkSaveInFullMemory measures a Save that must evict: the price of
// looking for the oldest row among 10,000.
func BenchmarkSaveInFullMemory(b *testing.B) {
	store, n := NewMemory(0), 0
	next := func() {
		save(b, store, Key{"https://h", fmt.Sprint("/", n)}, entryAt(time.Duration(n)))
		n++
	}
	for range defaultMemoryRows {
		next()
	}
	for b.Loop() {
		next()
	}
}
