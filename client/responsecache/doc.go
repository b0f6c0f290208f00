// Package responsecache keeps what servers answered for as long as they allow.
//
// A modern server says with each of six results for how long it is fresh and
// who may have it. A [Cache] keeps such results, as the bytes that came, and
// gives them out again to the same request of the same principal. It knows no
// connection and has no clock of its own: package client asks it, fills it, and
// tells it what changed.
//
//	cache := responsecache.New(time.Now, responsecache.WithStore(store))
//	c, err := client.Connect(ctx, t, client.WithResponseCache(cache))
//
// Programs need that only to keep results elsewhere or in other bounds: by default
// all clients of a process share one cache in memory. Its methods are for package
// client, but for Drop.
//
// Where results are kept is a [Store]: a [Memory], or one of your own.
//
// Source: MCP 2026-07-28, server/utilities/caching.
package responsecache
