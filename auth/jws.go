package auth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	_ "crypto/sha512" // for crypto.SHA384 and crypto.SHA512
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/protocol"
)

// An algorithm is a way to sign.
//
// Source: RFC 7518, 3.1; RFC 8037, 3.1.
type algorithm struct {
	name string
	opts crypto.SignerOpts
	size int // bytes of half an ECDSA signature; 0 for others
}

// minRSA is the least size of an RSA key, in bits.
//
// Source: RFC 7518, 3.3.
const minRSA = 2048

// algorithmsOf returns what a key can sign by, the most usual first.
func algorithmsOf(key crypto.Signer) ([]algorithm, error) {
	if key == nil {
		return nil, errors.New("there is no key")
	}
	switch pub := key.Public().(type) {
	case *ecdsa.PublicKey:
		switch pub.Curve {
		case elliptic.P256():
			return []algorithm{{"ES256", crypto.SHA256, 32}}, nil
		case elliptic.P384():
			return []algorithm{{"ES384", crypto.SHA384, 48}}, nil
		case elliptic.P521():
			return []algorithm{{"ES512", crypto.SHA512, 66}}, nil
		}
		return nil, errors.New("an ECDSA key must be on P-256, P-384 or P-521")
	case *rsa.PublicKey:
		if pub.N.BitLen() < minRSA {
			return nil, fmt.Errorf("an RSA key must have at least %d bits", minRSA)
		}
		pss := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256}
		return []algorithm{{"RS256", crypto.SHA256, 0}, {"PS256", pss, 0}}, nil
	case ed25519.PublicKey:
		return []algorithm{{"EdDSA", crypto.Hash(0), 0}}, nil
	}
	return nil, errors.New("the key must be one of ECDSA, RSA or Ed25519")
}

// pickAlgorithm returns the first of ours that is among those that a server
// supports; where it does not say, the first.
func pickAlgorithm(ours []algorithm, supported []string) (algorithm, error) {
	if len(supported) == 0 {
		return ours[0], nil
	}
	for _, alg := range ours {
		if slices.Contains(supported, alg.name) {
			return alg, nil
		}
	}
	return algorithm{}, fmt.Errorf("the key signs by %s, and the authorization server wants one of %s",
		ours[0].name, protocol.Quote(fmt.Sprint(supported)))
}

// A jwsHeader is what stands in front of the claims.
//
// Source: RFC 7515, 4.1.
type jwsHeader struct {
	Type  string     `json:"typ,omitzero"`
	Alg   string     `json:"alg"`
	KeyID string     `json:"kid,omitzero"`
	JWK   *publicJWK `json:"jwk,omitzero"`
}

// signJWT returns claims as a JWT in compact form. header.Alg is filled in.
//
// Source: RFC 7515, 5.1; RFC 7519, 7.1.
func signJWT(key crypto.Signer, alg algorithm, header jwsHeader, claims any) (string, error) {
	header.Alg = alg.name
	first, err := json.Marshal(header)
	if err != nil {
		return "", err
	}
	second, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	input := encode64(first) + "." + encode64(second)
	signature, err := sign(key, alg, []byte(input))
	if err != nil {
		return "", fmt.Errorf("sign by %s: %w", alg.name, err)
	}
	return input + "." + encode64(signature), nil
}

// sign returns a signature as JWS has it.
func sign(key crypto.Signer, alg algorithm, input []byte) ([]byte, error) {
	if hash := alg.opts.HashFunc(); hash != 0 {
		h := hash.New()
		h.Write(input)
		input = h.Sum(nil)
	}
	signature, err := key.Sign(rand.Reader, input, alg.opts)
	if err != nil || alg.size == 0 {
		return signature, err
	}
	return rawSignature(signature, alg.size)
}

// rawSignature turns an ECDSA signature from ASN.1, which every crypto.Signer
// gives, into the two numbers that JWS wants, of size bytes each.
//
// Source: RFC 7518, 3.4.
func rawSignature(der []byte, size int) ([]byte, error) {
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &pair); err != nil {
		return nil, errors.New("the key gave a signature that is no ASN.1")
	}
	// Unmarshal skips what is behind the numbers.
	if again, err := asn1.Marshal(pair); err != nil || !bytes.Equal(again, der) {
		return nil, errors.New("the key gave a signature that is no ECDSA signature in ASN.1")
	}
	raw := make([]byte, 2*size)
	for i, n := range []*big.Int{pair.R, pair.S} {
		if n.Sign() <= 0 || n.BitLen() > 8*size {
			return nil, errors.New("the key gave an ECDSA signature that is out of range")
		}
		n.FillBytes(raw[i*size : (i+1)*size])
	}
	return raw, nil
}

// A publicJWK is a public key. Its members are in the order of RFC 7638, so that
// its JSON is what the thumbprint is of.
//
// Source: RFC 7517, 4; RFC 7518, 6; RFC 8037, 2.
type publicJWK struct {
	Curve string `json:"crv,omitzero"`
	E     string `json:"e,omitzero"`
	Type  string `json:"kty"`
	N     string `json:"n,omitzero"`
	X     string `json:"x,omitzero"`
	Y     string `json:"y,omitzero"`
}

// newPublicJWK returns the public part of a key that algorithmsOf knows.
func newPublicJWK(key crypto.Signer) (*publicJWK, error) {
	switch pub := key.Public().(type) {
	case *ecdsa.PublicKey:
		point, err := pub.Bytes() // 4, x, y
		if err != nil {
			return nil, err
		}
		half := (len(point) - 1) / 2
		return &publicJWK{
			Type: "EC", Curve: pub.Params().Name, X: encode64(point[1 : 1+half]), Y: encode64(point[1+half:]),
		}, nil
	case *rsa.PublicKey:
		return &publicJWK{Type: "RSA", N: encode64(pub.N.Bytes()), E: encode64(big.NewInt(int64(pub.E)).Bytes())}, nil
	case ed25519.PublicKey:
		return &publicJWK{Type: "OKP", Curve: "Ed25519", X: encode64(pub)}, nil
	}
	return nil, errors.New("the key must be one of ECDSA, RSA or Ed25519")
}

// thumbprint names the key.
//
// Source: RFC 7638, 3.
func (k *publicJWK) thumbprint() (string, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return "", err
	}
	return digest64(string(text)), nil
}

func encode64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// digest64 returns the SHA-256 of a text, in base64url.
func digest64(s string) string {
	sum := sha256.Sum256([]byte(s))
	return encode64(sum[:])
}
