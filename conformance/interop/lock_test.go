package interop_test

import (
	"bytes"
	"os"
	"testing"
)

// A lock file with addresses would install from those, whatever registry a
// machine is set up to use.
func TestTheLockFileNamesNoRegistry(t *testing.T) {
	lock, err := os.ReadFile("../testdata/npm/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(lock, []byte(`"resolved"`)) || bytes.Contains(lock, []byte("registry.")) {
		t.Error("write it anew with npm install --package-lock-only --omit-lockfile-registry-resolved")
	}
}
