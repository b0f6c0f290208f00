package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcpera/mcpera/internal/origin"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// DPoP binds tokens to a key: whoever steals a token can't use it. Each request
// then has a proof that its sender has the key. The zero value is ready.
//
// Source: RFC 9449; SEP-1932.
type DPoP struct {
	// Key is what tokens are bound to: an ECDSA, RSA or Ed25519 key, in hardware
	// where there is some. nil stands for a new one on P-256, which ends with the
	// Authorizer: its logins are of no use to another process.
	Key crypto.Signer
	// Optional says to use tokens too that an authorization server has not bound.
	// By default they are refused.
	Optional bool
}

// String does not show the key.
func (d DPoP) String() string { return "auth.DPoP" }

// GoString returns what String does.
func (d DPoP) GoString() string { return d.String() }

// WithDPoP has tokens bound to a key. By default they are not.
func WithDPoP(d DPoP) Option {
	return func(c *config) error {
		if d.Key == nil {
			key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
			if err != nil {
				return fmt.Errorf("auth: a key for DPoP: %w", err)
			}
			d.Key = key
		}
		p, err := newProver(d, func() time.Time { return c.now() })
		if err != nil {
			return fmt.Errorf("auth: the key for DPoP: %w", err)
		}
		c.dpop = p
		return nil
	}
}

// ErrUnbound: an authorization server has issued a token that is not bound to the
// key of WithDPoP.
var ErrUnbound = errors.New("the authorization server issued a token that is not bound to the key")

const (
	typeBearer = "Bearer"
	typeDPoP   = "DPoP"
	useNonce   = "use_dpop_nonce"
)

// Bounds on nonces.
const (
	maxNonces     = 2   // given because of one request
	maxNonce      = 512 // bytes of one
	maxNoncesKept = 100 // servers whose nonce is kept
)

// A prover makes proofs of the possession of a key. A nil one makes none. It is
// safe for concurrent use.
type prover struct {
	key        crypto.Signer
	algs       []algorithm
	jwk        *publicJWK
	thumbprint string
	optional   bool
	now        func() time.Time

	mu     sync.Mutex
	nonces map[string]string // by token endpoint, or by origin for servers
}

func newProver(d DPoP, now func() time.Time) (*prover, error) {
	algs, err := algorithmsOf(d.Key)
	if err != nil {
		return nil, err
	}
	jwk, err := newPublicJWK(d.Key)
	if err != nil {
		return nil, err
	}
	name, err := jwk.thumbprint()
	if err != nil {
		return nil, err
	}
	return &prover{
		key: d.Key, algs: algs, jwk: jwk, thumbprint: name, optional: d.Optional, now: now,
		nonces: map[string]string{},
	}, nil
}

// String does not show what is in it.
func (p *prover) String() string { return "auth.prover" }

// GoString returns what String does.
func (p *prover) GoString() string { return p.String() }

// name returns the thumbprint of the key, "" when there is none.
func (p *prover) name() string {
	if p == nil {
		return ""
	}
	return p.thumbprint
}

// proofClaims are those of a proof.
//
// Source: RFC 9449, 4.2.
type proofClaims struct {
	ID     string `json:"jti"`
	Method string `json:"htm"`
	URI    string `json:"htu"`
	Issued int64  `json:"iat"`
	Token  string `json:"ath,omitzero"` // digest of the access token
	Nonce  string `json:"nonce,omitzero"`
}

// prove puts a fresh proof into a request. access is the token in it, "" for none,
// and from is whom a nonce must be from.
func (p *prover) prove(req *http.Request, alg algorithm, access Secret, from string) error {
	claims := proofClaims{
		ID: rand.Text(), Method: req.Method, URI: proofURI(req.URL), Issued: p.now().Unix(), Nonce: p.nonce(from),
	}
	if access != "" {
		claims.Token = digest64(string(access))
	}
	proof, err := signJWT(p.key, alg, jwsHeader{Type: "dpop+jwt", JWK: p.jwk}, claims)
	if err != nil {
		return fmt.Errorf("prove the possession of the DPoP key: %w", err)
	}
	req.Header.Set("Dpop", proof)
	return nil
}

