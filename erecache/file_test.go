package erecache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mcpera/mcpera/negotiation"
)

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // past the umask
		t.Fatal(err)
	}
}

// filesIn returns the names in dir.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range list {
		names = append(names, file.Name())
	}
	return names
}

func TestFileModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	mode := func(path string) os.FileMode {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	dir := filepath.Join(t.TempDir(), "made", "for it")
	path := filepath.Join(dir, "eras.json")
	f := NewFile(path)

	save(t, f, here, entryAt(0))
	if got := mode(path); got != 0o600 {
		t.Errorf("a new file has mode %o, want 600", got)
	}
	for _, folder := range []string{dir, filepath.Dir(dir)} {
		if got := mode(folder); got != 0o700 {
			t.Errorf("a new folder has mode %o, want 700", got)
		}
	}

	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	save(t, f, there, entryAt(0))
	if got := mode(path); got != 0o600 {
		t.Errorf("a file that was open to all has mode %o after Save, want 600", got)
	}
}

func TestFileOutlivesTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eras.json")
	first, second := NewFile(path), NewFile(path)
	save(t, first, here, entryAt(0))
	save(t, second, there, entryAt(1))
	for _, f := range []*File{first, second, NewFile(path)} {
		if got, _ := stored(t, f, here); got != entryAt(0) {
			t.Errorf("Load = %v, want %v", got, entryAt(0))
		}
		if got, _ := stored(t, f, there); got != entryAt(1) {
			t.Errorf("Load = %v, want %v", got, entryAt(1))
		}
	}
	if got := filesIn(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("the folder holds %q, want one file", got)
	}
}

func TestFileHoldsNoSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eras.json")
	save(t, NewFile(path), Key{Origin: "https://host", Path: "/secret"}, entryAt(0))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); strings.Contains(text, "secret") || strings.Contains(text, "host") {
		t.Errorf("the file reads %s", text)
	}
}

func TestFileStartsEmptyAndHeals(t *testing.T) {
	whole := strings.Replace(file1, `"a"`, `"`+here.Hash()+`"`, 1)
	path := filepath.Join(t.TempDir(), "eras.json")
	write(t, path, whole, 0o600)
	if _, ok := stored(t, NewFile(path), here); !ok {
		t.Fatal("the undamaged file does not hold the row")
	}
	for name, content := range map[string]string{
		"an empty file":        "",
		"a cut file":           whole[:len(whole)-1],
		"a file of no JSON":    "\x00\x01\x02",
		"a later format":       strings.Replace(whole, `:1,`, `:2,`, 1),
		"a file above 1 MiB":   whole + strings.Repeat(" ", 1<<20),
		"more rows than bound": string(manyRows(maxFileRows + 1)),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "eras.json")
			write(t, path, content, 0o600)
			f := NewFile(path)
			if _, ok := stored(t, f, here); ok {
				t.Error("found a row in it")
			}
			save(t, f, here, entryAt(0))
			if got, _ := stored(t, f, here); got != entryAt(0) {
				t.Errorf("Load = %v, want %v", got, entryAt(0))
			}
		})
	}
}

func TestFileEvictsTheRowDecidedFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eras.json")
	table := decodeFile(manyRows(maxFileRows - 1))
	table[there.Hash()] = entryAt(-1000 * time.Hour)
	data, err := encodeFile(table)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(data), 0o600)

	f := NewFile(path)
	save(t, f, here, entryAt(0))
	if _, ok := stored(t, f, there); ok {
		t.Error("the row decided first is still there")
	}
	if _, ok := stored(t, f, here); !ok {
		t.Error("the new row is not there")
	}
	after, err := f.read(t.Context())
	if err != nil || len(after) != maxFileRows {
		t.Errorf("the file holds %d rows (%v), want %d", len(after), err, maxFileRows)
	}
}

func TestFileIsNotWrittenWhenNothingWasDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eras.json")
	f := NewFile(path)
	if err := f.CompareAndDelete(t.Context(), here, entryAt(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file exists: %v", err)
	}
}

func TestFileRefusesWhatItCouldNotReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eras.json")
	f := NewFile(path)
	save(t, f, here, entryAt(0))
	for name, tc := range map[string]struct {
		entry Entry
		want  error
	}{
		"no verdict":   {Entry{DecidedAt: start}, ErrInvalidEntry},
		"a year 10000": {Entry{negotiation.EraModern, modern, start.AddDate(8000, 0, 0)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := f.Save(t.Context(), here, tc.entry)
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("Save = %v, want an error", err)
			}
			if got, _ := stored(t, f, here); got != entryAt(0) {
				t.Errorf("the row is now %v", got)
			}
		})
	}
}

