package auth

import (
	"context"

	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/challenge"
)

// A need says what a request wants of a renewal. Requests with equal needs share
// one.
type need struct {
	failed  *login // the login that won't do; nil for none
	expired bool   // it has come to its end, rather than been refused
	user    bool   // the user may be asked
	// upgrade says, where more scopes are needed, for what operation and which.
	upgrade string
}

// A flight is a renewal under way. It belongs to all requests that wait for it:
// one that leaves does not disturb the others, and when all have left it ends.
type flight struct {
	need    need
	cancel  context.CancelFunc
	waiting int // guarded by session.mu
	done    chan struct{}

	login *login // to be read after done is closed
	err   error
}

// renew returns another login than n.failed, and whether it was got for n rather
// than for something else meanwhile.
func (s *session) renew(ctx context.Context, n need, challenges []challenge.Challenge) (l *login, ours bool, err error) {
	for {
		f, ours, other := s.join(ctx, n, challenges)
		if f == nil {
			return other, false, nil
		}
		if err := f.wait(ctx); err != nil {
			if ours {
				s.leave(f)
			}
			return nil, false, err
		}
		if ours {
			return f.login, true, f.err
		}
	}
}

// wait waits for the end of the flight. While the user is asked, the time that
// comes with ctx is held.
func (f *flight) wait(ctx context.Context) error {
	if f.need.user {
		defer transport.Hold(ctx)()
	}
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join returns the flight to wait for, and whether it is for this need; or nil and
// the login that has taken the failed one's place.
func (s *session) join(ctx context.Context, n need, challenges []challenge.Challenge) (f *flight, ours bool, other *login) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.flight; f != nil {
		if ours = f.need == n && f.waiting > 0; ours { // else all have left it, and it ends
			f.waiting++
		}
		return f, ours, nil
	}
	if s.login != nil && s.login != n.failed {
		return nil, false, s.login
	}
	f = &flight{need: n, waiting: 1, done: make(chan struct{})}
	if !s.start(ctx, f, challenges) {
		f.err = ErrClosed
		close(f.done)
		return f, true, nil
	}
	s.flight = f
	if n.upgrade != "" {
		s.countUpgrade(n.upgrade)
	}
	return f, true, nil
}

// start runs a flight on a goroutine of its own, unless the Authorizer is closed.
func (s *session) start(ctx context.Context, f *flight, challenges []challenge.Challenge) bool {
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	if s.a.life.Err() != nil {
		return false
	}
	ctx, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(s.a.life, f.cancel)
	s.a.running.Go(func() {
		defer detach()
		defer f.cancel()
		l, err := s.attempt(ctx, f.need, challenges)
		s.land(f, l, err)
	})
	return true
}

// land ends a flight.
func (s *session) land(f *flight, l *login, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.login, f.err = l, err
	if err == nil {
		s.login = l
	}
	s.flight = nil
	close(f.done)
}

// leave gives up waiting for a flight.
func (s *session) leave(f *flight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
	}
}

// attempt gets another login than the one that failed: what another process has
// put into the store, the next token of its refresh token, or what comes of asking
// the user.
func (s *session) attempt(ctx context.Context, n need, challenges []challenge.Challenge) (*login, error) {
	s.mu.Lock()
	suspect := n.failed != nil && s.suspect == n.failed
	s.mu.Unlock()
	if s.a.config.grant != nil {
		return s.granted(ctx, n, suspect, challenges)
	}
	if n.expired {
		server, err := s.serverOf(ctx, n.failed)
		if err != nil {
			return nil, err
		}
		return s.refresh(ctx, server, n.failed)
	}
	if stored, _ := s.a.loadLogin(ctx, s.key); stored != nil && n.upgrade == "" && (n.failed == nil || !suspect && !stored.sameToken(n.failed)) {
		return stored, nil
	}
	known := ""
	if n.failed != nil {
		known = n.failed.Issuer
	}
	p, err := s.a.discover(ctx, s.endpoint, challenges, known)
	if err != nil {
		return nil, err
	}
	same := n.failed != nil && n.failed.Issuer == p.issuer && n.failed.Resource == p.resource
	if same && n.upgrade == "" && !suspect && n.failed.Token.Refresh != "" {
		l, err := s.refresh(ctx, p.server, n.failed)
		if err == nil || !final(err) {
			return l, err
		}
	}
	if !n.user {
		return nil, ErrLoginRequired
	}
	l, err := s.a.logIn(ctx, p, s.scopesFor(p, n, same, challenges))
	if err != nil {
		return nil, err
	}
	s.a.saveLogin(ctx, s.key, l)
	return l, nil
}

// scopesFor returns the scopes that a new login asks for.
func (s *session) scopesFor(p *place, n need, same bool, challenges []challenge.Challenge) []string {
	var before []string
	if same {
		before = n.failed.Scopes
	}
	challenged := wanted(challenges)
	if n.upgrade != "" && len(challenged) == 0 {
		challenged = p.scopes
	}
	return withOffline(selectScopes(challenged, s.a.config.scopes, p.scopes, before), p.server.ScopesSupported)
}

// serverOf returns the authorization server that a login is of.
func (s *session) serverOf(ctx context.Context, l *login) (*ServerMetadata, error) {
	if !l.Old {
		return s.a.serverMetadata(ctx, s.endpoint, l.Issuer)
	}
	p, err := s.a.discoverOld(ctx, s.endpoint)
	if err != nil {
		return nil, err
	}
	if p.issuer != l.Issuer {
		return nil, &IssuerError{Where: "metadata", Want: l.Issuer, Got: p.issuer}
	}
	return p.server, nil
}

// refresh gets the next token of a login by its refresh token. When that is not
// good any more, only this login is dropped: what another process has put into its
// place is used instead.
func (s *session) refresh(ctx context.Context, server *ServerMetadata, l *login) (*login, error) {
	if l.Token.Refresh == "" {
		return nil, errNoRefresh
	}
	defer s.a.lockLogin(ctx, s.key)()
	if stored, _ := s.a.loadLogin(ctx, s.key); stored != nil && !stored.sameToken(l) {
		return stored, nil
	}
	client := s.a.clientOf(l)
	token, err := s.a.requestToken(ctx, server, client, refreshForm(l))
	switch {
	case err == nil:
		next := l.with(token)
		s.a.saveLogin(ctx, s.key, next)
		s.a.config.log.Debug("renewed a token", "issuer", l.Issuer)
		return next, nil
	case !final(err):
		return nil, err
	}
	s.a.config.log.Info("a refresh token is not good any more", "issuer", l.Issuer, "reason", err)
	if client.Dynamic && code(err) == "invalid_client" {
		s.a.dropRegistration(ctx, client)
	}
	if other := s.a.dropLogin(ctx, s.key, l); other != nil {
		return other, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.login == l {
		s.login = nil
	}
	return nil, err
}

// clientOf returns the client that a login is of, with the secret that the program
// gives now.
func (a *Authorizer) clientOf(l *login) *Registration {
	if r := a.given(l.Issuer); r != nil && r.ClientID == l.Client.ClientID {
		return r
	}
	client := l.Client
	return &client
}
