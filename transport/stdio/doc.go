// Package stdio reaches a server that runs as a child process and speaks
// JSON-RPC on its standard streams, one message per line.
//
// The process runs in a group of its own. Close closes its standard input and
// waits, then sends SIGTERM to the group and waits, then SIGKILL: nothing that
// the server started is left. Its standard error is always read; the last 8 KiB
// stand in the error when it leaves unasked.
//
// Source: MCP 2026-07-28, basic/transports/stdio.
package stdio
