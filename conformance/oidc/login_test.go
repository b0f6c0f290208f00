package oidc

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/auth"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A world is a server, its authorization server, and what is asked of that.
type world struct {
	t       *testing.T
	server  *resource
	machine *ecdsa.PrivateKey
	store   *auth.Memory

	mu     sync.Mutex
	asked  []string // grants with scopes, in order
	logins []string // scopes that users were asked for
}

func newWorld(t *testing.T) *world {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, server: newResource(t), machine: key, store: new(auth.Memory)}
	w.server.issuer = startProvider(t, w.endpoint(), key)
	return w
}

func (w *world) endpoint() string { return w.server.URL + "/mcp" }

// RoundTrip records token requests.
func (w *world) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/token") {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		_ = req.Body.Close()
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
		values, _ := url.ParseQuery(string(body))
		w.mu.Lock()
		w.asked = append(w.asked, values.Get("grant_type"))
		w.mu.Unlock()
	}
	return single.Transport.RoundTrip(req)
}

// user is a browser whose user says yes.
func (w *world) user() auth.Option {
	return auth.WithUserAgent(auth.Loopback{OpenURL: func(ctx context.Context, rawURL string) error {
		u, err := url.Parse(rawURL)
		if err != nil {
			return err
		}
		w.mu.Lock()
		w.logins = append(w.logins, u.Query().Get("scope"))
		w.mu.Unlock()
		jar, err := cookiejar.New(nil)
		if err != nil {
			return err
		}
		browser := &http.Client{Transport: single.Transport, Jar: jar}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, rawURL, nil)
		if err != nil {
			return err
		}
		resp, err := browser.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			said, _ := io.ReadAll(resp.Body)
			return fmt.Errorf("the browser got HTTP %d: %s", resp.StatusCode, said)
		}
		return nil
	}})
}

// call calls a tool over a connection of its own.
func (w *world) call(tool string, opts ...auth.Option) error {
	w.t.Helper()
	login, err := auth.New(append([]auth.Option{
		auth.WithStore(w.store), auth.WithHTTPClient(&http.Client{Transport: w}),
	}, opts...)...)
	if err != nil {
		w.t.Fatal(err)
	}
	defer login.Close()
	t, err := mcphttp.New(w.endpoint(), mcphttp.WithAuthorizer(login))
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := client.Connect(w.t.Context(), t)
	if err != nil {
		return err
	}
	defer func() {
		if err := c.Close(); err != nil {
			w.t.Errorf("Close: %v", err)
		}
	}()
	res, err := c.CallTool(w.t.Context(), tool, map[string]any{})
	if err == nil && res.Text() != tool+": done" {
		err = fmt.Errorf("the tool said %q", res.Text())
	}
	return err
}

// mustCall is call, which must work.
func (w *world) mustCall(tool string, opts ...auth.Option) {
	w.t.Helper()
	if err := w.call(tool, opts...); err != nil {
		w.t.Fatalf("%s: %v", tool, err)
	}
}

// stored is the login that is kept.
type stored struct {
	Client struct {
		ID string `json:"client_id"`
	}
	Token struct{ Access, Refresh string }
}

func (w *world) stored() stored {
	w.t.Helper()
	value, ok, err := w.store.Load(w.t.Context(), "login "+w.endpoint())
	if err != nil || !ok {
		w.t.Fatalf("there is no login, %v", err)
	}
	var s stored
	if err := json.Unmarshal(value, &s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// expect compares what was asked of the authorization server and of users since
// the last time.
func (w *world) expect(asked, logins []string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if diff := cmp.Diff(asked, w.asked); diff != "" {
		w.t.Errorf("token requests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(logins, w.logins); diff != "" {
		w.t.Errorf("logins (-want +got):\n%s", diff)
	}
	w.asked, w.logins = nil, nil
}

// ending makes every token one that is about to end, so that it is renewed.
func ending() auth.Option { return auth.WithExpirySkew(24 * time.Hour) }

func TestLogin(t *testing.T) {
	w := newWorld(t)
	const code, refresh = "authorization_code", "refresh_token"

	w.mustCall("look", w.user())
	w.expect([]string{code}, []string{"read offline_access"})

	w.mustCall("look") // by the login that is kept
	w.expect(nil, nil)

	before := w.stored()
	w.mustCall("look", ending())
	if after := w.stored(); after.Token.Access == before.Token.Access || after.Token.Refresh == before.Token.Refresh {
		t.Error("the tokens are the old ones")
	}
	w.mu.Lock()
	if len(w.asked) == 0 || w.asked[0] != refresh {
		t.Errorf("token requests: %v", w.asked)
	}
	w.asked = nil
	w.mu.Unlock()

	w.mustCall("change", w.user()) // needs another scope
	w.expect([]string{code}, []string{"read write offline_access"})
	w.mustCall("change")
	w.expect(nil, nil)

	w.server.refuse(w.stored().Token.Access)
	w.mustCall("look") // without the user
	w.expect([]string{refresh}, nil)

	revoked := w.stored()
	revoke(t, w.server.issuer, revoked.Client.ID, revoked.Token.Refresh) // the access token goes with it
	err := w.call("look")
	if !errors.Is(err, transport.ErrUnauthorized) || !errors.Is(err, auth.ErrLoginRequired) {
		t.Errorf("with tokens that are revoked: %v", err)
	}
	w.expect([]string{refresh}, nil)
	w.mustCall("look", w.user())
	w.expect([]string{code}, []string{"read offline_access"})
}

func TestDPoP(t *testing.T) {
	w := newWorld(t)
	w.server.nonce = "server-nonce"
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	bound := auth.WithDPoP(auth.DPoP{Key: key})
	w.mustCall("look", bound, w.user())
	w.expect([]string{"authorization_code", "authorization_code"}, []string{"read offline_access"}) // once more with the nonce
	w.mustCall("look", bound)
	w.expect(nil, nil)
	w.mustCall("look", bound, ending())

	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	seen := map[string]bool{}
	for i, scheme := range w.server.schemes {
		if scheme != "DPoP" || i >= len(w.server.ids) || seen[w.server.ids[i]] {
			t.Fatalf("schemes %v, ids %v", w.server.schemes, w.server.ids)
		}
		seen[w.server.ids[i]] = true
	}
}

func TestMachine(t *testing.T) {
	w := newWorld(t)
	w.mustCall("look", auth.WithGrant(auth.ClientCredentials{}), auth.WithRegistration(auth.Registration{
		Issuer: w.server.issuer, ClientID: "machine", Key: w.machine,
	}))
	w.expect([]string{"client_credentials"}, nil)
}
