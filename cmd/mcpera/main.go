// Command mcpera talks to MCP servers of both eras from a terminal: it finds
// out which era a server speaks, uses what it offers, hears of its changes, and
// explains what is wrong with it. It also runs a server to test against, and
// shows on six servers how it all works.
//
//	mcpera demo
//	mcpera probe https://api.example.com/mcp
//	mcpera tools -- npx -y @modelcontextprotocol/server-everything
//
// See mcpera --help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// The first signal ends the context, so that servers are stopped in order.
	// Later ones change nothing: that takes seconds at most, and a process that
	// died of a second Ctrl-C could leave a server behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
