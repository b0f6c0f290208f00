package work

import (
	"context"

	"github.com/mcpera/mcpera/bench/sdk"
)

// Lists of tools, in one page, that the server does not let be kept.
var (
	list20 = Work{
		Key: "list-20", Name: "list of 20 tools", Must: 1.3, Ops: 120,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			return beginList(ctx, s, c, modern, 20)
		},
	}
	list1000 = Work{
		Key: "list-1000", Name: "list of 1,000 tools", Must: 1.3, Ops: 3,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			return beginList(ctx, s, c, modern, 1000)
		},
	}
)

func beginList(ctx context.Context, s *Servers, c sdk.Client, modern bool, tools int) (Running, error) {
	return opened(ctx, c, s.http(modern, tools), func(session sdk.Session) error { return list(ctx, session, tools) })
}

func list(ctx context.Context, s sdk.Session, want int) error {
	n, err := s.List(ctx)
	if err == nil && n != want {
		err = differs("tools", n, want)
	}
	return err
}
