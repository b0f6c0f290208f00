package soak_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

const (
	workers  = 64
	byStdio  = 8 // of the workers: processes cost more
	short    = 10 * time.Second
	maxGrown = 24 << 20 // bytes that the heap may have grown by, whatever the time
	maxMore  = 20       // goroutines that may have come
)

// eras are those that servers speak.
var eras = []conformance.Era{conformance.Modern, conformance.Legacy, conformance.Both}

func TestSoak(t *testing.T) {
	length := short
	if s := os.Getenv("SOAK"); s != "" {
		var err error
		if length, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SOAK_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("SOAK_SEED=%d for %v", seed, length)

	s := newSoak(t, seed)
	s.run(t, length/3)
	early := measure()
	s.run(t, length-length/3)
	late := measure()
	s.book.check(t)
	t.Logf("goroutines %d, then %d; heap %d KiB, then %d KiB", early.goroutines, late.goroutines, early.heap>>10, late.heap>>10)
	if late.goroutines > early.goroutines+maxMore {
		t.Errorf("the goroutines grew from %d to %d", early.goroutines, late.goroutines)
	}
	if late.heap > early.heap+maxGrown {
		t.Errorf("the heap grew from %d to %d KiB", early.heap>>10, late.heap>>10)
	}
}

// A soak is servers that break, and workers that use them.
type soak struct {
	book    *ledger
	workers []worker
	servers []*conformance.Server
}

func newSoak(t *testing.T, seed uint64) *soak {
	s := &soak{book: new(ledger)}
	shared := erecache.New(time.Now)
	var urls []string
	for i, era := range eras {
		url, srv := serve(t, era, s.book, newDice(seed, uint64(i)))
		urls, s.servers = append(urls, url), append(s.servers, srv)
	}
	for i := range workers {
		w := worker{dice: newDice(seed, uint64(100+i)), book: s.book, eras: shared}
		url, era := urls[i%len(urls)], eras[i%len(eras)]
		w.open = func() (transport.Transport, error) {
			return mcphttp.New(url, mcphttp.WithRetries(1), mcphttp.WithBackoff(soon))
		}
		if i < byStdio {
			w.open = func() (transport.Transport, error) {
				return stdio.New(command(era, uint64(w.dice.roll(1<<30))), stdio.WithShutdown(patience, patience))
			}
		}
		s.workers = append(s.workers, w)
	}
	return s
}

// serve starts a server of an era that breaks, over HTTP.
func serve(t *testing.T, era conformance.Era, book *ledger, d *dice) (url string, _ *conformance.Server) {
	t.Helper()
	srv := conformance.New(conformance.WithEra(era), conformance.WithTools(book.tool()))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hs := &http.Server{Handler: refuse(d, srv), ErrorLog: log.New(io.Discard, "", 0)}
	var serving sync.WaitGroup
	serving.Go(func() { _ = hs.Serve(faultyListener{listener, d}) }) // until Close
	t.Cleanup(func() {
		srv.Close()
		_ = hs.Close()
		serving.Wait()
	})
	return "http://" + listener.Addr().String() + "/mcp", srv
}

// run lets all workers work for some time, and stops them.
func (s *soak) run(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	var working sync.WaitGroup
	for _, w := range s.workers {
		working.Go(func() { w.work(ctx) })
	}
	working.Wait()
	for _, srv := range s.servers {
		srv.ForgetSessions() // of clients whose goodbye was lost
	}
	if twice := s.book.settled(); len(twice) > 0 {
		t.Errorf("%d calls were carried out more than once", len(twice))
	}
	if hasChildren() {
		t.Error("a process is left")
	}
}

// A size is what a process holds.
type size struct {
	goroutines int
	heap       uint64
}

// measure waits until what is about to end has ended, for as long as that
// helps.
func measure() (s size) {
	last := size{goroutines: 1 << 30}
	for {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s = size{runtime.NumGoroutine(), m.HeapAlloc}
		if s.goroutines >= last.goroutines {
			return s
		}
		last = s
		<-time.After(stallTime + 100*time.Millisecond) // connections that are stalled end by then
	}
}
