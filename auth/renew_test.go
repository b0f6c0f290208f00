package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// loggedIn returns a world with a login that ends after an hour of the clock.
func loggedIn(t *testing.T, opts ...Option) (*world, *Authorizer, *clock) {
	t.Helper()
	w, now := newWorld(t), new(clock)
	w.expiresIn = 3600
	a := w.authorizer(append(opts, now.option)...)
	if err := call(t.Context(), w.open(a), "add"); err != nil {
		t.Fatal(err)
	}
	return w, a, now
}

// B118: one refresh for all who wait, and nobody sees it.
func TestManyCallsAtExpiryMakeOneRefresh(t *testing.T) {
	w, a, now := loggedIn(t)
	tr := w.open(a)
	now.advance(time.Hour)
	var calls sync.WaitGroup
	errs := make(chan error, 100)
	for range 100 {
		calls.Go(func() { errs <- call(t.Context(), tr, "add") })
	}
	calls.Wait()
	for range 100 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := len(w.seen("as POST /token")); n != 2 {
		t.Errorf("%d token requests, want the login's and one refresh", n)
	}
	if n := len(w.seen("as GET /authorize")); n != 1 {
		t.Errorf("the user was asked %d times", n)
	}
}

// The same when the server ends the token before its time.
func TestManyRefusalsMakeOneRefresh(t *testing.T) {
	w, a, _ := loggedIn(t)
	tr := w.open(a)
	w.revoke(false)
	var calls sync.WaitGroup
	for range 100 {
		calls.Go(func() {
			if err := call(t.Context(), tr, "add"); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if n := len(w.seen("as POST /token")); n != 2 {
		t.Errorf("%d token requests, want the login's and one refresh", n)
	}
}

func TestWhenATokenIsRenewed(t *testing.T) {
	end := time.Unix(1000, 0)
	hour := time.Hour
	for name, tc := range map[string]struct {
		skew   *time.Duration // nil: the default
		life   time.Duration  // 0: not known
		before time.Duration  // of the end
		want   bool
	}{
		"a second before it is time":    {nil, time.Hour, 31 * time.Second, false},
		"when it is time":               {nil, time.Hour, 30 * time.Second, true},
		"at the end":                    {nil, time.Hour, 0, true},
		"after the end":                 {nil, time.Hour, -time.Second, true},
		"its life is not known":         {nil, 0, 30 * time.Second, true},
		"the first half of a short one": {nil, 20 * time.Second, 11 * time.Second, false},
		"the second half":               {nil, 20 * time.Second, 10 * time.Second, true},
		"as long before as is said":     {&hour, 20 * time.Second, 20 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			token := Token{Expires: end}
			if tc.life != 0 {
				token.Issued = end.Add(-tc.life)
			}
			c := &config{skew: tc.skew}
			if got := token.expired(end.Add(-tc.before).Add(c.skewOf(&token))); got != tc.want {
				t.Errorf("renewed: %v", got)
			}
		})
	}
	if new(Token).expired(time.Now()) {
		t.Error("a token without an end has ended")
	}
}

// A short life is no reason to renew for every request.
func TestAShortTokenServesSeveralCalls(t *testing.T) {
	w, now := newWorld(t), new(clock)
	w.expiresIn = 20
	tr := w.open(w.authorizer(now.option))
	for range 3 {
		if err := call(t.Context(), tr, "add"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(w.seen("as POST /token")); n != 1 {
		t.Errorf("%d token requests, want the login's", n)
	}
}

func TestARefreshTokenThatIsNotGoodAnyMoreBecomesALogin(t *testing.T) {
	for name, end := range map[string]func(w *world, now *clock){
		"when it is time":            func(w *world, now *clock) { w.revoke(true); now.advance(time.Hour) },
		"when the server refuses it": func(w *world, _ *clock) { w.revoke(true) },
	} {
		t.Run(name, func(t *testing.T) {
			w, a, now := loggedIn(t)
			end(w, now)
			if err := call(t.Context(), w.open(a), "add"); err != nil {
				t.Fatal(err)
			}
			if n := len(w.seen("as GET /authorize")); n != 2 {
				t.Errorf("the user was asked %d times, want 2", n)
			}
			if n := len(w.seen("as POST /register")); n != 1 {
				t.Errorf("%d registrations", n)
			}
		})
	}
}

// A refresh token that is left out stays; one that comes takes its place.
func TestRotation(t *testing.T) {
	l := &login{Token: Token{Access: "a", Refresh: "r", Granted: []string{"x"}}}
	if got := l.with(&Token{Access: "b"}); got.Token.Refresh != "r" || len(got.Token.Granted) != 1 || l.Token.Access != "a" {
		t.Errorf("%+v", got.Token)
	}
	if got := l.with(&Token{Access: "b", Refresh: "s"}); got.Token.Refresh != "s" {
		t.Errorf("%+v", got.Token)
	}
}

// B130: an outage of the authorization server loses nothing.
func TestAnOutageKeepsTheLogin(t *testing.T) {
	w, a, now := loggedIn(t)
	tr := w.open(a, noRetries)
	w.on("as /token", status(http.StatusServiceUnavailable))
	now.advance(time.Hour - 10*time.Second)
	if err := call(t.Context(), tr, "add"); err != nil {
		t.Errorf("with a token that is still good: %v", err)
	}
	now.advance(10 * time.Second)
	before := len(w.seen("mcp POST"))
	err := call(t.Context(), tr, "add")
	if _, ok := errors.AsType[*transport.UnavailableError](err); !ok {
		t.Errorf("the error is %v", err)
	}
	if got := len(w.seen("mcp POST")); got != before {
		t.Error("the request went out without a token")
	}
	w.on("as /token", nil)
	if err := call(t.Context(), tr, "add"); err != nil {
		t.Error(err)
	}
	if n := len(w.seen("as GET /authorize")) + len(w.seen("as POST /register")); n != 2 {
		t.Errorf("%d registrations and logins, want 2", n)
	}
}

// B119: only what failed is dropped.
func TestTheLoserOfARaceKeepsTheWinnersLogin(t *testing.T) {
	store := new(Memory)
	w, a, now := loggedIn(t, WithStore(store))
	key := loginKey(parse(t, w.mcp.URL+"/mcp"))
	// Another process renews while this one's refresh is under way, without a lock.
	w.on("as /token", func(rw http.ResponseWriter, _ *http.Request) {
		l, _ := a.loadLogin(t.Context(), key)
		w.mu.Lock()
		w.access["SECRET-winner"] = nil
		w.mu.Unlock()
		a.saveLogin(t.Context(), key, l.with(&Token{Access: "SECRET-winner", Type: "Bearer", Refresh: "SECRET-next"}))
		writeJSON(rw, 400, map[string]any{"error": "invalid_grant"})
	})
	now.advance(time.Hour)
	if err := call(t.Context(), w.open(a), "add"); err != nil {
		t.Fatal(err)
	}
	if n := len(w.seen("mcp POST")); n != 3 {
		t.Errorf("%d requests, want two of the login and one with the winner's token", n)
	}
	if l, _ := a.loadLogin(t.Context(), key); l == nil || l.Token.Refresh != "SECRET-next" {
		t.Errorf("the store holds %v", l)
	}
	if n := len(w.seen("as GET /authorize")); n != 1 {
		t.Errorf("the user was asked %d times", n)
	}
}

// Two processes with one store: one refresh, and the other one takes what came.
func TestProcessesShareARefresh(t *testing.T) {
	store := new(Memory)
	w, a, now := loggedIn(t, WithStore(store))
	others := []*Authorizer{a, w.authorizer(WithStore(store), now.option), w.authorizer(WithStore(store), now.option)}
	now.advance(time.Hour)
	var calls sync.WaitGroup
	for _, a := range others {
		tr := w.open(a)
		for range 10 {
			calls.Go(func() {
				if err := call(t.Context(), tr, "add"); err != nil {
					t.Error(err)
				}
			})
		}
	}
	calls.Wait()
	if n := len(w.seen("as POST /token")); n != 2 {
		t.Errorf("%d token requests, want the login's and one refresh", n)
	}
}

// B122: one login for a request, whatever the server says then.
func TestAServerThatAlwaysRefuses(t *testing.T) {
	w := newWorld(t)
	w.on("mcp /mcp", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("WWW-Authenticate", strings.ReplaceAll(w.challenge, "%s", w.mcp.URL))
		rw.WriteHeader(401)
	})
	tr := w.open(w.authorizer())
	for n := 1; n <= 3; n++ {
		err := call(t.Context(), tr, "add")
		if _, ok := errors.AsType[*transport.AuthError](err); !ok {
			t.Fatalf("the error is %v", err)
		}
		if got := len(w.seen("as GET /authorize")); got != n {
			t.Errorf("after %d calls the user was asked %d times", n, got)
		}
		if got := len(w.seen("mcp POST /mcp")); got != 2*n {
			t.Errorf("after %d calls %d requests", n, got)
		}
	}
	if got := len(w.seen("as POST /token")); got != 3 { // no refresh of a token that was new
		t.Errorf("%d token requests", got)
	}
}

// B020: renewing credentials ends nothing that is under way.
func TestARenewalDisturbsNobody(t *testing.T) {
	w, a, _ := loggedIn(t)
	tr := w.open(a)
	streaming, renewed := make(chan struct{}), make(chan struct{})
	var first sync.Once
	w.on("mcp /mcp", func(rw http.ResponseWriter, r *http.Request) {
		slow := false
		first.Do(func() { slow = true })
		if !slow {
			w.serveMCP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(rw).Flush()
		close(streaming)
		<-renewed
		_, _ = fmt.Fprint(rw, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
	})
	slow := make(chan error, 1)
	go func() { slow <- call(t.Context(), tr, "slow") }()
	<-streaming
	w.revoke(false)
	if err := call(t.Context(), tr, "add"); err != nil {
		t.Error(err)
	}
	close(renewed)
	if err := <-slow; err != nil {
		t.Error(err)
	}
}

// One who leaves does not end a login that others wait for; the last one does.
func TestALoginEndsWithTheLastWhoWaits(t *testing.T) {
	w := newWorld(t)
	asked, done := make(chan struct{}, 10), make(chan error, 10)
	yes := make(chan struct{})
	a := w.authorizer(WithUserAgent(Browser(func(ctx context.Context, to string) (url.Values, error) {
		asked <- struct{}{}
		select {
		case <-yes:
			return consent(ctx, to)
		case <-ctx.Done():
			done <- ctx.Err()
			return nil, ctx.Err()
		}
	}).At(redirectURI)))
	tr := w.open(a)
	ctx, cancel := context.WithCancel(t.Context())
	leaving, staying := make(chan error, 1), make(chan error, 1)
	go func() { leaving <- call(ctx, tr, "a") }()
	<-asked
	go func() { staying <- call(t.Context(), tr, "b") }()
	s := a.session(parse(t, w.mcp.URL+"/mcp"))
	for waiting := 0; waiting < 2; {
		s.mu.Lock()
		waiting = s.flight.waiting
		s.mu.Unlock()
		runtime.Gosched()
	}
	cancel()
	if err := <-leaving; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left: %v", err)
	}
	close(yes)
	if err := <-staying; err != nil {
		t.Errorf("the one who stayed: %v", err)
	}
	if len(asked) != 0 || len(done) != 0 {
		t.Error("the login was ended, or begun again")
	}

	w.revoke(true)
	yes = make(chan struct{})
	ctx, cancel = context.WithCancel(t.Context())
	go func() { leaving <- call(ctx, tr, "a") }()
	<-asked
	cancel()
	if err := <-leaving; !errors.Is(err, context.Canceled) {
		t.Errorf("the only one: %v", err)
	}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the login: %v", err)
	}
}

// A refresh token that has been sent is used up, whoever still waits for what
// comes of it.
func TestARefreshThatHasBegunIsFinished(t *testing.T) {
	w, a, now := loggedIn(t)
	tr := w.open(a)
	began, goOn := make(chan struct{}), make(chan struct{})
	w.on("as /token", func(rw http.ResponseWriter, r *http.Request) {
		close(began)
		<-goOn
		w.token(rw, r)
	})
	now.advance(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	leaving := make(chan error, 1)
	go func() { leaving <- call(ctx, tr, "add") }()
	<-began
	cancel()
	if err := <-leaving; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left: %v", err)
	}
	w.on("as /token", nil)
	close(goOn)
	if err := call(t.Context(), tr, "add"); err != nil {
		t.Error(err)
	}
	if n := len(w.seen("as POST /token")); n != 2 {
		t.Errorf("%d token requests, want the login's and one refresh", n)
	}
}

// A login that all have left may take its time to end. Who comes then begins
// anew.
func TestALoginThatAllHaveLeftIsNotJoined(t *testing.T) {
	w := newWorld(t)
	asked, ends := make(chan struct{}, 1), make(chan struct{})
	var first sync.Once
	a := w.authorizer(WithUserAgent(Browser(func(ctx context.Context, to string) (url.Values, error) {
		slow := false
		first.Do(func() { slow = true })
		if slow {
			asked <- struct{}{}
			<-ends
			return nil, ctx.Err()
		}
		return consent(ctx, to)
	}).At(redirectURI)))
	tr := w.open(a)
	ctx, cancel := context.WithCancel(t.Context())
	leaving, next := make(chan error, 1), make(chan error, 1)
	go func() { leaving <- call(ctx, tr, "a") }()
	<-asked
	cancel()
	if err := <-leaving; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left: %v", err)
	}
	go func() { next <- call(t.Context(), tr, "b") }()
	for len(w.seen("mcp POST")) < 2 { // it has been refused, and finds the login that ends
		runtime.Gosched()
	}
	close(ends)
	if err := <-next; err != nil {
		t.Errorf("the next one: %v", err)
	}
}

// B025: the background asks nobody, but renews what it can.
func TestTheBackgroundAsksNobody(t *testing.T) {
	w := newWorld(t)
	a := w.authorizer()
	tr := w.open(a)
	req := &transport.Request{Era: negotiation.EraLegacy, Version: "2025-11-25"}
	if err := tr.Listen(t.Context(), req, func() {}); !errors.Is(err, transport.ErrNoStream) {
		t.Errorf("Listen: %v", err)
	}
	if err := tr.EndSession(t.Context(), "2025-11-25", "s"); err != nil {
		t.Errorf("EndSession: %v", err)
	}
	if n := len(w.seen("mcp GET /mcp")) + len(w.seen("mcp DELETE /mcp")); n != 2 {
		t.Errorf("%d requests", n)
	}
	if got := w.log("as GET /authorize"); got != nil {
		t.Errorf("the user was asked: %q", got)
	}
	if err := call(t.Context(), tr, "add"); err != nil {
		t.Fatal(err)
	}
	w.revoke(false)
	if err := tr.EndSession(t.Context(), "2025-11-25", "s"); err != nil {
		t.Errorf("EndSession: %v", err)
	}
	deletes := w.seen("mcp DELETE /mcp")
	if last := deletes[len(deletes)-1]; !strings.HasPrefix(last.Auth, "Bearer SECRET-access") || len(w.seen("as GET /authorize")) != 1 {
		t.Errorf("the last DELETE came with %q", last.Auth)
	}
}

// The login of another process is taken before the user is asked.
func TestALoginThatAnotherProcessHasMadeIsTaken(t *testing.T) {
	store := new(Memory)
	w := newWorld(t)
	early := w.authorizer(WithStore(store))
	tr := w.open(early)
	if _, err := early.session(parse(t, w.mcp.URL+"/mcp")).current(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := call(t.Context(), w.open(w.authorizer(WithStore(store))), "add"); err != nil {
		t.Fatal(err)
	}
	if err := call(t.Context(), tr, "add"); err != nil {
		t.Fatal(err)
	}
	if n := len(w.seen("as GET /authorize")); n != 1 {
		t.Errorf("the user was asked %d times", n)
	}
}

func TestLoginAndLogout(t *testing.T) {
	store := new(Memory)
	w := newWorld(t)
	a := w.authorizer(WithStore(store))
	endpoint := w.mcp.URL + "/mcp"
	if err := a.Login(t.Context(), endpoint); err != nil {
		t.Fatal(err)
	}
	if got := w.log("mcp POST"); got != nil {
		t.Errorf("requests %q", got)
	}
	if err := a.Login(t.Context(), endpoint); err != nil { // whatever there is
		t.Fatal(err)
	}
	if n := len(w.seen("as GET /authorize")); n != 2 {
		t.Errorf("the user was asked %d times", n)
	}
	if err := call(t.Context(), w.open(a), "add"); err != nil {
		t.Fatal(err)
	}
	if n := len(w.seen("mcp POST")); n != 1 {
		t.Errorf("%d requests", n)
	}
	if err := a.Logout(t.Context(), endpoint); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := store.Load(t.Context(), loginKey(parse(t, endpoint))); ok {
		t.Error("the store has the login still")
	}
	if err := a.Logout(t.Context(), endpoint); err != nil {
		t.Errorf("a second time: %v", err)
	}
	if a.Login(t.Context(), "/mcp") == nil || a.Logout(t.Context(), "ftp://h/") == nil {
		t.Error("a URL was taken that is none")
	}
}

func TestAClosedAuthorizerGetsNoTokens(t *testing.T) {
	w, a, now := loggedIn(t)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	tr := w.open(a)
	if err := call(t.Context(), tr, "add"); err != nil {
		t.Error(err)
	}
	now.advance(time.Hour)
	if err := call(t.Context(), tr, "add"); err != nil {
		t.Errorf("a token that may have ended is for the server to judge: %v", err)
	}
	w.revoke(false)
	if err := call(t.Context(), tr, "add"); !errors.Is(err, ErrClosed) || !errors.Is(err, transport.ErrUnauthorized) {
		t.Errorf("the error is %v", err)
	}
}
