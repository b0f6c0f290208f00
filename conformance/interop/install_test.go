package interop_test

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/mcpera/mcpera/conformance/internal/npm"
)

// npmServers returns the folder where the servers are ready to run. Without npm
// the test is skipped, but never in CI: there, what did not run must not pass.
func npmServers(t *testing.T) string {
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
	return dir
}

// install installs the servers once for all tests: they run at the same time.
var install = sync.OnceValues(func() (string, error) {
	return npm.Install(context.Background(), os.DirFS("../testdata/npm"))
})
