package auth

import (
	"context"
	"crypto"
	"crypto/elliptic"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A proof is what a request had in its DPoP header.
type proof struct {
	Header struct {
		Typ, Alg string
		JWK      publicJWK
	}
	Claims proofClaims
}

// proofOf returns the proof in a request, whose signature is good by the key in it.
func proofOf(t *testing.T, header http.Header) proof {
	t.Helper()
	values := header.Values("DPoP")
	if len(values) != 1 {
		t.Fatalf("%d DPoP headers", len(values))
	}
	var first, p proof
	peek(t, values[0], &first.Header)
	verified(t, values[0], keyOf(t, first.Header.JWK), &p.Header, &p.Claims)
	if p.Header.Typ != "dpop+jwt" || p.Claims.ID == "" {
		t.Errorf("header %+v, claims %+v", p.Header, p.Claims)
	}
	return p
}

// onlyBound lets requests through that have a token by the scheme DPoP.
func onlyBound(_ int, req tokenRequest) answer {
	if !strings.HasPrefix(req.Header.Get("Authorization"), "DPoP ") {
		return answer{401, map[string]string{"WWW-Authenticate": `DPoP algs="ES256"`}, nil}
	}
	return answer{status: 200}
}

// bound is an Authorizer with DPoP and a user.
func bound(t *testing.T, r *realm, d DPoP, more ...Option) *Authorizer {
	t.Helper()
	return authorizer(t, append([]Option{
		WithDPoP(d), WithUserAgent(consenting(r.issuer())), WithRegistration(Registration{Issuer: r.issuer(), ClientID: "me"}),
	}, more...)...)
}

// X-DPP-01, X-DPP-02, X-DPP-03: what proofs claim, that none comes twice, and
// by which scheme the token goes out.
func TestDPoP(t *testing.T) {
	for name, tc := range map[string]struct {
		key crypto.Signer
		alg string
	}{
		"ES256": {hardware{newECDSA(t, elliptic.P256())}, "ES256"},
		"RS256": {rsaKey(), "RS256"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRealm(t)
			r.token, r.server = issue("DPoP"), onlyBound
			r.metadata = map[string]any{"dpop_signing_alg_values_supported": []string{"ES256", "RS256"}}
			var c clock
			c.advance(time.Hour)
			a := bound(t, r, DPoP{Key: tc.key}, c.option)
			for range 3 {
				mustSend(t, a, r.endpoint()+"?tenant=secret")
			}
			jwk, err := newPublicJWK(tc.key)
			if err != nil {
				t.Fatal(err)
			}
			type shown struct{ Alg, Method, URI, Token, Nonce string }
			var got []shown
			ids := map[string]bool{}
			note := func(header http.Header) {
				p := proofOf(t, header)
				if p.Header.JWK != *jwk {
					t.Errorf("the proof is by another key: %+v", p.Header.JWK)
				}
				if d := time.Since(time.Unix(p.Claims.Issued, 0).Add(-time.Hour)); d < -time.Second || d > time.Minute {
					t.Errorf("the proof is %v old", d)
				}
				if ids[p.Claims.ID] {
					t.Errorf("the jti %s comes twice", p.Claims.ID)
				}
				ids[p.Claims.ID] = true
				got = append(got, shown{p.Header.Alg, p.Claims.Method, p.Claims.URI, p.Claims.Token, p.Claims.Nonce})
			}
			for _, req := range r.requests() {
				note(req.Header)
			}
			calls := r.received()
			if calls[0].Get("DPoP") != "" {
				t.Error("a request without a token has a proof")
			}
			for _, call := range calls[1:] {
				if got := call.Get("Authorization"); got != "DPoP token-1" {
					t.Errorf("Authorization is %q", got)
				}
				note(call)
			}
			call := shown{tc.alg, "POST", r.endpoint(), digest64("token-1"), ""}
			want := []shown{{tc.alg, "POST", r.issuer() + "/token", "", ""}, call, call, call}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("proofs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDPoPBindsTheCode(t *testing.T) {
	r := newRealm(t)
	r.token, r.server = issue("DPoP"), onlyBound
	var asked url.Values
	agent := Browser(func(ctx context.Context, raw string) (url.Values, error) {
		u, err := url.Parse(raw)
		if err != nil {
			return nil, err
		}
		asked = u.Query()
		return url.Values{"code": {"code"}, "state": {asked.Get("state")}}, nil
	}).At("http://127.0.0.1:3000/callback")
	a := bound(t, r, DPoP{}, WithUserAgent(agent))
	mustSend(t, a, r.endpoint())
	jwk := proofOf(t, r.requests()[0].Header).Header.JWK
	want, err := jwk.thumbprint()
	if err != nil || asked.Get("dpop_jkt") != want {
		t.Errorf("dpop_jkt is %q, not %q, %v", asked.Get("dpop_jkt"), want, err)
	}
}

// nonces answers token requests whose proof lacks the nonce as-N of the Nth round
// with a demand for it.
func (r *realm) demandNonce(t *testing.T, nonce string, then reply) reply {
	return func(n int, req tokenRequest) answer {
		if proofOf(t, req.Header).Claims.Nonce != nonce {
			return answer{400, map[string]string{"DPoP-Nonce": nonce}, map[string]any{"error": useNonce}}
		}
		return then(n, req)
	}
}

// X-DPP-03, X-DPP-04: nonces of both servers, each in a new proof.
func TestNonces(t *testing.T) {
	r := newRealm(t)
	r.token = r.demandNonce(t, "as-1", issue("DPoP"))
	wanted := "rs-1"
	r.server = func(n int, req tokenRequest) answer {
		if a := onlyBound(n, req); a.status != 200 {
			return a
		}
		if proofOf(t, req.Header).Claims.Nonce != wanted {
			return answer{401, map[string]string{
				"WWW-Authenticate": `DPoP error="use_dpop_nonce"`, "DPoP-Nonce": wanted,
			}, nil}
		}
		return answer{status: 200}
	}
	a := bound(t, r, DPoP{})
	mustSend(t, a, r.endpoint()) // 401, 401 with a nonce, 200
	mustSend(t, a, r.endpoint()) // 200: the nonce is known
	wanted = "rs-2"
	mustSend(t, a, r.endpoint()) // 401 with a nonce, 200

	var got []string
	ids := map[string]bool{}
	for _, req := range r.requests() {
		p := proofOf(t, req.Header)
		got = append(got, "token: "+p.Claims.Nonce)
		ids[p.Claims.ID] = true
	}
	for _, call := range r.received() {
		if call.Get("DPoP") == "" {
			got = append(got, "call")
			continue
		}
		p := proofOf(t, call)
		got = append(got, "call: "+p.Claims.Nonce)
		ids[p.Claims.ID] = true
	}
	want := []string{
		"token: ", "token: as-1",
		"call", "call: ", "call: rs-1", "call: rs-1", "call: rs-1", "call: rs-2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("proofs (-want +got):\n%s", diff)
	}
	if len(ids) != len(want)-1 {
		t.Errorf("%d different jti in %d proofs", len(ids), len(want)-1)
	}
}

func TestNonceWithAnswer(t *testing.T) {
	r := newRealm(t)
	r.token = issue("DPoP")
	r.server = func(n int, req tokenRequest) answer {
		a := onlyBound(n, req)
		a.header = map[string]string{"DPoP-Nonce": fmt.Sprintf("rs-%d", n), "WWW-Authenticate": "DPoP"}
		return a
	}
	a := bound(t, r, DPoP{})
	for range 3 {
		mustSend(t, a, r.endpoint())
	}
	var got []string
	for _, call := range r.received()[1:] {
		got = append(got, proofOf(t, call).Claims.Nonce)
	}
	if diff := cmp.Diff([]string{"rs-1", "rs-2", "rs-3"}, got); diff != "" {
		t.Errorf("nonces (-want +got):\n%s", diff)
	}
}

// X-DPP-04: what is wrong with a proof is never a reason to log in again, and
// never asked for without end.
func TestProofIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		challenge string
		nonce     func(n int) string
		calls     int // with a token
	}{
		"a new nonce each time":     {`DPoP error="use_dpop_nonce"`, func(n int) string { return fmt.Sprint("rs-", n) }, 1 + maxNonces},
		"no nonce with the demand":  {`DPoP error="use_dpop_nonce"`, func(int) string { return "" }, 1},
		"a nonce that can't be one": {`DPoP error="use_dpop_nonce"`, func(int) string { return `a"b` }, 1},
		"a Bearer challenge beside": {`Bearer realm="x", DPoP error="use_dpop_nonce"`, func(int) string { return "" }, 1},
		"the proof is not good":     {`DPoP error="invalid_dpop_proof"`, func(int) string { return "rs" }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRealm(t)
			r.token = issue("DPoP")
			r.server = func(n int, req tokenRequest) answer {
				if a := onlyBound(n, req); a.status != 200 {
					return a
				}
				a := answer{401, map[string]string{"WWW-Authenticate": tc.challenge}, nil}
				if nonce := tc.nonce(n); nonce != "" {
					a.header["DPoP-Nonce"] = nonce
				}
				return a
			}
			status, err := send(t.Context(), bound(t, r, DPoP{}), r.endpoint())
			if status != 401 || err != nil {
				t.Errorf("%d, %v", status, err)
			}
			if n := len(r.requests()); n != 1 {
				t.Errorf("%d token requests", n)
			}
			if n := len(r.received()) - 1; n != tc.calls {
				t.Errorf("%d calls with the token, not %d", n, tc.calls)
			}
		})
	}
}

// X-DPP-04.
func TestTokenEndpointWantsNonces(t *testing.T) {
	for name, tc := range map[string]struct {
		nonce    func(n int) string
		requests int
	}{
		"a new one each time":  {func(n int) string { return fmt.Sprint("as-", n) }, 1 + maxNonces},
		"the same one again":   {func(int) string { return "as" }, 2},
		"none with the demand": {func(int) string { return "" }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRealm(t)
			r.server = onlyBound
			r.token = func(n int, _ tokenRequest) answer {
				a := answer{400, map[string]string{}, map[string]any{"error": useNonce}}
				if nonce := tc.nonce(n); nonce != "" {
					a.header["DPoP-Nonce"] = nonce
				}
				return a
			}
			_, err := send(t.Context(), bound(t, r, DPoP{}), r.endpoint())
			if code(err) != useNonce {
				t.Errorf("error %v", err)
			}
			if n := len(r.requests()); n != tc.requests {
				t.Errorf("%d token requests, not %d", n, tc.requests)
			}
		})
	}
}

