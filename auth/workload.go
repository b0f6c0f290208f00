package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
)

// An Assertion returns what somebody else says about who the program or its user
// is: a JWT, say. It is called each time that one is needed; issuer is that of the
// authorization server that will read it. It returns soon after ctx ends.
type Assertion func(ctx context.Context, issuer string) (Secret, error)

// StaticAssertion is always the same.
func StaticAssertion(s Secret) Assertion {
	return func(context.Context, string) (Secret, error) { return s, nil }
}

// maxAssertion bounds an assertion, in bytes.
const maxAssertion = 64 << 10

// AssertionFile is what a file has in it, which its platform renews: a service
// account token of Kubernetes, say. Space around it does not count.
func AssertionFile(path string) Assertion {
	return func(context.Context, string) (Secret, error) {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxAssertion+1))
		if err != nil {
			return "", err
		}
		return Secret(strings.TrimSpace(string(text))), nil
	}
}

// get returns a checked assertion.
func (f Assertion) get(ctx context.Context, issuer string) (string, error) {
	s, err := f(ctx, issuer)
	switch {
	case err != nil:
		return "", fmt.Errorf("the assertion: %w", err)
	case len(s) > maxAssertion:
		return "", fmt.Errorf("the assertion is larger than %d bytes", maxAssertion)
	case !validToken(string(s)):
		return "", errors.New("the assertion is empty, or has space in it")
	}
	return string(s), nil
}

// Workload is the Grant of a program whose platform says who it is, by a JWT that
// the authorization server trusts: workload identity federation. There is no
// secret to keep, and often no client id.
//
//	auth.WithGrant(auth.Workload{Assertion: auth.AssertionFile("/var/run/secrets/tokens/mcp")})
//
// A JWT that was refused is not sent again; another one may be.
//
// Source: SEP-1933; RFC 7523, 2.1.
type Workload struct {
	Assertion Assertion
}

func (w Workload) check() error {
	if w.Assertion == nil {
		return errors.New("a workload needs an assertion")
	}
	return nil
}

// Form implements Grant.
func (w Workload) Form(ctx context.Context, r *GrantRequest) (url.Values, error) {
	jwt, err := w.Assertion.get(ctx, r.Issuer)
	if err != nil {
		return nil, err
	}
	return url.Values{"grant_type": {grantJWTBearer}, "assertion": {jwt}}, nil
}
