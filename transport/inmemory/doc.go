// Package inmemory reaches a server that runs in this process: for tests, and
// for programs that bring a server along.
//
// The server is a function that reads messages from one stream and writes to
// another, a message a line, as over stdio; the client treats it as a stdio
// server, with the timeouts of one. Most SDKs can serve a pair of streams. Here it
// is a server of package conformance:
//
//	t, err := inmemory.New(conformance.New().ServeStdio)
//	if err != nil {
//		return err
//	}
//	c, err := client.Connect(ctx, t)
//
// Neither stream holds anything back: a write waits for its reader. Within
// a testing/synctest bubble the whole of client and server runs on its clock.
//
// Source: MCP 2026-07-28, basic/transports/stdio and "Custom Transports".
package inmemory
