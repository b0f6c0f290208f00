package auth

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcpera/mcpera/protocol"
)

// assertionLife is how long a client assertion is good for. It is used at once.
const assertionLife = time.Minute

const jwtBearerClient = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// A credential is what a client proves itself by in one token request.
type credential struct {
	style  oauth2.AuthStyle
	id     string
	secret Secret
}

// authenticate returns a credential, and the form with what belongs to it. Where
// the client has a key, every request gets an assertion of its own: a server takes
// none twice.
func (a *Authorizer) authenticate(server *ServerMetadata, client *Registration, form url.Values) (credential, url.Values, error) {
	if client.method(server) != methodKey {
		style, secret, err := client.style(server)
		return credential{style, client.ClientID, secret}, form, err
	}
	assertion, err := clientAssertion(server, client, a.config.now())
	if err != nil {
		return credential{}, nil, fmt.Errorf("authenticate as %s: %w", protocol.Quote(client.ClientID), err)
	}
	form = maps.Clone(form)
	form.Set("client_assertion_type", jwtBearerClient)
	form.Set("client_assertion", assertion)
	return credential{style: oauth2.AuthStyleInParams}, form, nil // the assertion names the client
}

// assertionClaims are those of a client assertion.
//
// Source: RFC 7523, 3; draft-ietf-oauth-rfc7523bis, 4 (the audience is the issuer
// and nothing else).
type assertionClaims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	ID       string `json:"jti"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
}

// clientAssertion returns a JWT that says who the client is.
func clientAssertion(server *ServerMetadata, client *Registration, now time.Time) (string, error) {
	algs, err := algorithmsOf(client.Key)
	if err != nil {
		return "", err
	}
	alg, err := pickAlgorithm(algs, server.TokenAuthAlgorithms)
	if err != nil {
		return "", err
	}
	return signJWT(client.Key, alg, jwsHeader{Type: "JWT", KeyID: client.KeyID}, assertionClaims{
		Issuer: client.ClientID, Subject: client.ClientID, Audience: server.Issuer, ID: rand.Text(),
		Issued: now.Unix(), Expires: now.Add(assertionLife).Unix(),
	})
}
