package work

import (
	"context"
	"errors"

	"github.com/mcpera/mcpera/bench/sdk"
)

// A Curve is work that can be made larger and larger.
type Curve struct {
	Name  string // what is measured
	Axis  string // what grows
	Sizes []int
	// Ops is how often the work is done to measure it at a size.
	Ops   func(size int) int
	Begin func(ctx context.Context, s *Servers, c sdk.Client, size int) (Running, error)
}

// Curves are all of them, in the modern era over HTTP.
func Curves() []Curve {
	return []Curve{
		{
			Name: "call with a text result", Axis: "bytes of text", Sizes: steps(1<<10, 16<<20, 4),
			Ops: func(size int) int { return min(200, max(2, 8<<20/size)) },
			Begin: func(ctx context.Context, s *Servers, c sdk.Client, size int) (Running, error) {
				return beginText(ctx, c, s.http(true, 20, size), size)
			},
		},
		{
			Name: "list of tools", Axis: "tools", Sizes: steps(10, 10_000, 10),
			Ops: func(size int) int { return min(200, max(2, 5000/size)) },
			Begin: func(ctx context.Context, s *Servers, c sdk.Client, size int) (Running, error) {
				return beginList(ctx, s, c, true, size)
			},
		},
		{
			Name: "one call of each caller, side by side", Axis: "callers", Sizes: steps(1, 512, 2),
			Ops: func(size int) int { return max(4, 2000/size) },
			Begin: func(ctx context.Context, s *Servers, c sdk.Client, size int) (Running, error) {
				r, err := beginCallers(ctx, s, c, true, size)
				calls := r.Do
				r.Do = func(n int) error { return calls(n * size) }
				return r, err
			},
		},
		{
			Name: "open clients, list once with each, close them", Axis: "clients", Sizes: []int{10, 50, 100, 500, 1000, 5000},
			Ops: func(size int) int { return max(1, 200/size) },
			Begin: func(ctx context.Context, s *Servers, c sdk.Client, size int) (Running, error) {
				at := s.http(true, 20)
				return Running{
					Do: func(n int) error {
						for range n {
							if err := openMany(ctx, c, at, size); err != nil {
								return err
							}
						}
						return nil
					},
					End: func() error { return nil },
				}, nil
			},
		},
	}
}

// openMany has n clients open at the same time.
func openMany(ctx context.Context, c sdk.Client, at sdk.Server, n int) error {
	var failed error
	var sessions []sdk.Session
	for range n {
		session, err := c.Open(ctx, at)
		if err != nil {
			failed = err
			break
		}
		sessions = append(sessions, session)
		failed = errors.Join(failed, list(ctx, session, 20))
	}
	for _, session := range sessions {
		failed = errors.Join(failed, session.Close())
	}
	return failed
}

// steps are sizes from first to last, each so many times the one before.
func steps(first, last, factor int) []int {
	var all []int
	for size := first; size <= last; size *= factor {
		all = append(all, size)
	}
	return all
}
