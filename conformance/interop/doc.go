// Package interop checks the client against servers that were written by
// others. The servers run as they are; in front of each stands a recorder,
// which tells what the server was asked. That matters because every modern
// server of note also accepts initialize: a client that goes down to the legacy
// era by mistake works, and only its record gives it away.
//
// The tests of this package run servers from npm. Those of conformance/peers,
// a module of its own, use it with the servers of other Go SDKs.
package interop
