package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"strings"
	"sync"
	"testing"
)

// newECDSA returns a new key.
func newECDSA(t testing.TB, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// rsaKey is made once: it takes long.
var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// hardware is a key that is not in memory: nothing but a crypto.Signer.
type hardware struct{ crypto.Signer }

// A brokenKey can't sign.
type brokenKey struct{ crypto.Signer }

func (brokenKey) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, io.ErrUnexpectedEOF
}

// verified checks the signature of a JWT with a public key, by code of its own, and
// decodes it into header and claims.
func verified(t testing.TB, jwt string, public crypto.PublicKey, header, claims any) {
	t.Helper()
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		t.Fatalf("the JWT has %d parts, not 3", len(parts))
	}
	raw := make([][]byte, 3)
	for i, part := range parts {
		var err error
		if raw[i], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			t.Fatalf("part %d of the JWT: %v", i, err)
		}
	}
	var alg struct{ Alg string }
	for i, v := range []any{header, claims, &alg} {
		if err := json.Unmarshal(raw[i%2], v); err != nil {
			t.Fatalf("part %d of the JWT: %v", i%2, err)
		}
	}
	if err := json.Unmarshal(raw[0], &alg); err != nil {
		t.Fatal(err)
	}
	if !signedBy(alg.Alg, public, []byte(parts[0]+"."+parts[1]), raw[2]) {
		t.Fatalf("the signature by %s is not good", alg.Alg)
	}
}

func signedBy(alg string, public crypto.PublicKey, input, signature []byte) bool {
	hash := map[string]crypto.Hash{
		"ES256": crypto.SHA256, "ES384": crypto.SHA384, "ES512": crypto.SHA512, "RS256": crypto.SHA256, "PS256": crypto.SHA256,
	}[alg]
	var sum []byte
	if hash != 0 {
		h := hash.New()
		h.Write(input)
		sum = h.Sum(nil)
	}
	switch key := public.(type) {
	case *ecdsa.PublicKey:
		half := len(signature) / 2
		size := (key.Params().BitSize + 7) / 8
		r, s := new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:])
		return alg[:2] == "ES" && len(signature) == 2*size && ecdsa.Verify(key, sum, r, s)
	case *rsa.PublicKey:
		if alg == "PS256" {
			return rsa.VerifyPSS(key, hash, sum, signature, &rsa.PSSOptions{SaltLength: 32}) == nil
		}
		return alg == "RS256" && rsa.VerifyPKCS1v15(key, hash, sum, signature) == nil
	case ed25519.PublicKey:
		return alg == "EdDSA" && ed25519.Verify(key, input, signature)
	}
	return false
}

// keyOf returns the public key that a JWK is.
func keyOf(t testing.TB, k publicJWK) crypto.PublicKey {
	t.Helper()
	number := func(s string) *big.Int {
		b, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			t.Fatalf("a number of a JWK: %v", err)
		}
		return new(big.Int).SetBytes(b)
	}
	switch k.Type {
	case "EC":
		curve := map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}[k.Curve]
		half := (curve.Params().BitSize + 7) / 8
		point := append([]byte{4}, make([]byte, 2*half)...)
		number(k.X).FillBytes(point[1 : 1+half])
		number(k.Y).FillBytes(point[1+half:])
		public, err := ecdsa.ParseUncompressedPublicKey(curve, point)
		if err != nil {
			t.Fatalf("a JWK: %v", err)
		}
		return public
	case "RSA":
		return &rsa.PublicKey{N: number(k.N), E: int(number(k.E).Int64())}
	case "OKP":
		return ed25519.PublicKey(number(k.X).FillBytes(make([]byte, ed25519.PublicKeySize)))
	}
	t.Fatalf("a JWK of type %q", k.Type)
	return nil
}

func TestSignJWT(t *testing.T) {
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		key       crypto.Signer
		supported []string
		alg       string
	}{
		"P-256":                             {newECDSA(t, elliptic.P256()), nil, "ES256"},
		"P-384":                             {newECDSA(t, elliptic.P384()), nil, "ES384"},
		"P-521":                             {newECDSA(t, elliptic.P521()), nil, "ES512"},
		"RSA":                               {rsaKey(), nil, "RS256"},
		"RSA where only PSS is supported":   {rsaKey(), []string{"ES256", "PS256"}, "PS256"},
		"Ed25519":                           {ed, nil, "EdDSA"},
		"a key in hardware":                 {hardware{newECDSA(t, elliptic.P256())}, []string{"ES256"}, "ES256"},
		"an RSA key in hardware, by PKCS 1": {hardware{rsaKey()}, []string{"PS256", "RS256"}, "RS256"},
	} {
		t.Run(name, func(t *testing.T) {
			algs, err := algorithmsOf(tc.key)
			if err != nil {
				t.Fatal(err)
			}
			alg, err := pickAlgorithm(algs, tc.supported)
			if err != nil {
				t.Fatal(err)
			}
			jwk, err := newPublicJWK(tc.key)
			if err != nil {
				t.Fatal(err)
			}
			for range 20 { // numbers with leading zeros come too
				jwt, err := signJWT(tc.key, alg, jwsHeader{Type: "JWT", JWK: jwk}, map[string]string{"iss": "me"})
				if err != nil {
					t.Fatal(err)
				}
				var header struct {
					Typ, Alg string
					JWK      publicJWK
				}
				var claims struct{ Iss string }
				verified(t, jwt, tc.key.Public(), &header, &claims)
				verified(t, jwt, keyOf(t, *jwk), &header, &claims)
				if header.Typ != "JWT" || header.Alg != tc.alg || header.JWK != *jwk || claims.Iss != "me" {
					t.Fatalf("header %+v, claims %+v", header, claims)
				}
			}
		})
	}
}

