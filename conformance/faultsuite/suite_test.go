package faultsuite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	kinds "github.com/mcpera/mcpera/conformance/internal/kind"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
)

func TestMain(m *testing.M) {
	fault.RunIfChild()
	debug.SetTraceback("all") // a hang says where
	code := m.Run()
	if n := ran.Load(); n > 0 {
		fmt.Printf("fault suite: %d cells of %d faults and points, over %d transports, in 2 eras\n", n, points(cells()), len(wires))
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// ran counts the cells that were run.
var ran atomic.Int64

// Fewer cells than these were lost by accident.
const (
	leastCells  = 4500
	leastPoints = 1000
)

func TestEveryFaultAtEveryPoint(t *testing.T) {
	all := cells()
	if n := points(all); len(all) < leastCells || n < leastPoints {
		t.Errorf("%d cells of %d faults and points, no less than %d and %d", len(all), n, leastCells, leastPoints)
	}
	t.Logf("%d cells of %d faults and points", len(all), points(all))
	for name, group := range map[string]struct {
		atOnce int
		has    func(cell) bool
	}{
		"over HTTP":  {24, func(c cell) bool { return c.wire.isHTTP() }}, // many of them wait
		"over stdio": {8, func(c cell) bool { return !c.wire.isHTTP() }},
	} {
		t.Run(name, func(t *testing.T) {
			var running errgroup.Group
			running.SetLimit(group.atOnce)
			for _, c := range all {
				if group.has(c) {
					running.Go(func() error {
						t.Run(c.String(), c.run)
						return nil
					})
				}
			}
			_ = running.Wait() // failures are the tests'
		})
	}
}

// grace is how long after every deadline a cell may still run.
const grace = 2 * time.Minute

// run runs a cell.
func (c cell) run(t *testing.T) {
	ran.Add(1)
	hang := time.AfterFunc(patient+grace, func() { panic("it hangs: " + c.String()) })
	defer hang.Stop()
	var s scripted
	var v visit
	var eras *erecache.Cache
	for met := false; !met; c.slack++ {
		s, eras = c.serve(t), erecache.New(time.Now)
		c.remember(t, eras, s.key)
		pprof.Do(context.Background(), pprof.Labels("cell", c.String()), func(context.Context) { v = c.visit(s, eras) })
		met = s.Count(c.key()) > 0 || !c.isSilent() || c.slack == 5
	}
	c.checkErrors(t, v)
	c.checkServer(t, s)
	c.checkEra(t, s, v, eras)
	c.checkLeaks(t, s)
	if t.Failed() {
		t.Logf("%v; the server saw %v", v, s.Methods())
	}
}

// checkErrors: what was met is of a type that is exported and expected, and
// nothing else was met.
func (c cell) checkErrors(t *testing.T, v visit) {
	met := v.met
	if v.connect != nil {
		met = v.connect
		if !errors.As(met, new(*client.ConnectError)) {
			t.Errorf("Connect failed with a %T", met)
		}
	}
	if want := c.want(); !slices.Contains(want, kinds.Of(met)) {
		t.Errorf("%s, want one of %q: %v", kinds.Of(met), want, met)
	}
	if v.next != nil && !slices.Contains(c.wantNext(), kinds.Of(v.next)) {
		t.Errorf("the next call met %s: %v", kinds.Of(v.next), v.next)
	}
	if v.close != nil {
		t.Errorf("Close: %v", v.close)
	}
	for _, err := range []error{met, v.next, v.lost} {
		if err != nil && (strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 4000) {
			t.Errorf("no error for a log: %.5000q", err)
		}
	}
}

// checkServer: the fault was met, and no call sent twice.
func (c cell) checkServer(t *testing.T, s scripted) {
	if s.Count(c.key()) == 0 {
		t.Errorf("%s did not reach the server", c.key())
	}
	if n := s.Count("tools/call"); n > 1 && !c.refused() {
		t.Errorf("tools/call reached the server %d times", n)
	}
}

// checkEra: only what is proven is remembered, and a server that refuses or is
// down is not asked for the other era.
func (c cell) checkEra(t *testing.T, s scripted, v visit, eras *erecache.Cache) {
	entry, remembered, err := eras.Verdict(t.Context(), s.key)
	if err != nil {
		t.Error(err)
	}
	if c.memory != nothing {
		c.checkMemory(t, s, v, remembered)
	}
	if remembered && (!v.opened && c.memory == nothing || v.opened && entry.Era != v.era) {
		t.Errorf("%v is remembered of a connection that was %v: %v", entry.Era, v.era, v.connect)
	}
	if v.opened && !remembered && c.fault.name != noVersion {
		t.Errorf("nothing is remembered of a connection that was %v", v.era)
	}
	asked := s.Count("initialize") > 0
	if c.memory == wrong && c.era == negotiation.EraModern { // it was, because of what was remembered
		return
	}
	modern := c.era == negotiation.EraModern && c.phase != probe
	if asked && (modern || c.phase == probe && c.saysNoEra()) {
		t.Errorf("the server was asked to initialize")
	}
}

// checkLeaks: no goroutine of the client and no process of the server is left.
func (c cell) checkLeaks(t *testing.T, s scripted) {
	for _, r := range s.Records() {
		if r.Key == fault.Start && alive(r.PID) {
			t.Errorf("process %d is left", r.PID)
		}
	}
	deadline := time.Now().Add(grace)
	for left := labelled(c.String()); left != ""; left = labelled(c.String()) {
		if time.Now().After(deadline) {
			t.Errorf("goroutines are left:\n%s", left)
			return
		}
		<-time.After(time.Millisecond) // they may be about to end
	}
}

// labelled returns the goroutines that the cell with a name has started.
func labelled(name string) string {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		panic(err) // a buffer takes everything
	}
	for goroutine := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(goroutine, fmt.Sprintf("%q", name)) {
			return goroutine
		}
	}
	return ""
}
