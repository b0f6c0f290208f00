package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/internal/origin"
)

// A TokenStore keeps logins and registrations for one or more Authorizers: in a
// file, a keyring, a database.
//
// Keys are printable texts of at most 2,000 bytes, taken as they are: "login" or
// "client", a space, and a URL without userinfo and query. They are no secrets.
//
// Values are secrets. They are opaque, up to 64 KiB, and belong to the Store once
// Save has been called; nobody changes them.
//
// Missing rows are no error: Load returns false, CompareAndDelete does nothing. A
// Store may drop any row at any time, which costs a login.
//
// Blocking: methods may wait for I/O, and then return soon after ctx ends.
//
// Concurrency: all methods may run at the same time, for one key too. Of two Saves
// the later wins, whole. A failing Store costs a login, never a call.
//
// A TokenStore that several processes use should be a Locker as well.
type TokenStore interface {
	// Load returns the value at key, and false when there is none.
	Load(ctx context.Context, key string) ([]byte, bool, error)

	// Save puts value at key, in place of any value there.
	Save(ctx context.Context, key string, value []byte) error

	// CompareAndDelete deletes the value at key if it equals old. Comparing and
	// deleting are one step: what a Save puts there in the meantime stays.
	CompareAndDelete(ctx context.Context, key string, old []byte) error
}

// A Locker is a TokenStore that lets one login be renewed by one process at a
// time: where refresh tokens are good for one use, the others would lose theirs.
type Locker interface {
	// Lock waits until nobody holds the lock of key, and takes it. The error is
	// that of ctx, or of the Store; then the renewal goes on without a lock. The
	// lock of a process that ends is free.
	Lock(ctx context.Context, key string) (unlock func(), err error)
}

// loginKey is where the login of an endpoint is kept. A query may tell tenants
// apart, and hold secrets: it goes in as a digest.
func loginKey(endpoint *url.URL) string {
	key := "login " + origin.Of(endpoint) + endpoint.EscapedPath()
	if endpoint.RawQuery != "" {
		sum := sha256.Sum256([]byte(endpoint.RawQuery))
		key += "?sha256=" + hex.EncodeToString(sum[:8])
	}
	return key
}

// clientKey is where the registration at an issuer is kept.
func clientKey(issuer string) string { return "client " + issuer }

// loadLogin returns the login that is kept, and its bytes; nil for none. A store
// that fails is as good as empty.
func (a *Authorizer) loadLogin(ctx context.Context, key string) (*login, []byte) {
	value, ok, err := a.config.store.Load(ctx, key)
	if err != nil || !ok {
		a.noteStore(err)
		return nil, nil
	}
	l := new(login)
	if json.Unmarshal(value, l) != nil || !validToken(string(l.Token.Access)) || !a.config.dpop.holds(&l.Token) {
		return nil, nil
	}
	return l, value
}

// saveLogin keeps a login.
func (a *Authorizer) saveLogin(ctx context.Context, key string, l *login) {
	value, err := json.Marshal(l)
	if err == nil {
		err = a.config.store.Save(context.WithoutCancel(ctx), key, value)
	}
	a.noteStore(err)
}

// dropLogin deletes l, and no other one. It reports what is kept in its place.
func (a *Authorizer) dropLogin(ctx context.Context, key string, l *login) (other *login) {
	kept, value := a.loadLogin(ctx, key)
	switch {
	case kept == nil:
		return nil
	case !kept.sameToken(l):
		return kept
	}
	a.noteStore(a.config.store.CompareAndDelete(ctx, key, value))
	return nil
}

// sameToken reports whether two logins have one access token.
func (l *login) sameToken(other *login) bool { return l.Token.Access == other.Token.Access }

// lockLogin takes the lock of a login where the store has such a thing.
func (a *Authorizer) lockLogin(ctx context.Context, key string) (unlock func()) {
	if locker, ok := a.config.store.(Locker); ok {
		unlock, err := locker.Lock(ctx, key)
		if err == nil {
			return unlock
		}
		a.noteStore(err)
	}
	return func() {}
}

// storedRegistration returns the registration that is kept for an issuer, nil for
// none that is still good.
func (a *Authorizer) storedRegistration(ctx context.Context, issuer string) *Registration {
	value, ok, err := a.config.store.Load(ctx, clientKey(issuer))
	if err != nil || !ok {
		a.noteStore(err)
		return nil
	}
	r := new(Registration)
	if json.Unmarshal(value, r) != nil || r.Issuer != issuer || r.ClientID == "" {
		return nil
	}
	if !r.SecretEnds.IsZero() && !a.config.now().Add(time.Minute).Before(r.SecretEnds) {
		return nil
	}
	return r
}

func (a *Authorizer) storeRegistration(ctx context.Context, r *Registration) {
	value, err := json.Marshal(r)
	if err == nil {
		err = a.config.store.Save(ctx, clientKey(r.Issuer), value)
	}
	a.noteStore(err)
}

// dropRegistration deletes a registration that is dead, and no other one.
func (a *Authorizer) dropRegistration(ctx context.Context, dead *Registration) {
	key := clientKey(dead.Issuer)
	value, ok, err := a.config.store.Load(ctx, key)
	if err != nil || !ok {
		a.noteStore(err)
		return
	}
	r := new(Registration)
	if json.Unmarshal(value, r) == nil && r.ClientID == dead.ClientID {
		a.noteStore(a.config.store.CompareAndDelete(ctx, key, bytes.Clone(value)))
	}
}

// noteStore logs what went wrong with the store.
func (a *Authorizer) noteStore(err error) {
	if err != nil {
		a.config.log.Warn("the token store failed", "reason", err)
	}
}
