//go:build !race

package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/bench/sdk"
	"github.com/mcpera/mcpera/bench/work"
)

var update = flag.Bool("update", false, "record what is allocated now")

// recorded is what an operation of our client allocates.
const recorded = "testdata/allocs.txt"

// tolerance is how far from the recorded figures the measured ones may be.
const tolerance = 0.10

// An allocation is what one operation takes.
type allocation struct{ count, bytes float64 }

func (a allocation) near(b allocation) bool {
	return math.Abs(a.count-b.count) <= tolerance*b.count && math.Abs(a.bytes-b.bytes) <= tolerance*b.bytes
}

// What our client allocates for an operation stays what was recorded: a guard
// that looks at no clock. The race detector allocates too, so that the test is
// built without it. A change for the better is recorded with
//
//	go test -run TestAllocations . -update
func TestAllocations(t *testing.T) {
	servers, stop, err := startServer()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	var now strings.Builder
	want := readAllocations(t)
	for _, w := range work.Works() {
		if w.Key == "idle" || w.Key == "callers" { // they differ from run to run
			continue
		}
		for _, modern := range []bool{true, false} {
			name := w.Key + " " + era(modern)
			got := allocates(t, w, servers, modern)
			fmt.Fprintf(&now, "%s %.0f %.0f\n", name, got.count, got.bytes)
			if !*update && !got.near(want[name]) {
				t.Errorf("%s: %.0f allocations of %.0f bytes; recorded are %.0f of %.0f: "+
					"find out why, or record them with -update", name, got.count, got.bytes, want[name].count, want[name].bytes)
			}
		}
	}
	if *update {
		if err := os.WriteFile(recorded, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// allocates measures an operation of our client.
func allocates(t *testing.T, w work.Work, servers *work.Servers, modern bool) allocation {
	t.Helper()
	for _, c := range sdk.Clients() {
		if c.Name != sdk.Ours {
			continue
		}
		running, err := w.Begin(context.Background(), servers, c, modern)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := running.End(); err != nil {
				t.Error(err)
			}
		}()
		op := func() {
			if err := running.Do(1); err != nil {
				t.Error(err)
			}
		}
		op() // fills pools, compiles schemas, opens connections
		runs := max(40, w.Ops/2)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		count := testing.AllocsPerRun(runs, op)
		runtime.ReadMemStats(&after)
		return allocation{count, float64(after.TotalAlloc-before.TotalAlloc) / float64(runs+1)} // it warms up once
	}
	t.Fatal("our client is not there")
	return allocation{}
}

func readAllocations(t *testing.T) map[string]allocation {
	t.Helper()
	text, err := os.ReadFile(recorded)
	if err != nil && !*update {
		t.Fatal(err)
	}
	all := make(map[string]allocation)
	for line := range strings.Lines(string(text)) {
		var key, era string
		var a allocation
		if _, err := fmt.Sscan(line, &key, &era, &a.count, &a.bytes); err != nil {
			t.Fatalf("%s: %q: %v", recorded, line, err)
		}
		all[key+" "+era] = a
	}
	return all
}