func TestSignJWTFails(t *testing.T) {
	key := newECDSA(t, elliptic.P256())
	small := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), 1023), E: 65537}}
	for name, bad := range map[string]crypto.Signer{
		"no key":                   nil,
		"a small RSA key":          small,
		"a curve that JWS has not": newECDSA(t, elliptic.P224()),
		"a key of an unknown kind": unknownKey{},
	} {
		if _, err := algorithmsOf(bad); err == nil {
			t.Errorf("%s: algorithmsOf gave no error", name)
		}
	}
	algs, err := algorithmsOf(key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pickAlgorithm(algs, []string{"RS256"}); err == nil || !strings.Contains(err.Error(), "ES256") {
		t.Errorf("a server that supports only RS256: error %v", err)
	}
	if _, err := signJWT(brokenKey{key}, algs[0], jwsHeader{}, struct{}{}); err == nil {
		t.Error("a key that can't sign: no error")
	}
}

// An unknownKey is of no kind that JWS has.
type unknownKey struct{}

func (unknownKey) Public() crypto.PublicKey { return "public" }
func (unknownKey) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, io.ErrUnexpectedEOF
}

func TestThumbprint(t *testing.T) {
	for name, tc := range map[string]struct {
		jwk  publicJWK
		want string
	}{
		"RFC 7638, 3.1": {publicJWK{
			Type: "RSA", E: "AQAB",
			N: "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs" +
				"tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n9" +
				"1CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
		}, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"},
		"RFC 8037, A.3": {publicJWK{
			Type: "OKP", Curve: "Ed25519", X: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
		}, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"},
		"RFC 9449, 6.1": {publicJWK{
			Type: "EC", Curve: "P-256",
			X: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", Y: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
		}, "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := tc.jwk.thumbprint(); err != nil || got != tc.want {
				t.Errorf("thumbprint = %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}

func FuzzRawSignature(f *testing.F) {
	key := newECDSA(f, elliptic.P256())
	good, err := key.Sign(rand.Reader, make([]byte, 32), crypto.SHA256)
	if err != nil {
		f.Fatal(err)
	}
	huge, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(append(good, 0))
	f.Add(huge)
	f.Add([]byte{0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0xff})                   // zero, and below
	f.Add([]byte("00\x02\x15000000000000000000000\x02\x1500000000000000000000000")) // more inside
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, der []byte) {
		raw, err := rawSignature(der, 32)
		if err != nil {
			return
		}
		if len(raw) != 64 {
			t.Fatalf("%d bytes", len(raw))
		}
		r, s := new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:])
		if again, err := asn1.Marshal(struct{ R, S *big.Int }{r, s}); err != nil || string(again) != string(der) {
			t.Fatalf("%x became %x, %v", der, again, err)
		}
	})
}

func TestRawSignature(t *testing.T) {
	huge, err := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)})
	if err != nil {
		t.Fatal(err)
	}
	for name, der := range map[string][]byte{
		"nothing":                    {},
		"no ASN.1":                   []byte("signature"),
		"something behind it":        {0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01, 0x00},
		"zero":                       {0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x01},
		"a number below zero":        {0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0xff},
		"a number larger than it is": huge,
	} {
		if raw, err := rawSignature(der, 32); err == nil {
			t.Errorf("%s: became %x", name, raw)
		}
	}
	want := strings.Repeat("\x00", 31) + "\x01" + strings.Repeat("\x00", 31) + "\x02"
	if raw, err := rawSignature([]byte{0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x02}, 32); err != nil || string(raw) != want {
		t.Errorf("small numbers became %x, %v", raw, err)
	}
}

// peek decodes the header of a JWT whose signature nobody has looked at.
func peek(t testing.TB, jwt string, header any) {
	t.Helper()
	first, _, _ := strings.Cut(jwt, ".")
	raw, err := base64.RawURLEncoding.DecodeString(first)
	if err == nil {
		err = json.Unmarshal(raw, header)
	}
	if err != nil {
		t.Fatalf("the header of the JWT: %v", err)
	}
}
