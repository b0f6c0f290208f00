package responsecache

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// A Request is a request, as far as its answer depends on it. Requests that
// differ in any field never share an answer; but a public one is shared by all
// principals.
//
// Source: MCP 2026-07-28, server/utilities/caching, "Cache Key".
type Request struct {
	// Endpoint names the server as the client addresses it. What a server says
	// of itself is never part of it.
	Endpoint string
	// Principal tells apart the credentials that are sent; "" for none.
	Principal string
	// Method is the JSON-RPC method.
	Method string
	// URI is the resource of a resources/read, else "".
	URI string
	// Params are the encoded params, without _meta.
	Params []byte
	// Variant is what else the answer may depend on: version, client and
	// capabilities, and what a program adds to _meta.
	Variant []byte
}

// Topic returns what the request is about.
func (r Request) Topic() Topic { return TopicOf(r.Endpoint, r.Method, r.URI) }

// keys returns where a private and a public answer are kept.
func (r Request) keys() (private, public Key) {
	public = Key{Topic: r.Topic(), Request: hash(string(r.Params), string(r.Variant))}
	private = public
	private.Principal = hash(r.Principal)
	return private, public
}

// A Topic is what a server can say that it changed: a list with all its pages,
// or one resource. Topics are comparable, and hold hashes where there may be
// secrets.
type Topic struct {
	Server string // a hash of the endpoint
	Method string
	URI    string // a hash of the resource's URI, "" for a list
}

// TopicOf returns a Topic; the arguments are those of a Request.
func TopicOf(endpoint, method, uri string) Topic {
	t := Topic{Server: hash(endpoint), Method: method}
	if uri != "" {
		t.URI = hash(uri)
	}
	return t
}

// A Key is where a Store keeps one answer. Keys are comparable, and hold
// hashes where there may be secrets.
type Key struct {
	Topic
	Principal string // a hash; "" for an answer that all principals share
	Request   string // a hash of the params and all else that the answer depends on
}

// hash returns the SHA-256 of parts, in 64 hex digits. It puts the length
// before each part, so that no two lists of parts give the same input.
func hash(parts ...string) string {
	input := make([]byte, 0, 1<<10) // enough for most, and so not on the heap
	for _, part := range parts {
		input = binary.BigEndian.AppendUint64(input, uint64(len(part)))
		input = append(input, part...)
	}
	sum := sha256.Sum256(input)
	var digits [2 * sha256.Size]byte
	hex.Encode(digits[:], sum[:])
	return string(digits[:])
}
