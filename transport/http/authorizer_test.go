package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A keyring is an Authorizer whose keys are numbers: one is good for as long as
// the server takes it.
type keyring struct {
	authorize func(*Attempt) error
	refused   func(context.Context, *Attempt, Refusal) (bool, error)

	mu  sync.Mutex
	log []string // what was asked of it
}

func (k *keyring) Authorize(_ context.Context, a *Attempt) error {
	k.note("authorize %s %q %d", a.Request.Method, a.Operation, a.Number)
	if k.authorize != nil {
		return k.authorize(a)
	}
	a.Request.Header.Set("Authorization", fmt.Sprintf("Bearer SECRET-%d", a.Number))
	return nil
}

func (k *keyring) Refused(ctx context.Context, a *Attempt, r Refusal) (bool, error) {
	k.note("refused %d, unattended: %v", r.Status, transport.IsUnattended(ctx))
	if k.refused != nil {
		return k.refused(ctx, a, r)
	}
	return true, nil
}

func (k *keyring) note(format string, args ...any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.log = append(k.log, fmt.Sprintf(format, args...))
}

// wants answers to one Authorization only.
func wants(value string, refusal, then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == value {
			then(w, r)
			return
		}
		refusal(w, r)
	}
}

func unauthorized(w http.ResponseWriter, _ *http.Request) {
	w.Header().Add("WWW-Authenticate", `Basic realm="x"`)
	w.Header().Add("WWW-Authenticate", `Bearer scope="a, b"`)
	w.WriteHeader(401)
	_, _ = io.WriteString(w, `{"error":"invalid_token"}`)
}

func TestARefusedRequestGoesOutAgainAsItWas(t *testing.T) {
	s := serve(t, wants("Bearer SECRET-2", unauthorized, answer(200, "application/json", result)))
	k := new(keyring)
	tr := open(t, s.URL+"/mcp?k=v", WithAuthorizer(k), WithHeader("X-Key", "v"))
	o, err := exchange(t.Context(), tr, toolCall())
	if err != nil || o.Attempts != 1 {
		t.Fatalf("%v after %d attempts", err, o.Attempts)
	}
	want := []string{`authorize POST "tools/call add" 1`, "refused 401, unattended: false", `authorize POST "tools/call add" 2`}
	if diff := cmp.Diff(want, k.log); diff != "" {
		t.Errorf("the authorizer (-want +got):\n%s", diff)
	}
	seen := s.seen()
	for _, r := range seen {
		r.Header.Del("Authorization")
	}
	if len(seen) != 2 {
		t.Fatalf("%d requests", len(seen))
	}
	if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
		t.Errorf("requests (-first +second):\n%s", diff)
	}
}

func TestTheAuthorizerSaysHowOften(t *testing.T) {
	broken := errors.New("the user said no")
	for name, tc := range map[string]struct {
		status  int
		header  string
		refused func(context.Context, *Attempt, Refusal) (bool, error)
		want    int // requests
		err     error
	}{
		"never":              {401, "", func(context.Context, *Attempt, Refusal) (bool, error) { return false, nil }, 1, nil},
		"once":               {401, "", func(_ context.Context, a *Attempt, _ Refusal) (bool, error) { return a.Number == 1, nil }, 2, nil},
		"without end":        {401, "", nil, maxAttempts, nil},
		"an error":           {401, "", func(context.Context, *Attempt, Refusal) (bool, error) { return true, broken }, 1, broken},
		"for more scopes":    {403, `Bearer error="insufficient_scope"`, nil, maxAttempts, nil},
		"not for other 403s": {403, `Bearer error="invalid_token"`, nil, 1, nil},
		"not for 400":        {400, `Bearer error="insufficient_scope"`, nil, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("WWW-Authenticate", tc.header)
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, "SAID")
			})
			tr := open(t, s.URL, WithAuthorizer(&keyring{refused: tc.refused}))
			_, err := exchange(t.Context(), tr, toolList())
			if n := len(s.seen()); n != tc.want {
				t.Errorf("%d requests, want %d", n, tc.want)
			}
			refused, ok := errors.AsType[*transport.AuthError](err)
			if ok != (tc.status != 400) {
				t.Fatalf("the error is %v", err)
			}
			if ok && (refused.Status != tc.status || refused.Challenge != tc.header || !errors.Is(err, tc.err) && tc.err != nil) {
				t.Errorf("the error is %+v", refused)
			}
			if said := strings.Contains(err.Error(), "SAID"); said != (tc.err == nil) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestTheRefusalIsTold(t *testing.T) {
	s := serve(t, unauthorized)
	var got Refusal
	var memo []any
	tr := open(t, s.URL, WithAuthorizer(&keyring{refused: func(_ context.Context, a *Attempt, r Refusal) (bool, error) {
		got = r
		memo = append(memo, a.Memo)
		a.Memo = a.Number
		return a.Number < 3, nil
	}}))
	if _, err := exchange(t.Context(), tr, toolCall()); !errors.Is(err, transport.ErrUnauthorized) {
		t.Errorf("the error is %v", err)
	}
	if got.Status != 401 || len(got.Challenges) != 2 || got.Challenges[1].Get("scope") != "a, b" || len(got.Header.Values("WWW-Authenticate")) != 2 {
		t.Errorf("refusal %+v", got)
	}
	if diff := cmp.Diff([]any{nil, 1, 2}, memo); diff != "" {
		t.Errorf("memos (-want +got):\n%s", diff)
	}
}

