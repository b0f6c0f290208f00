package auth

import (
	"context"
	"errors"
	"net/url"
	"sync"

	"github.com/mcpera/mcpera/transport/challenge"
)

// A session is the login of one endpoint.
type session struct {
	a        *Authorizer
	endpoint *url.URL
	key      string // in the store

	mu       sync.Mutex
	loaded   bool    // the store has been asked
	login    *login  // nil when there is none
	suspect  *login  // one that was refused as soon as it was had
	refused  refusal // of the grant that was to renew a login
	flight   *flight
	upgrades map[string]int // how often scopes were asked for, by operation and scopes
}

// current returns the login, which at first is that of the store; nil for none.
func (s *session) current(ctx context.Context) (*login, error) {
	s.mu.Lock()
	l, loaded := s.login, s.loaded
	s.mu.Unlock()
	if loaded {
		return l, nil
	}
	l, _ = s.a.loadLogin(ctx, s.key)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loaded {
		s.loaded, s.login = true, l
	}
	return s.login, nil
}

// known returns the login, nil while the store has not been asked.
func (s *session) known() *login {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.login
}

// usable returns the login to send a request with, renewed if it is time. An
// error means that it has ended and can't be renewed at present.
func (s *session) usable(ctx context.Context) (*login, error) {
	l, err := s.current(ctx)
	now := s.a.config.now()
	if err != nil || l == nil || !s.renewable(l) || !l.Token.expired(now.Add(s.a.config.skewOf(&l.Token))) {
		return l, err
	}
	fresh, _, err := s.renew(ctx, need{failed: l, expired: true}, nil)
	switch {
	case err == nil:
		return fresh, nil
	case ctx.Err() != nil:
		return nil, err
	case final(err) && s.a.config.grant != nil: // an error here would have the request tried again
		return l, nil
	case final(err): // there is none any more; the server will say what it wants
		return s.current(ctx)
	case !l.Token.expired(now), !passing(err):
		return l, nil
	default:
		return nil, err
	}
}

// passing reports whether a renewal failed for a reason that may pass. Otherwise
// it is for the server to say where tokens come from now.
func passing(err error) bool {
	_, moved := errors.AsType[*IssuerError](err)
	return !moved && !errors.Is(err, errAbsent) && !errors.Is(err, ErrClosed)
}

// unauthorized deals with a 401: one token is got for a request, by itself or by
// another. When that is refused too, it is the server's last word.
func (s *session) unauthorized(ctx context.Context, m *memo, challenges []challenge.Challenge) (bool, error) {
	if m.renewed {
		s.distrust(m.login)
		return false, nil
	}
	if err := s.lastRefusal(m.login); err != nil {
		return false, err
	}
	_, ours, err := s.renew(ctx, need{failed: m.login, user: attended(ctx)}, challenges)
	m.renewed = ours || m.adopted
	m.adopted = true
	return err == nil, err
}

// distrust keeps a login from being renewed with its refresh token: it was got
// just now, and the server refused it all the same.
func (s *session) distrust(l *login) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspect = l
}

func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loaded, s.login = true, nil
}

// maxUpgrades bounds how often the same scopes are asked for because of the same
// operation.
const maxUpgrades = 2

// maxOperations bounds how many operations are remembered.
const maxOperations = 1000

// stepUp deals with a 403 that says insufficient_scope: the user is asked for what
// the login has and what the operation needs. What was asked for in vain is not
// asked for again and again.
//
// Source: MCP 2026-07-28, authorization, "Step-Up Authorization Flow".
func (s *session) stepUp(ctx context.Context, operation string, m *memo, challenges []challenge.Challenge) (bool, error) {
	if !attended(ctx) && s.a.config.grant == nil {
		return false, ErrLoginRequired
	}
	upgrade := operation + ": " + joinScopes(union(m.login.Scopes, wanted(challenges)))
	if m.upgrades[upgrade] || s.upgraded(upgrade) >= maxUpgrades {
		return false, ErrScope
	}
	_, ours, err := s.renew(ctx, need{failed: m.login, user: true, upgrade: upgrade}, challenges)
	m.upgrades[upgrade] = ours
	m.renewed = false
	return err == nil, err
}

// countUpgrade counts that scopes are asked for. It is called with s.mu held.
func (s *session) countUpgrade(upgrade string) {
	if len(s.upgrades) >= maxOperations {
		clear(s.upgrades)
	}
	s.upgrades[upgrade]++
}

// upgraded returns how often scopes were asked for because of an operation.
func (s *session) upgraded(upgrade string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.upgrades[upgrade]
}

// load is loadLogin with the store's error.
func (s *session) load(ctx context.Context) (*login, []byte, error) {
	_, ok, err := s.a.config.store.Load(ctx, s.key)
	if err != nil || !ok {
		return nil, nil, err
	}
	l, value := s.a.loadLogin(ctx, s.key)
	return l, value, nil
}

var errNoRefresh = errors.New("there is no refresh token")