// A token request that is repeated because of a nonce has an assertion of its own.
func TestNonceWithClientAssertion(t *testing.T) {
	r := newRealm(t)
	r.server = onlyBound
	r.token = r.demandNonce(t, "as-1", issue("DPoP"))
	key := newECDSA(t, elliptic.P256())
	a := authorizer(t, WithDPoP(DPoP{}), WithGrant(ClientCredentials{}), WithRegistration(Registration{
		Issuer: r.issuer(), ClientID: "me", Key: key,
	}))
	mustSend(t, a, r.endpoint())
	ids := map[string]bool{}
	for _, req := range r.requests() {
		var claims assertionClaims
		verified(t, req.Form.Get("client_assertion"), key.Public(), &struct{}{}, &claims)
		ids[claims.ID] = true
	}
	if len(ids) != 2 {
		t.Errorf("%d different jti in %d assertions", len(ids), len(r.requests()))
	}
}

// X-DPP-03.
func TestDPoPRefresh(t *testing.T) {
	r := newRealm(t)
	r.token, r.server = issue("DPoP"), onlyBound
	var c clock
	a := bound(t, r, DPoP{}, c.option)
	mustSend(t, a, r.endpoint())
	c.advance(2 * time.Hour)
	var calls sync.WaitGroup
	for range 100 {
		calls.Go(func() {
			if status, err := send(t.Context(), a, r.endpoint()); status != 200 || err != nil {
				t.Errorf("%d, %v", status, err)
			}
		})
	}
	calls.Wait()
	asked := r.requests()
	if len(asked) != 2 || asked[1].Form.Get("grant_type") != "refresh_token" {
		t.Fatalf("%d token requests", len(asked))
	}
	if one, two := proofOf(t, asked[0].Header), proofOf(t, asked[1].Header); one.Header.JWK != two.Header.JWK {
		t.Error("the refresh was by another key")
	}
	ids := map[string]bool{}
	for _, call := range r.received()[1:] {
		ids[proofOf(t, call).Claims.ID] = true
	}
	if len(ids) != 101 {
		t.Errorf("%d different jti in 101 calls", len(ids))
	}
}

