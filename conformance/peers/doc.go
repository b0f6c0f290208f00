// Package peers connects to the servers of other Go SDKs. It is a module of its
// own, so that no program that uses this client has to have those SDKs. See
// conformance/interop for what is checked.
package peers
