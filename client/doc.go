// Package client talks to MCP servers of either era.
//
// [Connect] finds out which era a server speaks and returns a [Client] that
// works the same in both. A refusal or an outage is never taken for an era:
// 401, 403, 408, 429, 5xx, a network error and a timeout over HTTP never lead
// to initialize, and a connection that is modern stays modern.
//
// What was found out about a server is remembered in a cache that all clients
// of a process share unless [WithEraCache] says otherwise. What a modern server
// answered is kept for as long as it allows: see [WithResponseCache] and [Cache].
package client
