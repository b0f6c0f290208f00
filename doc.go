// Package mcpera is a client for the Model Context Protocol that works with
// servers of both eras: the modern one (2026-07-28 and later), which has no
// handshake, and the legacy one (2025-11-25 and earlier), which opens with
// initialize. It finds out which one a server speaks; the program never asks.
//
//	c, err := mcpera.Dial(ctx, "https://api.example.com/mcp")
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	result, err := c.CallTool(ctx, "get_weather", map[string]any{"city": "Oslo"})
//
// A client may be used by any number of goroutines until it is closed. Its errors
// are typed, the same in both eras: see package client, and docs/errors.md for all
// of them.
//
// docs/getting-started.md leads through the first hour.
//
// The packages:
//
//   - mcpera: the two short forms, Dial for a URL and Command for a process
//   - client: Connect, and everything that a connected client can do
//   - handler: what a program plugs in to serve sampling, elicitation and roots
//   - transport, transport/http, transport/stdio, transport/inmemory: the ways to
//     reach a server
//   - transport/inmemory: a server in the same process
//   - transport/target: where requests may go, for URLs that others gave
//   - auth: logins by OAuth 2.1, for transport/http
//   - negotiation: the era decision, as a pure table
//   - erecache: remembers what servers speak
//   - client/responsecache: keeps what servers answered, for as long as they allow
//   - fleet: many servers from one configuration
//   - toolcall: tools as the function tools of model APIs, and back
//   - protocol: the wire types
//   - conformance, conformance/fault: servers to test against
package mcpera
