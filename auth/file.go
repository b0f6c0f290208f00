package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
)

// A File is a TokenStore and a Locker in one JSON file that only its owner can
// read. What is in it is not encrypted: where the system has a keyring, a
// TokenStore of yours that uses it is safer.
//
// Every method reads the file afresh, so that processes see each other's logins,
// and those that change it hold a lock file beside it, where the system has such
// locks. It is safe for concurrent
// use; two Files of one path are like two processes.
type File struct{ path string }

// Bounds of a File.
const (
	maxFile     = 4 << 20 // bytes
	fileVersion = 1
)

// NewFile returns a File at path, and does no I/O yet. A missing file holds
// nothing; the first Save makes it with mode 0600, and its folder with mode 0700
// if need be. A file that is damaged, larger than 4 MiB or of another format holds
// nothing either, and the next Save replaces it.
//
// An error from a method is the file system's or the context's. Lock files stay,
// and are empty.
func NewFile(path string) *File { return &File{path} }

// fileContent is the format of a File.
type fileContent struct {
	Version int               `json:"version"`
	Rows    map[string][]byte `json:"rows"`
}

// Load implements TokenStore.
func (f *File) Load(ctx context.Context, key string) ([]byte, bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	rows, err := f.read()
	value, ok := rows[key]
	return value, ok, err
}

// Save implements TokenStore.
func (f *File) Save(ctx context.Context, key string, value []byte) error {
	return f.change(ctx, func(rows map[string][]byte) bool {
		rows[key] = value
		return true
	})
}

// CompareAndDelete implements TokenStore.
func (f *File) CompareAndDelete(ctx context.Context, key string, old []byte) error {
	return f.change(ctx, func(rows map[string][]byte) bool {
		value, ok := rows[key]
		if ok = ok && bytes.Equal(value, old); ok {
			delete(rows, key)
		}
		return ok
	})
}

// Lock implements Locker.
func (f *File) Lock(ctx context.Context, key string) (unlock func(), err error) {
	sum := sha256.Sum256([]byte(key))
	return lockPath(ctx, f.path+"."+hex.EncodeToString(sum[:8])+".lock")
}

// change reads the file and, when edit reports a change, replaces it.
func (f *File) change(ctx context.Context, edit func(map[string][]byte) bool) error {
	unlock, err := lockPath(ctx, f.path+".lock")
	switch {
	case err == nil:
		defer unlock()
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	rows, err := f.read()
	if err != nil || !edit(rows) {
		return err
	}
	return f.replace(rows)
}

// read returns the rows of the file as it is now. It takes no lock: replace swaps
// whole files.
func (f *File) read() (map[string][]byte, error) {
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string][]byte{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	var content fileContent
	if len(data) > maxFile || json.Unmarshal(data, &content) != nil || content.Version != fileVersion || content.Rows == nil {
		return map[string][]byte{}, nil
	}
	return content.Rows, nil
}

// errFileFull means that a File can't hold more.
var errFileFull = errors.New("auth: the token file would be larger than 4 MiB")

// replace writes a new file beside the old one and renames it: a crash leaves
// either, and the mode is that of the new one.
func (f *File) replace(rows map[string][]byte) error {
	data, err := json.Marshal(fileContent{fileVersion, rows}, json.Deterministic(true))
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return errFileFull
	}
	temp, err := os.CreateTemp(filepath.Dir(f.path), ".tokens-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the first error is the one to tell
	}
	return err
}

// lockPatience is how long to wait between two looks at a lock that is taken.
const lockPatience = 20 * time.Millisecond

// lockPath waits for the lock of a file, which it makes, and its folder.
func lockPath(ctx context.Context, path string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		taken, err := tryLock(file)
		if err == nil && !taken {
			return func() { _ = file.Close() }, nil // which frees it
		}
		if err == nil {
			err = pause(ctx, lockPatience)
		}
		if err != nil {
			_ = file.Close()
			return nil, err
		}
	}
}

// pause waits for d or the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
