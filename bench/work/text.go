package work

import (
	"context"
	"fmt"

	"github.com/mcpera/mcpera/bench/sdk"
	"github.com/mcpera/mcpera/bench/server"
)

// Calls that return a long text.
var (
	textHTTP = Work{
		Key: "text-http", Name: "1 MB text result, JSON", Must: 0.6, Ops: 6,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			return beginText(ctx, c, s.http(modern, 20, 1<<20), 1<<20)
		},
	}
	textStdio = Work{
		Key: "text-stdio", Name: "1 MB text result, stdio", Must: 0.6, Ops: 6,
		Begin: func(ctx context.Context, s *Servers, c sdk.Client, modern bool) (Running, error) {
			return beginText(ctx, c, s.stdio(modern, 20, 1<<20), 1<<20)
		},
	}
)

func beginText(ctx context.Context, c sdk.Client, at sdk.Server, size int) (Running, error) {
	tool := fmt.Sprint(server.Text, size)
	want := server.Lines(size)
	return opened(ctx, c, at, func(session sdk.Session) error {
		text, err := session.Call(ctx, tool)
		if err == nil && text != want {
			err = differs("bytes of text", len(text), size)
		}
		return err
	})
}
