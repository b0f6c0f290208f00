package auth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// stores are those that must fulfil the contract.
func stores(t *testing.T) map[string]TokenStore {
	return map[string]TokenStore{"memory": new(Memory), "file": NewFile(filepath.Join(t.TempDir(), "sub", "tokens.json"))}
}

func TestStoreContract(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			expect := func(key, want string) {
				t.Helper()
				value, ok, err := store.Load(ctx, key)
				if err != nil || ok != (want != "") || string(value) != want {
					t.Errorf("Load(%q) = %q, %v, %v, want %q", key, value, ok, err, want)
				}
			}
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Error(err)
				}
			}
			expect("a", "")
			must(store.CompareAndDelete(ctx, "a", []byte("x")))
			must(store.Save(ctx, "a", []byte("x")))
			must(store.Save(ctx, "b", []byte("y\x00\xff")))
			expect("a", "x")
			expect("b", "y\x00\xff")
			must(store.Save(ctx, "a", []byte("z")))
			must(store.CompareAndDelete(ctx, "a", []byte("x")))
			expect("a", "z")
			must(store.CompareAndDelete(ctx, "a", []byte("z")))
			expect("a", "")
			expect("b", "y\x00\xff")
		})
	}
}

func TestStoresAreSafeForConcurrentUse(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			var all sync.WaitGroup
			for n := range 20 {
				all.Go(func() {
					key := fmt.Sprint(n)
					if err := store.Save(t.Context(), key, []byte(key)); err != nil {
						t.Error(err)
					}
					if value, ok, err := store.Load(t.Context(), key); !ok || err != nil || string(value) != key {
						t.Errorf("%s: %q, %v, %v", key, value, ok, err)
					}
				})
			}
			all.Wait()
			for n := range 20 {
				if _, ok, _ := store.Load(t.Context(), fmt.Sprint(n)); !ok {
					t.Errorf("%d was lost", n)
				}
			}
		})
	}
}

func TestLocksExclude(t *testing.T) {
	for name, store := range stores(t) {
		t.Run(name, func(t *testing.T) {
			locker := store.(Locker)
			var inside atomic.Int32 // the race detector knows nothing of file locks
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() {
					unlock, err := locker.Lock(t.Context(), "a")
					if err != nil {
						t.Error(err)
						return
					}
					if inside.Add(1) != 1 {
						t.Error("two have the lock")
					}
					inside.Add(-1)
					unlock()
				})
			}
			all.Wait()
			unlock, err := locker.Lock(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			defer unlock()
			other, err := locker.Lock(t.Context(), "b")
			if err != nil {
				t.Fatal(err)
			}
			other()
			ctx, cancel := context.WithCancel(t.Context())
			waiting := make(chan error, 1)
			go func() {
				_, err := locker.Lock(ctx, "a")
				waiting <- err
			}()
			cancel()
			if err := <-waiting; !errors.Is(err, context.Canceled) {
				t.Errorf("Lock: %v", err)
			}
		})
	}
}

// B-AUT-52, M-AUT-53.
func TestFilesAreTheOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such modes")
	}
	path := filepath.Join(t.TempDir(), "sub", "tokens.json")
	store := NewFile(path)
	for _, mode := range []os.FileMode{0, 0o666} { // of a file that is there already
		if mode != 0 {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Save(t.Context(), "a", []byte("x")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".tokens-*"))
	if err != nil || left != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestAFileThatIsNoneHoldsNothing(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "no JSON": "x", "another version": `{"version":2,"rows":{"a":"eA=="}}`, "no rows": `{"version":1}`,
		"no base64": `{"version":1,"rows":{"a":"!"}}`, "too large": `{"version":1,"rows":{"a":"` + strings.Repeat("A", maxFile) + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens.json")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			store := NewFile(path)
			if _, ok, err := store.Load(t.Context(), "a"); ok || err != nil {
				t.Errorf("Load: %v, %v", ok, err)
			}
			if err := store.Save(t.Context(), "a", []byte("x")); err != nil {
				t.Error(err)
			}
			if value, _, _ := store.Load(t.Context(), "a"); string(value) != "x" {
				t.Errorf("Load: %q", value)
			}
		})
	}
	if err := NewFile(filepath.Join(t.TempDir(), "x")).Save(t.Context(), "a", make([]byte, maxFile)); !errors.Is(err, errFileFull) {
		t.Errorf("too much: %v", err)
	}
}

