package auth

import (
	"testing"
	"time"

	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// What a server answered to one user is given to no other: who logs in again is
// somebody else, until the opposite is known, and who renews a token is not.
func TestAnotherLoginIsAnotherPrincipal(t *testing.T) {
	w, a, now := loggedIn(t)
	tr := w.open(a)
	principal := func() string { return tr.Target().Principal }
	use := func() {
		t.Helper()
		if err := call(t.Context(), tr, "add"); err != nil {
			t.Fatal(err)
		}
	}
	use()
	first := principal()

	now.advance(time.Hour)
	use()
	if n := len(w.seen("as POST /token")); n != 2 || principal() != first {
		t.Errorf("after %d token requests the principal is %q, was %q", n, principal(), first)
	}

	if err := a.Login(t.Context(), w.mcp.URL+"/mcp"); err != nil {
		t.Fatal(err)
	}
	use()
	second := principal()
	if second == first {
		t.Errorf("another login is still %q", second)
	}

	if err := a.Logout(t.Context(), w.mcp.URL+"/mcp"); err != nil {
		t.Fatal(err)
	}
	if out := principal(); out == first || out == second {
		t.Errorf("nobody is still %q", out)
	}
}

func TestAStoredLoginKeepsItsPrincipal(t *testing.T) {
	store := new(Memory)
	w, a, now := loggedIn(t, WithStore(store))
	b := w.authorizer(now.option, WithStore(store))
	if err := call(t.Context(), w.open(b), "add"); err != nil {
		t.Fatal(err)
	}
	endpoint := w.open(a).Target().URL
	if a.Principal(endpoint) == "" || a.Principal(endpoint) != b.Principal(endpoint) {
		t.Errorf("%q and %q of one login", a.Principal(endpoint), b.Principal(endpoint))
	}
}

func TestANamedPrincipalStaysWhoTheProgramSays(t *testing.T) {
	w, a, _ := loggedIn(t)
	tr := w.open(a, mcphttp.WithPrincipal("alice"))
	before := tr.Target().Principal
	if err := a.Login(t.Context(), w.mcp.URL+"/mcp"); err != nil {
		t.Fatal(err)
	}
	if after := tr.Target().Principal; after != before {
		t.Errorf("%q became %q", before, after)
	}
}
