// Package npm installs npm packages for tests: pinned by a lock file, without
// running their scripts, and outside of the repository.
package npm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// cacheEnv names where installations are kept, instead of the user's cache.
const cacheEnv = "MCPERA_INTEROP_CACHE"

// Install returns a folder that holds the files of source, which are a
// package.json, its lock file and the scripts that need them, with everything
// installed beside them. There is one such folder for each content of source,
// so only the first call needs npm and the network. Processes may install the
// same at the same time.
func Install(ctx context.Context, source fs.FS) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	files, err := read(source)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, hash(files))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, installInto(ctx, cache, dir, files)
}

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

// A file is one of the source.
type file struct {
	name string
	data []byte
}

// read returns the files of source in the order of their names.
func read(source fs.FS) ([]file, error) {
	entries, err := fs.ReadDir(source, ".")
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := fs.ReadFile(source, e.Name())
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
func installInto(ctx context.Context, cache, dir string, files []file) error {
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
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
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
