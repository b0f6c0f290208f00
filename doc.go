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
// The packages:
//
//   - mcpera: the two short forms, Dial for a URL and Command for a process
//   - client: Connect, and everything that a connected client can do
//   - handler: what a program plugs in to serve sampling, elicitation and roots
//   - transport, transport/http, transport/stdio: the ways to reach a server
//   - auth: logins by OAuth 2.1, for transport/http
//   - negotiation: the era decision, as a pure table
//   - erecache: remembers what servers speak
//   - client/responsecache: keeps what servers answered, for as long as they allow
//   - fleet: many servers from one configuration
//   - toolcall: tools as the function tools of model APIs, and back
//   - protocol: the wire types
//   - conformance: servers to test against
package mcpera
