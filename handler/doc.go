// Package handler defines what a program can plug into a client: each
// interface is one thing that a server may ask for. A value implements those
// that it can serve, and the capabilities that the client declares follow from
// that alone, the same in both eras.
//
// Methods are called concurrently. The context ends when the call that led to
// the request ends.
package handler
