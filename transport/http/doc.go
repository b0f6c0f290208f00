// Package http reaches a server over Streamable HTTP, in the shape of either
// era: every message is a POST of its own, answered by JSON or by an event
// stream. Import it as mcphttp.
//
//	t, err := mcphttp.New("https://api.example.com/mcp",
//		mcphttp.WithHeader("Authorization", "Bearer "+token))
//	if err != nil {
//		return err
//	}
//	c, err := client.Connect(ctx, t) // which closes t in the end
//
// One Transport is for one Client. Many of them may share an http.Client, an
// Authorizer, a Breaker and a RateLimit, all of which may be used concurrently.
// What goes wrong is told by the errors of package transport; a TargetError, a
// BreakerError and a RateLimitError say that nothing was sent.
//
// What can't be done twice is sent once: only idempotent requests, and those that
// certainly never left, are retried.
//
// The caller's http.Client is copied, never changed. Its Timeout is not
// applied, since it would cut event streams; contexts bound requests instead.
// Redirects are followed only within the origin, at most three, and only those
// that keep the method (307, 308).
//
// Source: MCP 2026-07-28, basic/transports/streamable-http; 2025-11-25,
// basic/transports, "Streamable HTTP".
package http
