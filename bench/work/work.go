// Package work is what the clients are made to do, and how it is measured.
package work

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/mcpera/mcpera/bench/sdk"
)

// A Work is one row of the table.
type Work struct {
	Key  string // for flags
	Name string
	// Must is what ours must not exceed, in CPU time and bytes of the floor's; 0
	// for no bound.
	Must, MustBytes float64
	// Ops is how often it is done in one round.
	Ops int
	// Begin prepares a client for the work.
	Begin func(context.Context, *Servers, sdk.Client, bool) (Running, error)
}

// Running is a client at work.
type Running struct {
	// Do does the work n times.
	Do func(n int) error
	// End ends it.
	End func() error
	// Measure replaces the usual measurement, unless it is nil.
	Measure func(n int) (Sample, error)
}

// A Sample is what an operation cost on average, in one round.
type Sample struct {
	Wall, CPU     time.Duration
	Bytes, Allocs float64 // allocated
	Goroutines    float64 // left, of an idle client
	Connections   float64 // new ones
}

// Works are all rows.
func Works() []Work {
	return []Work{
		callJSON, callSSE, callers, callStdio, textHTTP, textStdio, progress,
		list20, list1000, connectCold, connectSharing, connectWarm, idle,
	}
}

// sample does the work n times and tells what one cost. CPU time is that of
// this process alone, with all that runs in it; the server is another.
func (r Running) sample(n int, s *Servers) (Sample, error) {
	if r.Measure != nil {
		return r.Measure(n)
	}
	connections, err := s.connections()
	if err != nil {
		return Sample{}, err
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu, start := cpuTime(), time.Now()
	if err := r.Do(n); err != nil {
		return Sample{}, err
	}
	wall := time.Since(start)
	cpu = cpuTime() - cpu
	runtime.ReadMemStats(&after)
	now, err := s.connections()
	if err != nil {
		return Sample{}, err
	}
	per := float64(n)
	return Sample{
		Wall: wall / time.Duration(n), CPU: cpu / time.Duration(n),
		Bytes: float64(after.TotalAlloc-before.TotalAlloc) / per, Allocs: float64(after.Mallocs-before.Mallocs) / per,
		Connections: float64(now-connections) / per,
	}, nil
}

// cpuTime is the CPU time that this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it can't fail for oneself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Round measures n operations after a few that warm up.
func (r Running) Round(n int, s *Servers) (Sample, error) {
	if r.Measure == nil {
		if err := r.Do(max(1, n/10)); err != nil {
			return Sample{}, err
		}
	}
	return r.sample(n, s)
}

// Servers is where the neutral server is.
type Servers struct {
	Addr     string   // of HTTP
	IdleAddr string   // the same, closing idle connections soon
	Self     []string // the command of a stdio server, without its arguments
}

// http returns a site over HTTP.
func (s *Servers) http(modern bool, numbers ...int) sdk.Server {
	return sdk.Server{Modern: modern, URL: "http://" + s.Addr + path(modern, numbers)}
}

func path(modern bool, numbers []int) string {
	p := "/legacy"
	if modern {
		p = "/modern"
	}
	for _, n := range numbers {
		p += "/" + strconv.Itoa(n)
	}
	return p
}

// stdio returns a site over stdio.
func (s *Servers) stdio(modern bool, numbers ...int) sdk.Server {
	return sdk.Server{Modern: modern, Command: append(s.Self[:len(s.Self):len(s.Self)], path(modern, numbers))}
}

// connections asks how many connections the server has accepted, on one that
// was there before.
func (s *Servers) connections() (int64, error) {
	resp, err := asking.Get("http://" + s.Addr + "/connections")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(body), 10, 64)
}

var asking = &http.Client{Transport: &http.Transport{}}

// opened is a Running on one session, that does op n times, one after the other.
func opened(ctx context.Context, c sdk.Client, at sdk.Server, op func(sdk.Session) error) (Running, error) {
	s, err := c.Open(ctx, at)
	if err != nil {
		return Running{}, err
	}
	return Running{
		Do: func(n int) error {
			for range n {
				if err := op(s); err != nil {
					return err
				}
			}
			return nil
		},
		End: s.Close,
	}, nil
}

// differs is the error of an answer that is not what it should be.
func differs(what string, got, want any) error {
	return fmt.Errorf("%s: got %v, want %v", what, got, want)
}