func TestUnboundTokens(t *testing.T) {
	for name, tc := range map[string]struct {
		opts   []Option
		issued string
		scheme string
		err    bool
	}{
		"a Bearer token is refused":            {[]Option{WithDPoP(DPoP{})}, "Bearer", "", true},
		"it is used where that is optional":    {[]Option{WithDPoP(DPoP{Optional: true})}, "Bearer", "Bearer token-1", false},
		"a bound one is used there too":        {[]Option{WithDPoP(DPoP{Optional: true})}, "dpop", "DPoP token-1", false},
		"a bound one without a key is refused": {nil, "DPoP", "", true},
		"a type that nobody knows is refused":  {[]Option{WithDPoP(DPoP{})}, "mac", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRealm(t)
			r.token = issue(tc.issued)
			a := authorizer(t, append(tc.opts, WithUserAgent(consenting(r.issuer())),
				WithRegistration(Registration{Issuer: r.issuer(), ClientID: "me"}))...)
			_, err := send(t.Context(), a, r.endpoint())
			if (err != nil) != tc.err {
				t.Fatalf("error %v", err)
			}
			calls := r.received()
			last := calls[len(calls)-1]
			if got := last.Get("Authorization"); got != tc.scheme {
				t.Errorf("Authorization is %q, not %q", got, tc.scheme)
			}
			if bound := strings.HasPrefix(tc.scheme, "DPoP"); bound != (last.Get("DPoP") != "") {
				t.Errorf("the proof is %q", last.Get("DPoP"))
			}
		})
	}
	r := newRealm(t)
	r.token = issue("Bearer")
	if _, err := send(t.Context(), bound(t, r, DPoP{}), r.endpoint()); !errors.Is(err, ErrUnbound) {
		t.Errorf("error %v", err)
	}
}

