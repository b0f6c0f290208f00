// Package peers connects to the servers of other Go SDKs. It is a module of its
// own, so that no program that uses this client has to have those SDKs. See
// conformance/interop for what is checked.
//
// Its folders are about the clients of those SDKs: comparison has the table of
// README.md, migration the code of docs/migrate-go-sdk.md and
// docs/migrate-mcp-go.md.
package peers
