package auth

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/mcpera/mcpera/internal/origin"
	"github.com/mcpera/mcpera/transport/challenge"
)

// A place is where tokens for an endpoint come from.
type place struct {
	resource string   // the server's identifier, as published
	scopes   []string // what the resource supports
	server   *ServerMetadata
	issuer   string // as the resource names it: credentials are kept by it
	old      bool   // by the rules of 2025-03-26
}

// discover finds the authorization server of an endpoint. known is the issuer of
// an earlier login, "" for none: where the server names several, it is preferred.
func (a *Authorizer) discover(ctx context.Context, endpoint *url.URL, challenges []challenge.Challenge, known string) (*place, error) {
	r, err := a.resourceMetadata(ctx, endpoint, challenges)
	switch {
	case errors.Is(err, errAbsent):
		return a.discoverOld(ctx, endpoint)
	case err != nil:
		return nil, err
	}
	issuer, err := a.choose(ctx, r.AuthorizationServers, known)
	if err != nil {
		return nil, err
	}
	server, err := a.serverMetadata(ctx, endpoint, issuer)
	if err != nil {
		return nil, err
	}
	return &place{resource: r.Resource, scopes: r.ScopesSupported, server: server, issuer: issuer}, nil
}

// resourceMetadata asks one URL after the other. What can't be had makes it go
// on, but not metadata of another resource: that is an error at once. errAbsent
// means that the server has none, and never said so.
func (a *Authorizer) resourceMetadata(ctx context.Context, endpoint *url.URL, challenges []challenge.Challenge) (*protectedResource, error) {
	var failed error
	for _, c := range resourceMetadataURLs(endpoint, challenges) {
		r, err := a.resourceAt(ctx, endpoint, c)
		if err == nil {
			return r, nil
		}
		if _, ok := errors.AsType[*ResourceError](err); ok || ctx.Err() != nil {
			return nil, err
		}
		if failed == nil && (c.named || !errors.Is(err, errAbsent)) {
			failed = &DiscoveryError{What: "resource metadata", URL: shownRaw(c.url), Err: notAbsent(err)}
		}
	}
	if failed == nil {
		failed = errAbsent
	}
	return nil, failed
}

func (a *Authorizer) resourceAt(ctx context.Context, endpoint *url.URL, c candidate) (*protectedResource, error) {
	u, err := parseTrusted(c.url, endpoint)
	if err != nil && c.named {
		return nil, err
	}
	if err != nil { // on the endpoint's own host, which the program chose
		if u, err = url.Parse(c.url); err != nil {
			return nil, errNotURL
		}
	}
	r := new(protectedResource)
	if err := a.fetch(ctx, u, r); err != nil {
		return nil, err
	}
	if !covers(r.Resource, endpoint) {
		return nil, &ResourceError{Endpoint: shown(endpoint), Resource: r.Resource}
	}
	if len(r.AuthorizationServers) == 0 {
		return nil, errNoServers
	}
	return r, nil
}

var errNoServers = errors.New("it names no authorization server")

// notAbsent is err as the reason why a document that should be there is not
// used.
func notAbsent(err error) error {
	if errors.Is(err, errAbsent) {
		return errors.New(err.Error())
	}
	return err
}

// shownRaw is shown for what may be no URL.
func shownRaw(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "an unreadable URL"
	}
	return shown(u)
}

// choose picks one of the authorization servers that a resource names.
//
// Source: RFC 9728, 7.6.
func (a *Authorizer) choose(ctx context.Context, issuers []string, known string) (string, error) {
	if a.config.choose != nil && len(issuers) > 1 {
		issuer, err := a.config.choose(ctx, slices.Clone(issuers))
		if err == nil && !slices.Contains(issuers, issuer) {
			err = errors.New("the authorization server that was chosen is not among those that the resource names")
		}
		return issuer, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.config.registrations {
		if r.Issuer != "" && slices.Contains(issuers, r.Issuer) {
			return r.Issuer, nil
		}
	}
	if slices.Contains(issuers, known) {
		return known, nil
	}
	return issuers[0], nil
}

// serverMetadata asks one URL after the other. Metadata of another issuer is an
// error at once.
//
// Source: RFC 8414, 3.3.
func (a *Authorizer) serverMetadata(ctx context.Context, endpoint *url.URL, issuer string) (*ServerMetadata, error) {
	u, err := parseTrusted(issuer, endpoint)
	if err == nil && u.RawQuery != "" {
		err = errors.New("it has a query")
	}
	if err != nil {
		return nil, &DiscoveryError{What: "authorization server metadata", URL: shownRaw(issuer), Err: err}
	}
	var failed error
	for _, c := range serverMetadataURLs(u) {
		m, err := a.serverAt(ctx, endpoint, c.url, func(got string) bool { return a.isIssuer(issuer, got) }, issuer)
		if err == nil {
			return m, nil
		}
		if _, ok := errors.AsType[*IssuerError](err); ok || ctx.Err() != nil {
			return nil, err
		}
		if failed == nil || !errors.Is(err, errAbsent) {
			failed = &DiscoveryError{What: "authorization server metadata", URL: shownRaw(c.url), Err: err}
		}
	}
	return nil, failed
}

// serverAt gets the metadata at a URL.
func (a *Authorizer) serverAt(ctx context.Context, endpoint *url.URL, raw string, isIssuer func(string) bool, want string) (*ServerMetadata, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errNotURL
	}
	m := new(ServerMetadata)
	if err := a.fetch(ctx, u, m); err != nil {
		return nil, err
	}
	if !isIssuer(m.Issuer) {
		return nil, &IssuerError{Where: "metadata", Want: want, Got: m.Issuer}
	}
	return m, m.check(endpoint)
}

// isIssuer compares an issuer with what metadata says: equal, but for what
// WithIssuerAlias tolerates.
func (a *Authorizer) isIssuer(want, got string) bool {
	return got == want || slices.Contains(a.config.aliases[want], got)
}

// discoverOld is discovery by the rules of 2025-03-26: the server is its own
// authorization server. Its metadata must say so.
//
// Source: MCP 2025-03-26, authorization, "Server Metadata Discovery".
func (a *Authorizer) discoverOld(ctx context.Context, endpoint *url.URL) (*place, error) {
	base := origin.Of(endpoint)
	if _, err := parseTrusted(base, endpoint); err != nil {
		return nil, &DiscoveryError{What: "authorization server metadata", URL: base, Err: err}
	}
	m, err := a.serverAt(ctx, endpoint, base+wellKnownOAuth, func(got string) bool { return got == base || got == base+"/" }, base)
	if errors.Is(err, errAbsent) {
		m, err = fallbackMetadata(base), nil
	}
	if err != nil {
		if _, ok := errors.AsType[*IssuerError](err); ok {
			return nil, err
		}
		return nil, &DiscoveryError{What: "authorization server metadata", URL: base + wellKnownOAuth, Err: err}
	}
	return &place{resource: canonical(endpoint), server: m, issuer: base, old: true}, nil
}
