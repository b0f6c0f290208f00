package auth

import (
	"context"
	"net/url"
)

// ClientCredentials is the Grant of a program that acts for itself: it needs
// nothing but its registration, with a secret or a key.
//
//	auth.New(
//		auth.WithGrant(auth.ClientCredentials{}),
//		auth.WithRegistration(auth.Registration{Issuer: issuer, ClientID: id, Key: key}),
//	)
//
// Source: extension oauth-client-credentials; OAuth 2.1, 4.2.
type ClientCredentials struct{}

// Form implements Grant.
func (ClientCredentials) Form(context.Context, *GrantRequest) (url.Values, error) {
	return url.Values{"grant_type": {grantClientCredentials}}, nil
}