// A login outlives the process; its file shows no token to who only looks.
func TestALoginIsKeptInAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	w := newWorld(t)
	for range 2 {
		if err := call(t.Context(), w.open(w.authorizer(WithStore(NewFile(path)))), "add"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.seen("as GET /authorize")); n != 1 {
		t.Errorf("the user was asked %d times", n)
	}
}

// B-AUT-52: a secret that the program gives is not written anywhere.
func TestTheProgramsSecretIsNotKept(t *testing.T) {
	store := new(Memory)
	w := newWorld(t)
	w.expiresIn = 3600
	now := new(clock)
	given := WithRegistration(Registration{Issuer: w.as.URL, ClientID: "x", ClientSecret: "SECRET-given"})
	if err := call(t.Context(), w.open(w.authorizer(WithStore(store), given)), "add"); err != nil {
		t.Fatal(err)
	}
	for key, value := range store.rows {
		if strings.Contains(string(value), "SECRET-given") {
			t.Errorf("%s has the secret", key)
		}
	}
	now.advance(2 * 3600e9)
	if err := call(t.Context(), w.open(w.authorizer(WithStore(store), given, now.option)), "add"); err != nil {
		t.Fatal(err)
	}
	all := w.seen("as POST /token")
	if last := all[len(all)-1]; last.Form.Get("grant_type") != "refresh_token" || !strings.HasPrefix(last.Auth, "Basic ") {
		t.Errorf("the refresh was %v with %q", last.Form, last.Auth)
	}
}

func TestLoginKey(t *testing.T) {
	for endpoint, want := range map[string]string{
		"https://H:443/mcp": "login https://h/mcp", "https://h": "login https://h", "https://me:x@h/mcp#y": "login https://h/mcp",
	} {
		if got := loginKey(parse(t, endpoint)); got != want {
			t.Errorf("loginKey(%s) = %q, want %q", endpoint, got, want)
		}
	}
	a, b := loginKey(parse(t, "https://h/mcp?key=secret")), loginKey(parse(t, "https://h/mcp?key=other"))
	if a == b || strings.Contains(a, "secret") {
		t.Errorf("%q, %q", a, b)
	}
}

// A failing store costs a login, never a call.
func TestAStoreThatFailsCostsALogin(t *testing.T) {
	w := newWorld(t)
	a := w.authorizer(WithStore(brokenStore{}))
	for range 2 {
		if err := call(t.Context(), w.open(a), "add"); err != nil {
			t.Error(err)
		}
	}
	w.revoke(false)
	if err := call(t.Context(), w.open(a), "add"); err != nil {
		t.Error(err)
	}
	if n := len(w.seen("as GET /authorize")); n != 1 {
		t.Errorf("the user was asked %d times", n)
	}
	if err := a.Logout(t.Context(), w.mcp.URL+"/mcp"); !errors.Is(err, errBroken) {
		t.Errorf("Logout: %v", err)
	}
}

var errBroken = errors.New("the disk is gone")

type brokenStore struct{}

func (brokenStore) Load(context.Context, string) ([]byte, bool, error)      { return nil, false, errBroken }
func (brokenStore) Save(context.Context, string, []byte) error              { return errBroken }
func (brokenStore) CompareAndDelete(context.Context, string, []byte) error  { return errBroken }
func (brokenStore) Lock(context.Context, string) (unlock func(), err error) { return nil, errBroken }

// What the store holds is not believed blindly.
func TestABrokenRowIsNoLogin(t *testing.T) {
	store := new(Memory)
	w := newWorld(t)
	key := loginKey(parse(t, w.mcp.URL+"/mcp"))
	for _, row := range []string{"", "{", `{"token":{"access":"a\r\nb"}}`, `{"token":{}}`} {
		if err := store.Save(t.Context(), key, []byte(row)); err != nil {
			t.Fatal(err)
		}
		if err := call(t.Context(), w.open(w.authorizer(WithStore(store))), "add"); err != nil {
			t.Errorf("%s: %v", row, err)
		}
	}
}
