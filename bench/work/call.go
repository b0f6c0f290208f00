package work

import (
	"context"

	"github.com/mcpera/mcpera/bench/sdk"
	"github.com/mcpera/mcpera/bench/server"
)

// Calls of a tool that answers in a few words, one after the other.
var (
	callJSON = Work{
		Key: "call-json", Name: "`tools/call`, HTTP JSON", Must: 1.25, MustBytes: 1.5, Ops: 600,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			return opened(ctx, c, s.http(modern, 20), func(session sdk.Session) error { return call(ctx, session, server.Echo) })
		},
	}
	callSSE = Work{
		Key: "call-sse", Name: "`tools/call`, HTTP SSE", Must: 1.3, MustBytes: 1.6, Ops: 600,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			return opened(ctx, c, s.http(modern, 20), func(session sdk.Session) error { return call(ctx, session, server.EchoSSE) })
		},
	}
	callStdio = Work{
		Key: "call-stdio", Name: "`tools/call`, stdio, the floor multiplexes", Must: 1.25, Ops: 1500,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			return opened(ctx, c, s.stdio(modern, 20), func(session sdk.Session) error { return call(ctx, session, server.Echo) })
		},
	}
)

func call(ctx context.Context, s sdk.Session, tool string) error {
	text, err := s.Call(ctx, tool)
	if err == nil && text != server.EchoText {
		err = differs(tool, text, server.EchoText)
	}
	return err
}