// Without credentials nothing is sent, and a later attempt may have some.
func TestCredentialsThatCantBeHadAtPresent(t *testing.T) {
	s := serve(t, answer(200, "application/json", result))
	down := errors.New("the authorization server is down")
	k := &keyring{authorize: func(*Attempt) error { return down }}
	tr := open(t, s.URL, WithAuthorizer(k), WithRetries(2))
	_, err := exchange(t.Context(), tr, toolCall())
	unavailable, ok := errors.AsType[*transport.UnavailableError](err)
	if !ok || !errors.Is(err, down) || unavailable.Attempts != 0 || len(k.log) != 3 {
		t.Errorf("the error is %v, after %q", err, k.log)
	}
	if n := len(s.seen()); n != 0 {
		t.Errorf("%d requests", n)
	}
	failures := 0
	k.authorize = func(*Attempt) error {
		if failures++; failures == 1 {
			return down
		}
		return nil
	}
	if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
		t.Errorf("the error is %v", err)
	}
}

// B025: streams and the end of a session are of the background.
func TestTheBackgroundIsUnattended(t *testing.T) {
	s := serve(t, unauthorized)
	k := &keyring{refused: func(context.Context, *Attempt, Refusal) (bool, error) { return false, nil }}
	tr := open(t, s.URL, WithAuthorizer(k))
	req := &transport.Request{Era: negotiation.EraLegacy, Version: "2025-11-25"}
	if err := tr.Listen(t.Context(), req, func() {}); !errors.Is(err, transport.ErrNoStream) {
		t.Errorf("Listen: %v", err)
	}
	if err := tr.EndSession(t.Context(), "2025-11-25", "s"); err != nil {
		t.Errorf("EndSession: %v", err)
	}
	if err := tr.Send(transport.Unattended(t.Context()), toolCall()); !errors.Is(err, transport.ErrUnauthorized) {
		t.Errorf("Send: %v", err)
	}
	if err := tr.Share(t.Context()); err == nil {
		t.Error("Share: no error")
	}
	want := []string{
		`authorize GET "" 1`, "refused 401, unattended: true",
		`authorize DELETE "" 1`, "refused 401, unattended: true",
		`authorize POST "tools/call add" 1`, "refused 401, unattended: true",
		`authorize GET "" 1`, "refused 401, unattended: false",
	}
	if diff := cmp.Diff(want, k.log); diff != "" {
		t.Errorf("the authorizer (-want +got):\n%s", diff)
	}
}

// B132: what the authorizer adds goes to the server's own origin.
func TestCredentialsStayWithinTheOrigin(t *testing.T) {
	other := serve(t, answer(200, "application/json", result))
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			redirect(307, "/away")(w, r)
			return
		}
		redirect(307, other.URL)(w, r)
	})
	k := new(keyring)
	tr := open(t, s.URL+"/", WithAuthorizer(k))
	if _, err := exchange(t.Context(), tr, toolCall()); err == nil {
		t.Error("the redirect was followed")
	}
	seen := s.seen()
	if len(seen) != 2 || seen[0].Header.Get("Authorization") == "" || seen[1].Header.Get("Authorization") == "" {
		t.Errorf("requests %+v", seen)
	}
	if n := len(other.seen()); n != 0 {
		t.Errorf("the other server got %d requests", n)
	}
}

// The credentials of each attempt are new ones, below the retries.
func TestRetriesAreAuthorizedAnew(t *testing.T) {
	n := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n < 3 {
			w.WriteHeader(503)
			return
		}
		answer(200, "application/json", result)(w, r)
	})
	proofs := 0
	tr := open(t, s.URL, WithAuthorizer(&keyring{authorize: func(a *Attempt) error {
		proofs++
		a.Request.Header.Set("Dpop", fmt.Sprint(proofs))
		return nil
	}}))
	if _, err := exchange(t.Context(), tr, toolList()); err != nil {
		t.Fatal(err)
	}
	for i, r := range s.seen() {
		if got := r.Header.Values("Dpop"); len(got) != 1 || got[0] != fmt.Sprint(i+1) {
			t.Errorf("request %d has proofs %q", i+1, got)
		}
	}
}

// A refusal whose body never ends does not hold up the login.
func TestARefusalThatStreams(t *testing.T) {
	s := serve(t, wants("Bearer SECRET-2", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(401)
		flush(w)
		<-r.Context().Done()
	}, answer(200, "application/json", result)))
	tr := open(t, s.URL, WithAuthorizer(new(keyring)))
	if _, err := exchange(t.Context(), tr, toolCall()); err != nil {
		t.Error(err)
	}
}

func TestAnAuthorizerIsAPrincipal(t *testing.T) {
	s := serve(t, unauthorized)
	a, b := open(t, s.URL, WithAuthorizer(new(keyring))), open(t, s.URL, WithAuthorizer(new(keyring)))
	if a.Target().Principal == b.Target().Principal {
		t.Error("two authorizers are one principal")
	}
	if _, err := New(s.URL, WithAuthorizer(nil)); err == nil {
		t.Error("no authorizer was taken for one")
	}
}
