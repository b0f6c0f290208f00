package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/mcpera/mcpera/transport/target"
)

// An Option adjusts an Authorizer. The order of options does not matter. New fails on
// a value that makes no sense.
type Option func(*config) error

type config struct {
	agent         UserAgent // nil: nobody can be asked
	registrations []Registration
	document      *ClientDocument
	dynamic       bool // registration is allowed
	dynamicSaid   bool
	clientName    string
	prompt        func(context.Context, string) (Registration, error)
	scopes        []string
	grant         Grant // nil: users log in
	dpop          *prover
	store         TokenStore
	client        *http.Client
	policy        *target.Policy
	choose        func(context.Context, []string) (string, error)
	aliases       map[string][]string
	skew          *time.Duration // nil for the default
	loginTimeout  time.Duration
	log           *slog.Logger
	now           func() time.Time
}

func newConfig(opts []Option) (*config, error) {
	c := &config{
		clientName: "mcpera", store: new(Memory), aliases: map[string][]string{},
		loginTimeout: 10 * time.Minute,
		log:          slog.New(slog.DiscardHandler), now: time.Now,
	}
	for _, opt := range opts {
		if err := opt(c); err != nil {
			return nil, err
		}
	}
	if err := c.finishExtensions(); err != nil {
		return nil, err
	}
	if !c.dynamicSaid {
		c.dynamic = len(c.registrations) == 0
	}
	return c, nil
}

// WithUserAgent sets who takes users to authorization servers: Loopback{} on a
// user's machine. By default nobody does, and only what is in the store is used.
func WithUserAgent(u UserAgent) Option {
	return func(c *config) error {
		if u == nil {
			return errors.New("auth: the user agent must not be nil")
		}
		c.agent = u
		return nil
	}
}

// WithRegistration gives a client id that was registered beforehand. It may be
// used several times, for several authorization servers. An authorization server
// that none of them is of is then an *IssuerError, unless WithDynamicRegistration
// allows to register there.
func WithRegistration(r Registration) Option {
	return func(c *config) error {
		if r.ClientID == "" {
			return errors.New("auth: a registration needs a client id")
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("auth: a registration: %w", err)
		}
		r.Dynamic, r.configured = false, true
		c.registrations = append(c.registrations, r)
		return nil
	}
}

// WithClientDocument gives the program's Client ID Metadata Document, whose URL is
// the client id at every authorization server that supports that.
func WithClientDocument(d ClientDocument) Option {
	return func(c *config) error {
		d.RedirectURIs = slices.Clone(d.RedirectURIs)
		c.document = &d
		return d.Check()
	}
}

// WithDynamicRegistration says whether to register at authorization servers that
// offer it, where there is no other client id. By default yes, unless
// WithRegistration is used.
func WithDynamicRegistration(allowed bool) Option {
	return func(c *config) error {
		c.dynamic, c.dynamicSaid = allowed, true
		return nil
	}
}

// WithClientName sets the name by which the program registers, which users see
// when they log in: by default "mcpera".
func WithClientName(name string) Option {
	return func(c *config) error {
		if name == "" {
			return errors.New("auth: the client name must not be empty")
		}
		c.clientName = name
		return nil
	}
}

// WithRegistrationPrompt calls ask where there is no other way to a client id: it
// may ask the user to register the program at the authorization server by hand.
func WithRegistrationPrompt(ask func(ctx context.Context, issuer string) (Registration, error)) Option {
	return func(c *config) error {
		c.prompt = ask
		return nil
	}
}

// WithScopes sets the scopes to ask for when a server does not say what it needs:
// by default all that it supports.
func WithScopes(scopes ...string) Option {
	return func(c *config) error {
		c.scopes = slices.Clone(scopes)
		return nil
	}
}

// WithStore sets where logins are kept: by default in memory.
func WithStore(s TokenStore) Option {
	return func(c *config) error {
		if s == nil {
			return errors.New("auth: the store must not be nil")
		}
		c.store = s
		return nil
	}
}

// WithHTTPClient sets the client whose Transport is used for requests to
// authorization servers. Its other fields have no effect. By default there is one
// of the Authorizer's own.
func WithHTTPClient(client *http.Client) Option {
	return func(c *config) error {
		if client == nil {
			return errors.New("auth: the client must not be nil")
		}
		c.client = client
		return nil
	}
}

// WithTargetPolicy sends requests to authorization servers only where p allows,
// judged on the address that is dialled: use it in programs that run inside of a
// network to which servers must not send them. By default any https URL may be
// asked. Of a client of WithHTTPClient, its Transport must be an *http.Transport
// or nil.
func WithTargetPolicy(p *target.Policy) Option {
	return func(c *config) error {
		if p == nil {
			return errors.New("auth: the target policy must not be nil")
		}
		c.policy = p
		return nil
	}
}

// WithServerChoice calls choose where a server names several authorization
// servers, by their issuers; it returns one of them. By default it is the one of
// a given registration, else the one of the last login, else the first.
func WithServerChoice(choose func(ctx context.Context, issuers []string) (string, error)) Option {
	return func(c *config) error {
		c.choose = choose
		return nil
	}
}

// WithIssuerAlias accepts metadata of issuer says for the authorization server
// that resources name as named. The specification forbids what this allows: use it
// only for a pair of which you know that both are the same server.
func WithIssuerAlias(named, says string) Option {
	return func(c *config) error {
		if named == "" || says == "" {
			return errors.New("auth: an issuer alias needs two issuers")
		}
		c.aliases[named] = append(c.aliases[named], says)
		return nil
	}
}

// WithExpirySkew sets how long before its end a token is renewed: by default 30 s,
// or half its life where it lives less than a minute.
func WithExpirySkew(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return errors.New("auth: the expiry skew must not be negative")
		}
		c.skew = &d
		return nil
	}
}

// skewOf returns how long before its end t is renewed.
func (c *config) skewOf(t *Token) time.Duration {
	if c.skew != nil {
		return *c.skew
	}
	skew := 30 * time.Second
	if life := t.life(); life > 0 {
		skew = min(skew, life/2)
	}
	return skew
}

// WithLoginTimeout bounds how long the user may take to log in: by default 10
// minutes. The time that a call has does not count meanwhile.
func WithLoginTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return errors.New("auth: the login timeout must be above zero")
		}
		c.loginTimeout = d
		return nil
	}
}

// WithLogger sets where the Authorizer tells what it does, without secrets: by
// default nowhere.
func WithLogger(l *slog.Logger) Option {
	return func(c *config) error {
		if l == nil {
			return errors.New("auth: the logger must not be nil")
		}
		c.log = l
		return nil
	}
}