// A login that is bound to another key, or to none, is of no use.
func TestStoredLoginsAreOfTheKey(t *testing.T) {
	r := newRealm(t)
	r.server = onlyBound
	store := new(Memory)
	key := newECDSA(t, elliptic.P256())
	r.token = issue("DPoP")
	for _, d := range []DPoP{{Key: key}, {Key: key}, {}, {}} {
		mustSend(t, bound(t, r, d, WithStore(store)), r.endpoint())
	}
	if n := len(r.requests()); n != 3 {
		t.Errorf("%d logins, not 3: one for each key", n)
	}
	r.server, r.token = nil, issue("Bearer")
	a := authorizer(t, WithStore(store), WithUserAgent(consenting(r.issuer())), WithRegistration(Registration{Issuer: r.issuer(), ClientID: "me"}))
	mustSend(t, a, r.endpoint())
	if calls := r.received(); calls[len(calls)-1].Get("Authorization") != "Bearer token-4" {
		t.Error("a bound token was sent as another one")
	}
}

func TestDPoPAlgorithmIsNotSupported(t *testing.T) {
	r := newRealm(t)
	r.token, r.server = issue("DPoP"), onlyBound
	r.metadata = map[string]any{"dpop_signing_alg_values_supported": []string{"PS512"}}
	_, err := send(t.Context(), bound(t, r, DPoP{}), r.endpoint())
	if err == nil || !strings.Contains(err.Error(), "PS512") {
		t.Errorf("error %v", err)
	}
}

