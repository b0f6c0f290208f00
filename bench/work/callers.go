package work

import (
	"context"
	"errors"
	"sync"

	"github.com/mcpera/mcpera/bench/sdk"
	"github.com/mcpera/mcpera/bench/server"
)

// callers is 64 goroutines that call the tool through one session.
var callers = Work{
	Key: "callers", Name: "64 callers, HTTP JSON", Must: 1.35, Ops: 1920,
	Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
		return beginCallers(ctx, s, c, modern, 64)
	},
}

func beginCallers(ctx context.Context, s *Servers, c sdk.Client, modern bool, callers int) (Running, error) {
	session, err := c.Open(ctx, s.http(modern, 20))
	if err != nil {
		return Running{}, err
	}
	return Running{
		Do: func(n int) error {
			each := max(1, n/callers)
			failed := make([]error, callers)
			var working sync.WaitGroup
			for i := range callers {
				working.Go(func() {
					for j := 0; j < each && failed[i] == nil; j++ {
						failed[i] = call(ctx, session, server.Echo)
					}
				})
			}
			working.Wait()
			return errors.Join(failed...)
		},
		End: session.Close,
	}, nil
}
