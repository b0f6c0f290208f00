// Package server is the server that all clients are measured against. It is
// neutral: no SDK is in it, its answers are encoded before the clock runs, and
// it is to run in a process of its own.
//
// Over HTTP the path of a URL says which site answers: /modern/20 is a server of
// the modern era that lists 20 tools.
package server
