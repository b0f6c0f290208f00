// Subscriber keeps a list of a server's tools that is always right: it follows
// the server's changes and says which tools came and went, until it is
// interrupted. When the connection breaks it is made again, and what changed
// meanwhile is found out.
//
//	go run ./cmd/mcpera serve --addr 127.0.0.1:8080
//	go run ./examples/subscriber http://127.0.0.1:8080/mcp
//	go run ./cmd/mcpera call --url http://127.0.0.1:8080/mcp test_trigger_tool_change '{}'
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: subscriber URL")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1], os.Stdout); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "subscriber:", err)
		os.Exit(1)
	}
}

// run follows the server at url until ctx ends or the server ends it.
func run(ctx context.Context, url string, out io.Writer) error {
	c, err := mcpera.Dial(ctx, url)
	if err != nil {
		return err
	}
	defer c.Close()
	known := make(map[string]bool)
	for change, err := range c.Subscribe(ctx, protocol.SubscriptionFilter{ToolsListChanged: true}) {
		if errors.Is(err, client.ErrNoSubscriptions) {
			return errors.New("the server does not tell when its tools change")
		}
		if err != nil {
			return err
		}
		// Whatever it is, it is a reason to look: the first list is read when the
		// server has begun to tell of changes, so that none is missed.
		fmt.Fprintf(out, "%s:", change.Kind)
		now, err := names(ctx, c)
		if err != nil {
			return err
		}
		tell(out, known, now)
		known = now
	}
	return nil
}

// names returns the names of the server's tools.
func names(ctx context.Context, c *client.Client) (map[string]bool, error) {
	all := make(map[string]bool)
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			return nil, err
		}
		all[tool.Name] = true
	}
	return all, nil
}

// tell writes what came and what went.
func tell(out io.Writer, before, now map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !before[name] {
			fmt.Fprintf(out, " +%s", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if !now[name] {
			fmt.Fprintf(out, " -%s", name)
		}
	}
	fmt.Fprintln(out)
}
