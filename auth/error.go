package auth

import (
	"errors"
	"fmt"

	"github.com/mcpera/mcpera/protocol"
)

// Sentinels for errors.Is.
var (
	// ErrLoginRequired: a user has to log in, and can't be asked: there is no
	// UserAgent, or the request was one of the background.
	ErrLoginRequired = errors.New("a user has to log in")
	// ErrState: the answer of the authorization endpoint does not belong to the
	// request: its state is missing or another one.
	ErrState = errors.New("the authorization response belongs to another request")
	// ErrNoPKCE: the authorization server does not say that it supports PKCE with
	// S256, without which codes are not safe.
	ErrNoPKCE = errors.New("the authorization server does not offer PKCE with S256")
	// ErrNoRegistration: there is no way to get a client id at the authorization
	// server: none was given, and it lets nobody register.
	ErrNoRegistration = errors.New("no client id for the authorization server: register one there and give it by WithRegistration")
	// ErrClosed: the Authorizer is closed.
	ErrClosed = errors.New("the authorizer is closed")
	// ErrScope: the server wants scopes that were asked for before, in vain.
	ErrScope = errors.New("the authorization does not give the scopes that the server wants")
)

// An IssuerError means that metadata or an authorization response is not of the
// authorization server that it should be of. Nothing of it was used.
//
// Source: MCP 2026-07-28, authorization-server-discovery, "Authorization Server
// Metadata Discovery"; authorization, "Authorization Response Validation".
type IssuerError struct {
	Where string // "metadata", "authorization response" or "registration"
	Want  string // the issuer that it should be of
	Got   string // what it says; "" when it says nothing
}

func (e *IssuerError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("the %s names no issuer; it should be %s", e.Where, protocol.Quote(e.Want))
	}
	return fmt.Sprintf("the %s is of issuer %s, not of %s", e.Where, protocol.Quote(e.Got), protocol.Quote(e.Want))
}

// A ResourceError means that resource metadata is for another server than the
// one that is asked.
//
// Source: RFC 9728, 3.3.
type ResourceError struct {
	Endpoint string // origin and path
	Resource string // what the metadata is for
}

func (e *ResourceError) Error() string {
	return fmt.Sprintf("the resource metadata is for %s, which does not cover %s", protocol.Quote(e.Resource), e.Endpoint)
}

// A DiscoveryError means that metadata could not be had.
type DiscoveryError struct {
	What string // "resource metadata" or "authorization server metadata"
	URL  string // origin and path of where it was looked for last
	Err  error  // why not; never nil
}

func (e *DiscoveryError) Error() string {
	return fmt.Sprintf("%s at %s: %v", e.What, protocol.Quote(e.URL), e.Err)
}

// Unwrap returns the cause.
func (e *DiscoveryError) Unwrap() error { return e.Err }

// A ServerError is an error answer of an authorization server.
type ServerError struct {
	Endpoint    string // "token", "registration" or "authorization"
	Issuer      string
	Status      int    // HTTP status; 0 at the authorization endpoint
	Code        string // such as "invalid_grant"; "" when there was none
	Description string // what it says to a developer; may be ""
}

func (e *ServerError) Error() string {
	s := fmt.Sprintf("the %s endpoint of %s refused", e.Endpoint, protocol.Quote(e.Issuer))
	if e.Status != 0 {
		s += fmt.Sprintf(" with HTTP %d", e.Status)
	}
	if e.Code != "" {
		s += ": " + protocol.Quote(e.Code)
	}
	if e.Description != "" {
		s += ", " + protocol.Quote(e.Description)
	}
	return s
}

// code returns the OAuth error code in err, "" when there is none.
func code(err error) string {
	if e, ok := errors.AsType[*ServerError](err); ok {
		return e.Code
	}
	return ""
}

// final reports whether err is the authorization server's word, which asking
// again would not change, rather than an outage.
func final(err error) bool {
	e, ok := errors.AsType[*ServerError](err)
	return ok && e.Status/100 != 5 && e.Status != 408 && e.Status != 429 && e.Code != "temporarily_unavailable" && e.Code != "server_error"
}
