package auth

import (
	"net/url"
	"strings"

	"github.com/mcpera/mcpera/internal/origin"
	"github.com/mcpera/mcpera/transport/challenge"
)

// A protectedResource is a server's resource metadata, as far as it is used.
//
// Source: RFC 9728, 2.
type protectedResource struct {
	Resource             string   `json:"resource"`
	AuthorizationServers []string `json:"authorization_servers"`
	ScopesSupported      []string `json:"scopes_supported"`
}

const wellKnownResource = "/.well-known/oauth-protected-resource"

// A candidate is a URL where metadata may be.
type candidate struct {
	url   string
	named bool // by the server, rather than a well-known one
}

// resourceMetadataURLs returns where the resource metadata of an endpoint may
// be, in the order in which to ask: what the challenges name, then the
// well-known URL with the endpoint's path, then the one without.
//
// Source: MCP 2026-07-28, authorization-server-discovery, "Protected Resource
// Metadata Discovery Requirements".
func resourceMetadataURLs(endpoint *url.URL, challenges []challenge.Challenge) []candidate {
	var all []candidate
	seen := map[string]bool{}
	add := func(raw string, named bool) {
		if !seen[raw] && len(all) < maxCandidates {
			seen[raw] = true
			all = append(all, candidate{raw, named})
		}
	}
	for _, c := range challenges {
		for _, raw := range c.All("resource_metadata") {
			add(raw, true)
		}
	}
	base := &url.URL{Scheme: endpoint.Scheme, Host: endpoint.Host}
	if path := endpoint.EscapedPath(); path != "" && path != "/" {
		add(base.String()+wellKnownResource+path, false)
	}
	add(base.String()+wellKnownResource, false)
	return all
}

// maxCandidates bounds how many URLs are asked for one document.
const maxCandidates = 8

// covers reports whether metadata for resource is for endpoint as well: it is the
// endpoint itself or a parent of it, on the same origin. At the root a slash
// makes no difference.
//
// Source: RFC 9728, 3.3; MCP 2026-07-28, authorization, "Canonical Server URI".
func covers(resource string, endpoint *url.URL) bool {
	r, err := url.Parse(resource)
	if err != nil || r.Host == "" || r.User != nil || strings.Contains(resource, "#") || origin.Of(r) != origin.Of(endpoint) {
		return false
	}
	if r.RawQuery != "" && r.RawQuery != endpoint.RawQuery {
		return false
	}
	parent, path := strings.TrimSuffix(r.EscapedPath(), "/"), endpoint.EscapedPath()
	if hasDots(parent) || hasDots(path) {
		return r.EscapedPath() == path
	}
	switch {
	case parent == "":
		return true
	case r.EscapedPath() != parent: // it ends with a slash, which counts below the root
		return strings.HasPrefix(path, r.EscapedPath())
	default:
		return path == parent || strings.HasPrefix(path, parent+"/")
	}
}

// hasDots reports whether a path has segments that are not what they seem.
func hasDots(path string) bool {
	for segment := range strings.SplitSeq(strings.ReplaceAll(strings.ToLower(path), "%2e", "."), "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// canonical returns the endpoint as a resource identifier, for servers that
// publish none: without userinfo, query and fragment, and without a slash at the
// root.
//
// Source: MCP 2026-07-28, authorization, "Canonical Server URI".
func canonical(endpoint *url.URL) string {
	return origin.Of(endpoint) + strings.TrimSuffix(endpoint.EscapedPath(), "/")
}