// A place that can't be used is an error, since what is there may be somebody
// else's.
func TestFileReportsAnUnusablePlace(t *testing.T) {
	for name, place := range map[string]func(t *testing.T, dir string) (path string){
		"the path is a folder": func(t *testing.T, dir string) string { return dir },
		"a file stands where the folder should": func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, "f"), "", 0o600)
			return filepath.Join(dir, "f", "eras.json")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFile(place(t, t.TempDir()))
			if entry, ok, err := f.Load(t.Context(), here); err == nil || ok || entry != (Entry{}) {
				t.Errorf("Load = %v, %v, %v, want an error", entry, ok, err)
			}
			if err := f.Save(t.Context(), here, entryAt(0)); err == nil {
				t.Error("Save = nil, want an error")
			}
			if err := f.CompareAndDelete(t.Context(), here, entryAt(0)); err == nil {
				t.Error("CompareAndDelete = nil, want an error")
			}
		})
	}
}

func TestFileSaveFails(t *testing.T) {
	t.Run("when the folder can't be made", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "dangling")
		if err := os.Symlink(filepath.Join(t.TempDir(), "gone"), dir); err != nil {
			t.Skip("no symbolic links: ", err)
		}
		if err := NewFile(filepath.Join(dir, "eras.json")).Save(t.Context(), here, entryAt(0)); err == nil {
			t.Error("Save = nil, want an error")
		}
	})
	t.Run("when the new file can't be renamed, and leaves nothing behind", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "folder")
		if err := NewFile(dir+string(filepath.Separator)).Save(t.Context(), here, entryAt(0)); err == nil {
			t.Error("Save = nil, want an error")
		}
		if got := filesIn(t, dir); len(got) != 0 {
			t.Errorf("left %q", got)
		}
	})
}

func TestFileHeedsTheContext(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	f := NewFile(filepath.Join(t.TempDir(), "eras.json"))

	if _, ok, err := f.Load(gone, here); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("Load = %v, %v, want the context's error", ok, err)
	}
	if err := f.Save(gone, here, entryAt(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("Save = %v, want the context's error", err)
	}

	f.turn <- struct{}{} // another call is writing, and does not come to an end
	if err := f.CompareAndDelete(gone, here, entryAt(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("CompareAndDelete = %v, want the context's error", err)
	}
	if _, _, err := f.Load(t.Context(), here); err != nil {
		t.Errorf("Load waits for no turn, but: %v", err)
	}
	<-f.turn
	save(t, f, here, entryAt(0)) // the turns taken in vain were given back
}

// A fakeFile fails where a test says, and records what was called.
type fakeFile struct {
	write, sync, close error
	calls              []string
}

func (f *fakeFile) Write(p []byte) (int, error) {
	f.calls = append(f.calls, "write "+string(p))
	return len(p), f.write
}
func (f *fakeFile) Sync() error  { f.calls = append(f.calls, "sync"); return f.sync }
func (f *fakeFile) Close() error { f.calls = append(f.calls, "close"); return f.close }

func TestWriteAndClose(t *testing.T) {
	err1, err2 := errors.New("one"), errors.New("two")
	for name, tc := range map[string]struct {
		file  fakeFile
		want  []error
		calls string
	}{
		"syncs before it closes":                 {fakeFile{}, nil, "write x, sync, close"},
		"a failed write is not synced":           {fakeFile{write: err1}, []error{err1}, "write x, close"},
		"a failed sync is told":                  {fakeFile{sync: err1}, []error{err1}, "write x, sync, close"},
		"a failed close is told":                 {fakeFile{close: err1}, []error{err1}, "write x, sync, close"},
		"a close that fails after it is as well": {fakeFile{sync: err1, close: err2}, []error{err1, err2}, "write x, sync, close"},
	} {
		t.Run(name, func(t *testing.T) {
			err := writeAndClose(&tc.file, []byte("x"))
			if (err == nil) != (tc.want == nil) {
				t.Errorf("writeAndClose = %v, want %v", err, tc.want)
			}
			for _, want := range tc.want {
				if !errors.Is(err, want) {
					t.Errorf("writeAndClose = %v, which is not %v", err, want)
				}
			}
			if got := strings.Join(tc.file.calls, ", "); got != tc.calls {
				t.Errorf("calls: %s, want %s", got, tc.calls)
			}
		})
	}
}
