package work

import (
	"context"
	"errors"

	"github.com/mcpera/mcpera/bench/sdk"
)

// Connecting and listing 20 tools: to a server that was never met, with
// connections of its own for each client of ours and without; and to one whose era
// and description our client remembers. The peers remember nothing and share
// connections, and the floor knows the era.
var (
	connectCold = Work{
		Key: "connect-cold", Name: "connect and list, cold", Must: 1.5, Ops: 120,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			if c.Name == sdk.Ours {
				c.Open = sdk.OpenCold
			}
			return beginConnect(ctx, s, c, modern)
		},
	}
	connectSharing = Work{
		Key: "connect-sharing", Name: "connect and list, cold, with one `http.Client`", Must: 1.5, Ops: 120,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			if c.Name == sdk.Ours {
				c.Open = sdk.OpenSharing
			}
			return beginConnect(ctx, s, c, modern)
		},
	}
	connectWarm = Work{
		Key: "connect-warm", Name: "connect and list, warm", Must: 1.5, Ops: 120,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			return beginConnect(ctx, s, c, modern)
		},
	}
)

func beginConnect(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
	at := s.http(modern, 20)
	return Running{
		Do: func(n int) error {
			for range n {
				session, err := c.Open(ctx, at)
				if err != nil {
					return err
				}
				if err := errors.Join(list(ctx, session, 20), session.Close()); err != nil {
					return err
				}
			}
			return nil
		},
		End: func() error { return nil },
	}, nil
}
