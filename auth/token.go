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
	// Expires is when Access ends; zero when the server does not say.
	Expires time.Time `json:"expires,omitzero"`
	// Granted are the scopes that the server says it gave; nil when it does not.
	Granted []string `json:"granted,omitzero"`
}

// expired reports whether the token has ended at now, or will within skew.
func (t *Token) expired(now time.Time, skew time.Duration) bool {
	return !t.Expires.IsZero() && !now.Add(skew).Before(t.Expires)
}

// valid reports whether the access token can stand in a header.
func validToken(access string) bool {
	return access != "" && !strings.ContainsFunc(access, func(r rune) bool { return r <= ' ' || r > '~' })
}

// A login is a token with all that is needed to renew it. It is never changed;
// another token is another login.
type login struct {
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
