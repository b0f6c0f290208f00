// Package negotiation decides which era of the Model Context Protocol a
// server speaks, which version to use, and which capabilities to advertise.
//
// Every decision is a pure, total function: no I/O, no state, no clock, no
// panic on any input. A transport reports what happened as an [Outcome];
// [ClassifyProbe] turns the outcome of a server/discover probe into a
// [Verdict]; the client package acts on it.
//
// The rule behind the table: a refusal or an outage is not an era. 401, 403,
// 408, 429, 5xx, a network error and a timeout over HTTP say nothing about
// what the server speaks, and never lead to initialize.
package negotiation
