package auth

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ServerMetadata is what an authorization server says about itself, as far as it
// is used.
//
// Source: RFC 8414, 2; OpenID Connect Discovery 1.0, 3.
type ServerMetadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	ScopesSupported       []string `json:"scopes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	TokenAuthAlgorithms   []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	DPoPAlgorithms        []string `json:"dpop_signing_alg_values_supported"`
	CodeChallengeMethods  []string `json:"code_challenge_methods_supported"`
	ClientDocuments       bool     `json:"client_id_metadata_document_supported"`
	IssInResponse         bool     `json:"authorization_response_iss_parameter_supported"`
}

const (
	wellKnownOAuth  = "/.well-known/oauth-authorization-server"
	wellKnownOpenID = "/.well-known/openid-configuration"
)

// serverMetadataURLs returns where the metadata of an issuer may be, in the order
// in which to ask.
//
// Source: MCP 2026-07-28, authorization-server-discovery, "Authorization Server
// Metadata Discovery".
func serverMetadataURLs(issuer *url.URL) []candidate {
	base := (&url.URL{Scheme: issuer.Scheme, Host: issuer.Host}).String()
	path := strings.TrimSuffix(issuer.EscapedPath(), "/")
	all := []candidate{{url: base + wellKnownOAuth + path}, {url: base + wellKnownOpenID + path}}
	if path != "" {
		all = append(all, candidate{url: base + path + wellKnownOpenID})
	}
	return all
}

// check returns why the metadata can't be used, nil when it can.
func (m *ServerMetadata) check(endpoint *url.URL) error {
	for _, e := range []struct {
		name, url string
		needed    bool
	}{
		{"token_endpoint", m.TokenEndpoint, true},
		{"authorization_endpoint", m.AuthorizationEndpoint, false},
		{"registration_endpoint", m.RegistrationEndpoint, false},
	} {
		if e.url == "" && !e.needed {
			continue
		}
		if _, err := parseTrusted(e.url, endpoint); err != nil {
			return fmt.Errorf("its %s can't be used: %w", e.name, err)
		}
	}
	return nil
}

// offersPKCE reports whether codes can be protected.
//
// Source: MCP 2026-07-28, security-considerations, "Authorization Code
// Protection".
func (m *ServerMetadata) offersPKCE() bool { return slices.Contains(m.CodeChallengeMethods, "S256") }

// fallbackMetadata is what a server without any metadata stands for.
//
// Source: MCP 2025-03-26, authorization, "Fallbacks for Servers without Metadata
// Discovery".
func fallbackMetadata(base string) *ServerMetadata {
	return &ServerMetadata{
		Issuer:                base,
		AuthorizationEndpoint: base + "/authorize",
		TokenEndpoint:         base + "/token",
		RegistrationEndpoint:  base + "/register",
		CodeChallengeMethods:  []string{"S256"}, // asked for, though nobody says so
	}
}
