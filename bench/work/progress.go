package work

import (
	"context"
	"fmt"

	"github.com/mcpera/mcpera/bench/sdk"
	"github.com/mcpera/mcpera/bench/server"
)

const reports = 1000

// progress is a call during which the server reports progress.
var progress = Work{
	Key: "progress", Name: "call with 1,000 progress notifications, SSE", Must: 1, Ops: 12,
	Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
		tool := fmt.Sprint(server.Progress, reports)
		return opened(ctx, c, s.http(modern, 20), func(session sdk.Session) error {
			n, err := session.CallWithProgress(ctx, tool, reports)
			if err == nil && n != reports {
				err = differs("reports of progress", n, reports)
			}
			return err
		})
	},
}
