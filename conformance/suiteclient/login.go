package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/mcpera/mcpera/auth"
)

// redirectURI is where the suite's authorization servers send the user. Nobody
// listens there: the answer is read from the redirect.
const redirectURI = "http://localhost:3000/callback"

// newAuthorizer returns what logs in where a scenario asks for it. Its user says
// yes at once. more are the options of an extension.
func newAuthorizer(given data, more []auth.Option) (*auth.Authorizer, error) {
	key, err := readKey(given.PrivateKey)
	if err != nil {
		return nil, err
	}
	opts := []auth.Option{
		auth.WithUserAgent(auth.Browser(consent).At(redirectURI)),
		auth.WithClientDocument(auth.ClientDocument{
			ClientID:     "https://conformance-test.local/client-metadata.json", // the suite's, which resolves nowhere
			ClientName:   "mcpera conformance",
			RedirectURIs: []string{redirectURI},
		}),
	}
	if given.ClientID != "" {
		opts = append(opts, auth.WithRegistration(auth.Registration{
			ClientID: given.ClientID, ClientSecret: auth.Secret(given.ClientSecret), Key: key,
		}))
	}
	return auth.New(append(opts, more...)...)
}

// consent asks the authorization server, which does not wait for a user.
func consent(ctx context.Context, authorizationURL string) (url.Values, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, authorizationURL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // does not follow
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("the authorization endpoint answered HTTP %d without a redirect", resp.StatusCode)
	}
	return to.Query(), nil
}
