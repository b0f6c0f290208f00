// Package protocol holds the wire types of the Model Context Protocol, for
// the modern era (2026-07-28 and later) and the legacy one (2025-11-25 and
// earlier): the JSON-RPC envelope, ids, error codes, _meta keys and the
// payloads that a client sends and receives. It does no I/O.
//
// Decoding is strict where a lax reader could be misled and tolerant where
// real servers differ. Member names match in case, repeated names and invalid
// UTF-8 are refused. A list element that can't be read is dropped and
// reported, content of an unknown type is kept as it came, members that only hint
// (ttlMs, cacheScope, annotations, icons, _meta) cost nothing but themselves, and
// members that this package does not know survive a round trip in the Extra
// fields.
package protocol
