package erecache

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A File is a Store in one JSON file, for programs that start often. It holds
// at most 1,000 verdicts, by Key.Hash; a new one then takes the place of the
// one that was decided first.
//
// Every method reads the file afresh, so processes see each other's verdicts;
// two that change the file at the same instant may lose a change, which costs
// a probe. A File is safe for concurrent use; two Files of one path are like
// two processes.
type File struct {
	path string
	turn chan struct{} // holds a token while a method changes the file
}

// NewFile returns a File at path, and does no I/O yet. A missing file holds no
// verdicts; the first Save makes it, and its folder with mode 0700 if need be.
// A file that is damaged, larger than 1 MiB or of another format holds none
// either, and the next Save replaces it. Every Save leaves the file with mode
// 0600, whatever it was before.
//
// An error from a method is the file system's or the context's, and names no
// server.
func NewFile(path string) *File {
	return &File{path: path, turn: make(chan struct{}, 1)}
}

// Load implements Store.
func (f *File) Load(ctx context.Context, key Key) (Entry, bool, error) {
	table, err := f.read(ctx)
	if err != nil {
		return Entry{}, false, err
	}
	entry, ok := table[key.Hash()]
	return entry, ok, nil
}

// Save implements Store. It returns ErrInvalidEntry for an entry without an
// era or with another era's version.
func (f *File) Save(ctx context.Context, key Key, entry Entry) error {
	if err := entry.check(); err != nil {
		return err
	}
	return f.change(ctx, func(table rows[string]) bool {
		table.put(key.Hash(), entry, maxFileRows)
		return true
	})
}

// CompareAndDelete implements Store.
func (f *File) CompareAndDelete(ctx context.Context, key Key, old Entry) error {
	return f.change(ctx, func(table rows[string]) bool {
		return table.compareAndDelete(key.Hash(), old)
	})
}

// change reads the file and, when edit reports a change, replaces it. Calls
// take turns, so that none undoes another's edit.
func (f *File) change(ctx context.Context, edit func(rows[string]) bool) error {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	table, err := f.read(ctx)
	if err != nil || !edit(table) {
		return err
	}
	return f.replace(table)
}

// read returns the rows of the file as it is now. It takes no turn: replace
// swaps whole files.
func (f *File) read(ctx context.Context) (rows[string], error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return rows[string]{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err != nil {
		return nil, err
	}
	return decodeFile(data), nil
}

// replace writes a new file beside the old one and renames it, so that a crash
// leaves the old file or the new one, and the mode is the new one's: 0600.
func (f *File) replace(table rows[string]) error {
	data, err := encodeFile(table)
	if err != nil {
		return err
	}
	temp, err := createTemp(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	if err = writeAndClose(temp, data); err == nil {
		err = os.Rename(temp.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the first error is the one to tell
	}
	return err
}

// createTemp makes an empty file of mode 0600 in dir, which it makes as well.
func createTemp(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, ".erecache-*")
}

// A syncFile is the part of *os.File that writeAndClose needs.
type syncFile interface {
	io.WriteCloser
	Sync() error
}

// writeAndClose brings data to the disk: without Sync, a crash soon after the
// rename could leave an empty file under the new name.
func writeAndClose(file syncFile, data []byte) error {
	_, err := file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