// proveTokenRequest puts a proof into a request to a token endpoint.
func (p *prover) proveTokenRequest(req *http.Request, server *ServerMetadata) error {
	if p == nil {
		return nil
	}
	alg, err := pickAlgorithm(p.algs, server.DPoPAlgorithms)
	if err != nil {
		return err
	}
	return p.prove(req, alg, "", server.TokenEndpoint)
}

// proveRequest puts a proof into a request with a token that is bound to the key.
func (p *prover) proveRequest(req *http.Request, token *Token) error {
	if p == nil || token.Key == "" {
		return nil
	}
	return p.prove(req, p.algs[0], token.Access, origin.Of(req.URL))
}

// proofURI returns the URI that a proof is for: without query and fragment.
//
// Source: RFC 9449, 4.2.
func proofURI(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return origin.Of(u) + path
}

// nonce returns the last nonce that somebody gave, "" for none.
func (p *prover) nonce(from string) string {
	if p == nil {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nonces[from]
}

// learn keeps the nonce in the header of an answer, if there is a proper one.
//
// Source: RFC 9449, 8.2.
func (p *prover) learn(from string, header http.Header) {
	values := header.Values("Dpop-Nonce")
	if p == nil || len(values) != 1 || !validNonce(values[0]) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.nonces[from]; !known && len(p.nonces) >= maxNoncesKept {
		clear(p.nonces)
	}
	p.nonces[from] = values[0]
}

// validNonce reports whether a text can be a nonce.
//
// Source: RFC 9449, 8.1: NQCHAR.
func validNonce(s string) bool {
	return s != "" && len(s) <= maxNonce && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || r == '"' || r == '\\'
	})
}

// typeOf returns the type of a token, and the name of the key that it is bound to.
func (p *prover) typeOf(t *oauth2.Token) (kind, key string, err error) {
	switch {
	case p != nil && strings.EqualFold(t.TokenType, typeDPoP):
		return typeDPoP, p.thumbprint, nil
	case !strings.EqualFold(t.Type(), typeBearer):
		return "", "", fmt.Errorf("the authorization server issued a token of type %s, which can't be used", protocol.Quote(t.TokenType))
	case p != nil && !p.optional:
		return "", "", ErrUnbound
	default:
		return typeBearer, "", nil
	}
}

// holds reports whether a token may be used: it is bound to this key, or to none
// where that is enough.
func (p *prover) holds(t *Token) bool {
	if t.Key == "" {
		return p == nil || p.optional
	}
	return t.Key == p.name()
}

// refusedProof deals with a 401 that is about the proof rather than the token: a
// new token would not help. again says that a new proof may.
//
// Source: RFC 9449, 7.1 and 9.
func (a *Authorizer) refusedProof(at *mcphttp.Attempt, m *memo, r mcphttp.Refusal) (again, yes bool) {
	if r.Status != http.StatusUnauthorized || m.login == nil || m.login.Token.Key == "" {
		return false, false
	}
	for _, c := range r.Challenges {
		if !c.Is(typeDPoP) {
			continue
		}
		switch c.Get("error") {
		case useNonce:
			m.nonces++
			return validNonce(r.Header.Get("Dpop-Nonce")) && m.nonces <= maxNonces, true
		case "invalid_dpop_proof":
			return false, true
		}
	}
	return false, false
}

// Answered learns the nonce that the server wants in proofs from now on. See
// mcphttp.Observer.
func (a *Authorizer) Answered(at *mcphttp.Attempt, header http.Header) {
	if origin.Of(at.Request.URL) == origin.Of(at.Endpoint) {
		a.config.dpop.learn(origin.Of(at.Request.URL), header)
	}
}
