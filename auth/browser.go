package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"

	"github.com/mcpera/mcpera/protocol"
)

// A UserAgent takes users to authorization servers and brings the answers back.
// Loopback is one for programs on a user's machine, Browser.At for others. It is
// called concurrently, for different servers.
type UserAgent interface {
	// Open makes ready for one login: from then on an answer can be received.
	// registered are the redirect URIs that the client is known to have, in order
	// of preference; there may be none. It should use one of them if it can.
	Open(ctx context.Context, registered []string) (Visit, error)
}

// A Visit is one login.
type Visit interface {
	// RedirectURI is where the authorization server will send the answer: an https
	// URL, or an http one on this machine.
	RedirectURI() string
	// Go takes the user to the authorization server and returns the parameters of
	// the answer as they came, iss and errors included: the Authorizer judges
	// them. It returns soon after ctx ends.
	Go(ctx context.Context, authorizationURL string) (url.Values, error)
	// Close ends the visit. It is called once.
	Close() error
}

// A Browser takes the user to authorizationURL, waits for the redirect, and
// returns its parameters as they came: code, state, iss, error and all.
type Browser func(ctx context.Context, authorizationURL string) (url.Values, error)

// At returns a UserAgent with a fixed redirect URI.
func (b Browser) At(redirectURI string) UserAgent { return &fixedAgent{redirectURI, b} }

type fixedAgent struct {
	redirectURI string
	browser     Browser
}

func (f *fixedAgent) Open(context.Context, []string) (Visit, error) { return f, nil }
func (f *fixedAgent) RedirectURI() string                           { return f.redirectURI }
func (f *fixedAgent) Close() error                                  { return nil }

func (f *fixedAgent) Go(ctx context.Context, authorizationURL string) (url.Values, error) {
	return f.browser(ctx, authorizationURL)
}

// checkRedirectURI returns why answers must not go to a URI.
//
// Source: MCP 2026-07-28, security-considerations, "Communication Security".
func checkRedirectURI(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "":
		err = errNotURL
	case u.User != nil || u.Fragment != "":
		err = errUserinfo
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	default:
		err = errScheme
	}
	return fmt.Errorf("the redirect URI %s: %w", protocol.Quote(raw), err)
}

// OpenBrowser opens a URL in the user's browser, without a shell. Only https URLs
// are opened, and http ones on this machine.
//
// Source: MCP 2026-07-28, security best practices, "OAuth Authorization URL
// Validation".
func OpenBrowser(ctx context.Context, rawURL string) error {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		return errNotURL
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return errScheme
	}
	args := openerOf(runtime.GOOS, u.String())
	if args == nil {
		return errors.New("no way is known to open a browser on " + runtime.GOOS)
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), args[0], args[1:]...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open a browser: %w", err)
	}
	go func() { _ = cmd.Wait() }() // the program leaves at once where it only tells a running browser
	return nil
}

// openerOf returns the program that opens a URL, and its arguments. None of them
// is a shell, and none reads the URL as anything but one argument.
func openerOf(goos, url string) []string {
	switch goos {
	case "darwin":
		return []string{"open", url}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler", url}
	case "linux", "freebsd", "openbsd", "netbsd", "dragonfly":
		return []string{"xdg-open", url}
	default:
		return nil
	}
}
