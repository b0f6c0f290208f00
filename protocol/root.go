package protocol

import "github.com/go-json-experiment/json/jsontext"

// MethodListRoots is a server's request for the client's roots.
const MethodListRoots = "roots/list"

// A Root is a folder or file that a server may work in. URI is a file: URI.
//
// Source: MCP 2026-07-28, client/roots.
type Root struct {
	URI   string         `json:"uri"`
	Name  string         `json:"name,omitempty"`
	Meta  Meta           `json:"_meta,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// ListRootsResult is the answer to MethodListRoots.
type ListRootsResult struct {
	Roots []Root `json:"roots"`
}
