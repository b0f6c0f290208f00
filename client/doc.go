// Package client talks to MCP servers of either era.
//
// [Connect] finds out which era a server speaks and returns a [Client] that
// works the same in both:
//
//	t, err := mcphttp.New(url, mcphttp.WithHeader("Authorization", "Bearer "+token))
//	if err != nil {
//		return err
//	}
//	c, err := client.Connect(ctx, t)
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	result, err := c.CallTool(ctx, "get_weather", map[string]any{"city": "Oslo"})
//
// Where no option of a transport is needed, mcpera.Dial and mcpera.Command are
// shorter.
//
// A refusal or an outage is never taken for an era: 401, 403, 408, 429, 5xx, a
// network error and a timeout over HTTP never lead to initialize, and a
// connection that is modern stays modern.
//
// # Concurrency
//
// A Client may be used by any number of goroutines; calls run side by side, and
// each ends by itself: in a result or an error, before its time is up. Handlers,
// and functions that are given to options of a Client, are called concurrently;
// those that are given to options of a call one at a time, in order, and before
// the call returns. Close ends all of it and waits.
//
// # Errors
//
// Errors are typed, for errors.As and errors.Is, and the same in both eras. That of
// Connect is a [ConnectError]. Behind it, and from calls, come those of package
// transport:
//
//   - *transport.AuthError: 401 or 403, and what the server asks for
//   - *transport.UnavailableError: not reached, or 408, 429, 5xx, after the
//     retries that are safe
//   - *transport.TimeoutError: no answer in time; what was asked may have been done
//   - *transport.ServerError: the server answered with a JSON-RPC error
//   - *transport.StatusError, *transport.MessageError, *transport.LimitError: what
//     came is no MCP, not the response that is due, or too large
//   - [ErrClosed]: the connection is over
//
// That a tool failed is no error: its result says so, for the model to read. Error
// texts hold no header value, token, query or session id; what the server said
// stands there quoted and cut.
//
// # What is remembered
//
// What was found out about a server is remembered in a cache that all clients
// of a process share unless [WithEraCache] says otherwise. What a modern server
// answered is kept for as long as it allows: see [WithResponseCache] and [Cache].
package client
