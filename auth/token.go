package auth

import (
	"log/slog"
	"strings"
	"time"
)

// A Token is what an authorization server issued. It is never changed.
type Token struct {
	Access  Secret `json:"access"`
	Refresh Secret `json:"refresh,omitzero"`
	Type    string `json:"type,omitzero"` // "Bearer" or "DPoP"
	// Key is the thumbprint of the key that a token of type DPoP is bound to.
	Key string `json:"key,omitzero"`
	// Issued and Expires are when Access was got and when it ends; zero when the
	// server does not say when that is.
	Issued  time.Time `json:"issued,omitzero"`
	Expires time.Time `json:"expires,omitzero"`
	// Granted are the scopes that the server says it gave; nil when it does not.
	Granted []string `json:"granted,omitzero"`
}

// expired reports whether the token has ended at now.
func (t *Token) expired(now time.Time) bool {
	return !t.Expires.IsZero() && !now.Before(t.Expires)
}

// life is how long the token is good for; 0 when that is not known.
func (t *Token) life() time.Duration {
	if t.Issued.IsZero() || t.Expires.IsZero() {
		return 0
	}
	return t.Expires.Sub(t.Issued)
}

// valid reports whether the access token can stand in a header.
func validToken(access string) bool {
	return access != "" && !strings.ContainsFunc(access, func(r rune) bool { return r <= ' ' || r > '~' })
}

// A login is a token with all that is needed to renew it. It is never changed;
// another token is another login.
type login struct {
	// ID tells a user's logins apart, whatever token they have; "" for a program's
	// own.
	ID       string       `json:"id,omitzero"`
	Issuer   string       `json:"issuer"`
	Resource string       `json:"resource"`
	Old      bool         `json:"old,omitzero"` // by the rules of 2025-03-26
	Client   Registration `json:"client"`
	Scopes   []string     `json:"scopes,omitzero"` // that were asked for
	Token    Token        `json:"token"`
}

// with returns a login like l with another token. The authorization server may
// leave out a refresh token that stays valid.
func (l *login) with(t *Token) *login {
	next := *l
	next.Token = *t
	if next.Token.Refresh == "" {
		next.Token.Refresh = l.Token.Refresh
	}
	if next.Token.Granted == nil {
		next.Token.Granted = l.Token.Granted
	}
	return &next
}

// String tells whose tokens these are.
func (l *login) String() string { return "login at " + l.Issuer }

// LogValue returns what String does.
func (l *login) LogValue() slog.Value { return slog.StringValue(l.String()) }
