// Package http reaches a server over Streamable HTTP, in the shape of either
// era: every message is a POST of its own, answered by JSON or by an event
// stream. Import it as mcphttp.
//
// The caller's http.Client is copied, never changed. Its Timeout is not
// applied, since it would cut event streams; contexts bound requests instead.
// Redirects are followed only within the origin, at most three, and only those
// that keep the method (307, 308).
//
// Source: MCP 2026-07-28, basic/transports/streamable-http; 2025-11-25,
// basic/transports, "Streamable HTTP".
package http
