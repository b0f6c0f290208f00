package main

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"

	"github.com/mcpera/mcpera/auth"
)

// An extension is one of authorization: how a program uses it, and
// its identifier if it is to be declared.
type extension struct {
	id      string
	options func(given data) []auth.Option
}

// extensions are those that scenarios are about.
var extensions = map[string]extension{
	"auth/client-credentials-basic":         {auth.ExtensionClientCredentials, clientCredentials},
	"auth/client-credentials-jwt":           {auth.ExtensionClientCredentials, clientCredentials},
	"auth/enterprise-managed-authorization": {auth.ExtensionEnterprise, enterprise},
	"auth/dpop":                             {"", dpop},
	"auth/dpop-nonce":                       {"", dpop},
	"auth/wif-jwt-bearer":                   {"", workload},
}

func clientCredentials(data) []auth.Option {
	return []auth.Option{auth.WithGrant(auth.ClientCredentials{})}
}

func enterprise(given data) []auth.Option {
	return []auth.Option{auth.WithGrant(auth.Enterprise{
		TokenEndpoint: given.IDPTokenEndpoint,
		Client:        auth.Registration{Issuer: given.IDPIssuer, ClientID: given.IDPClientID},
		Assertion:     auth.StaticAssertion(auth.Secret(given.IDPIDToken)),
	})}
}

func dpop(data) []auth.Option { return []auth.Option{auth.WithDPoP(auth.DPoP{})} }

func workload(given data) []auth.Option {
	return []auth.Option{auth.WithGrant(auth.Workload{
		Assertion: auth.StaticAssertion(auth.Secret(given.ValidJWT)),
	})}
}

// readKey reads a private key in PEM; nil for none.
func readKey(text string) (crypto.Signer, error) {
	if text == "" {
		return nil, nil
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the private key is no PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("the private key can't sign")
	}
	return signer, nil
}
