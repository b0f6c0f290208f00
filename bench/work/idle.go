package work

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/mcpera/mcpera/bench/sdk"
)

// idle is what an open client takes that has listed 20 tools and does nothing,
// once the server has closed the connection.
var idle = Work{
	Key: "idle", Name: "idle client after listing 20 tools", Ops: 100,
	Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
		at := s.http(modern, 20)
		at.URL = "http://" + s.IdleAddr + path(modern, []int{20})
		return Running{
			Measure: func(n int) (Sample, error) { return measureIdle(ctx, c, at, n) },
			End:     func() error { return nil },
		}, nil
	},
}

// idleTime is longer than the server keeps idle connections.
const idleTime = 150 * time.Millisecond

func measureIdle(ctx context.Context, c sdk.Client, at sdk.Server, n int) (Sample, error) {
	before, goroutines := memory(), runtime.NumGoroutine()
	sessions := make([]sdk.Session, 0, n)
	var failed error
	for range n {
		session, err := c.Open(ctx, at)
		if err != nil {
			failed = err
			break
		}
		sessions = append(sessions, session)
		failed = errors.Join(failed, list(ctx, session, 20))
	}
	time.Sleep(idleTime)
	per := float64(max(1, len(sessions)))
	sample := Sample{
		Bytes:      float64(memory()-before) / per,
		Goroutines: float64(runtime.NumGoroutine()-goroutines) / per,
	}
	for _, session := range sessions {
		failed = errors.Join(failed, session.Close())
	}
	return sample, failed
}

// memory is what lives, on the heap and on stacks.
func memory() int64 {
	runtime.GC()
	runtime.GC() // empties pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
