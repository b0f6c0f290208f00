package auth_test

import (
	"crypto"
	"log"

	"github.com/mcpera/mcpera/auth"
)

// A program that acts for itself. Its key may be in hardware: all that is needed
// of it is that it signs.
func ExampleClientCredentials() {
	var key crypto.Signer // from a file, a keyring, a cloud's key service
	login, err := auth.New(
		auth.WithGrant(auth.ClientCredentials{}),
		auth.WithRegistration(auth.Registration{
			Issuer: "https://auth.example.com", ClientID: "nightly-report", Key: key, Method: "private_key_jwt",
		}),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer login.Close()
}

// A program in Kubernetes: the platform says who it is, and renews the file.
func ExampleWorkload() {
	login, err := auth.New(auth.WithGrant(auth.Workload{
		Assertion: auth.AssertionFile("/var/run/secrets/tokens/mcp"),
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer login.Close()
}

// A program whose user has logged in at the company's identity provider.
func ExampleEnterprise() {
	var idToken auth.Secret // of that login
	login, err := auth.New(
		auth.WithGrant(auth.Enterprise{
			TokenEndpoint: "https://idp.example.com/oauth2/token",
			Client:        auth.Registration{Issuer: "https://idp.example.com", ClientID: "assistant"},
			Assertion:     auth.StaticAssertion(idToken),
		}),
		auth.WithRegistration(auth.Registration{
			Issuer: "https://auth.example.com", ClientID: "assistant-at-notes", ClientSecret: "from a keyring",
		}),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer login.Close()
}

// Tokens that are of no use to who steals them.
func ExampleWithDPoP() {
	login, err := auth.New(auth.WithUserAgent(auth.Loopback{}), auth.WithDPoP(auth.DPoP{}))
	if err != nil {
		log.Fatal(err)
	}
	defer login.Close()
}