// X-DPP-01.
func TestProofURI(t *testing.T) {
	for raw, want := range map[string]string{
		"https://api.example.com/mcp":              "https://api.example.com/mcp",
		"HTTPS://API.example.com:443/mcp?a=b":      "https://api.example.com/mcp",
		"https://me:pw@api.example.com/a%2Fb/?q#f": "https://api.example.com/a%2Fb/",
		"http://127.0.0.1:8080":                    "http://127.0.0.1:8080/",
		"http://[::1]:8080/mcp?":                   "http://[::1]:8080/mcp",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := proofURI(u); got != want {
			t.Errorf("proofURI(%s) = %s, want %s", raw, got, want)
		}
	}
}

func FuzzProofURI(f *testing.F) {
	for _, s := range []string{"https://me:pw@h/a%2Fb?q=1#f", "http://[::1]:80", "https://h//x/../y;v?", "https://h/%23%3F"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			return
		}
		uri := proofURI(u)
		got, err := url.Parse(uri)
		if err != nil {
			t.Fatalf("%q became %q: %v", raw, uri, err)
		}
		if got.User != nil || strings.ContainsAny(uri, "?#") {
			t.Fatalf("%q became %q", raw, uri)
		}
		if again := proofURI(got); again != uri {
			t.Fatalf("%q became %q and %q", raw, uri, again)
		}
	})
}

func FuzzNonce(f *testing.F) {
	for _, s := range []string{"eyJ7S_zG.eyJH0-Z.HX4w-7v", "", `a"b`, "a b", "a\\b", "a\nb", strings.Repeat("x", maxNonce+1), "é"} {
		f.Add(s)
	}
	p, err := newProver(DPoP{Key: newECDSA(f, elliptic.P256())}, time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, nonce string) {
		p.nonces = map[string]string{}
		p.learn("https://h", http.Header{"Dpop-Nonce": {nonce}})
		kept := p.nonce("https://h")
		if kept != "" && kept != nonce || kept == nonce != validNonce(nonce) && nonce != "" {
			t.Fatalf("of %q it kept %q", nonce, kept)
		}
		for _, c := range []byte(kept) { // NQCHAR of RFC 6749
			if c != 0x21 && (c < 0x23 || c > 0x5b) && (c < 0x5d || c > 0x7e) {
				t.Fatalf("kept %q", kept)
			}
		}
	})
}

func TestNoncesAreBounded(t *testing.T) {
	p, err := newProver(DPoP{Key: newECDSA(t, elliptic.P256())}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 * maxNoncesKept {
		p.learn(fmt.Sprint("https://h", i), http.Header{"Dpop-Nonce": {"n"}})
	}
	if len(p.nonces) > maxNoncesKept {
		t.Errorf("%d nonces are kept", len(p.nonces))
	}
	p.learn("https://two", http.Header{"Dpop-Nonce": {"a", "b"}})
	if got := p.nonce("https://two"); got != "" {
		t.Errorf("of two nonces it kept %q", got)
	}
}

// X-DPP-05.
func TestKeysAreNotShown(t *testing.T) {
	key := newECDSA(t, elliptic.P256())
	raw, err := key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	d := new(big.Int).SetBytes(raw)
	p, err := newProver(DPoP{Key: key}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	r := Registration{ClientID: "me", ClientSecret: "s3cret", Key: key}
	e := Enterprise{Client: r, Assertion: StaticAssertion("s3cret")}
	for _, v := range []any{DPoP{Key: key}, &DPoP{Key: key}, p, r, &r, e, &e, Workload{StaticAssertion("s3cret")}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if s := fmt.Sprintf(verb, v); strings.Contains(s, d.String()) || strings.Contains(s, "s3cret") || strings.Contains(s, d.Text(16)) {
				t.Errorf("%s of a %T shows a secret: %s", verb, v, s)
			}
		}
	}
}
