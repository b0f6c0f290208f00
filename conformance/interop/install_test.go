package interop_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// source holds the scripts, and what they need from npm, pinned by a lock file.
const source = "../testdata/npm"

// cacheEnv names where installations are kept, instead of the user's cache.
const cacheEnv = "MCPERA_INTEROP_CACHE"

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

// install installs the servers once for all tests, and, by way of the cache,
// for all test runs until a file of source changes.
var install = sync.OnceValues(func() (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	files, err := readSource()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, hash(files))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, installInto(cache, dir, files)
})

func cacheDir() (string, error) {
	if dir := os.Getenv(cacheEnv); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where to install npm packages is unknown, set %s: %w", cacheEnv, err)
	}
	return filepath.Join(dir, "mcpera-interop"), nil
}

// A file is one of source.
type file struct {
	name string
	data []byte
}

// readSource returns the files of source in the order of their names.
func readSource() ([]file, error) {
	entries, err := os.ReadDir(source)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(source, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{e.Name(), data})
	}
	return files, nil
}

// hash names an installation by what is in it.
func hash(files []file) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%q %d\n%s", f.name, len(f.data), f.data)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// installInto makes dir appear at once and complete: it installs beside dir and
// renames. Of several processes that do so one wins, and the others use its
// work.
func installInto(cache, dir string, files []file) error {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(temp, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	npm := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = temp
	if said, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, said)
	}
	err = os.Rename(temp, dir)
	if _, there := os.Stat(dir); err != nil && !errors.Is(there, fs.ErrNotExist) {
		return nil // another process was faster
	}
	return err
}
