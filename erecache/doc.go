// Package erecache remembers which era of the Model Context Protocol each
// server speaks, so that a program asks once and not on every connection.
//
// A verdict is kept by <origin, path> ([KeyOf]), or by the command that starts
// a stdio server ([CommandKey]), and is trusted for 15 minutes by default, so
// a wrong one ends by itself. A server that contradicts its verdict ends it
// at once: [Cache.Refute].
//
// [Cache.Resolve] is the way in: it returns the verdict at hand or runs a
// probe, never two at a time for one key, and shares what it found with every
// call that waited. Only what the probe has proven is remembered, so a legacy
// verdict means that the server has accepted initialize before.
//
// Verdicts live in memory ([NewMemory]), in a file ([NewFile]), or in any
// other [Store]. A store that fails costs a probe, never a call. No store
// needs to hold a secret: see [Key.Hash].
//
// Only eras are kept here. A DiscoverResult belongs to the principal that
// asked for it and is none of this package's business.
//
// Source: MCP 2026-07-28, basic/versioning, "Backward Compatibility": clients
// may cache the era of a server, and persist it.
package erecache
