package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/auth"
	"github.com/mcpera/mcpera/client"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A login is what login and logout are about.
type login struct {
	target
	output
	noBrowser bool
	scopes    []string
	clientID  string
	timeout   period
}

func newLogin() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "login [URL] [flags]",
		GroupID: groupTalk,
		Short:   "Log in to a server with a browser",
		Long: `Login opens a browser, in which you allow mcpera to use a server, and keeps the
token. The other commands use it from then on, and renew it as long as that is
possible. It is kept, not encrypted, in a file that only you can read:
mcpera/tokens.json in the folder where programs keep their configuration.`,
		Example: `  mcpera login https://api.example.com/mcp
  mcpera login --url https://api.example.com/mcp --no-browser --scope read
  mcpera tools https://api.example.com/mcp`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	l := new(login)
	l.registerURL(cmd)
	l.registerHeaders(cmd)
	cmd.Flags().BoolVar(&l.noBrowser, "no-browser", false, "print the URL to open, and open nothing")
	cmd.Flags().StringArrayVar(&l.scopes, "scope", nil, "ask for this `SCOPE` where the server does not say\nwhat it needs (repeatable)")
	cmd.Flags().StringVar(&l.clientID, "client-id", "", "the `ID` under which mcpera is registered, for\nservers that let nobody register by program")
	cmd.Flags().Var(&l.timeout, "timeout", "bound on how long you take (default 10m0s)")
	l.output.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := l.takeURL(cmd, args); err != nil {
			return err
		}
		return l.login(cmd)
	}
	return cmd
}

func newLogout() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "logout [URL] [flags]",
		GroupID: groupTalk,
		Short:   "Forget the login of a server",
		Long: `Logout deletes the token that login kept. The server is not told: until the
token ends, whoever has a copy of it can use it.`,
		Example:           `  mcpera logout https://api.example.com/mcp`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	l := new(login)
	l.registerURL(cmd)
	l.output.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := l.takeURL(cmd, args); err != nil {
			return err
		}
		return l.logout(cmd)
	}
	return cmd
}

// registerURL adds the flag for a server that must be a URL.
func (l *login) registerURL(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.url, "url", "", "the server's `URL`")
}

// takeURL reads the server, which must be a URL.
func (l *login) takeURL(cmd *cobra.Command, args []string) error {
	rest, err := l.take(cmd, args, true)
	switch {
	case err != nil:
		return err
	case l.command != nil:
		return usagef("%s is for a URL; a command needs no login", cmd.Name())
	case len(rest) > 0:
		return usagef("%s takes one URL and nothing else", cmd.Name())
	}
	return nil
}

// A loginResult is the result of login and logout as JSON.
type loginResult struct {
	Server string `json:"server"` // without what may be secret in its URL
	Done   bool   `json:"done"`   // false: there was no login to forget
}

func (l *login) login(cmd *cobra.Command) error {
	store, err := tokenStore()
	if err != nil {
		return err
	}
	notes := &notes{w: cmd.ErrOrStderr()}
	user := &browsing{notes: notes, printOnly: l.noBrowser}
	authorizer, err := auth.New(l.options(user, freshLogin{store, new(atomic.Bool)}, notes)...)
	if err != nil {
		return &usageError{strings.TrimPrefix(err.Error(), "auth: ")}
	}
	defer authorizer.Close()
	t, err := l.transport(nil, mcphttp.WithAuthorizer(authorizer))
	if err != nil {
		return err
	}
	server := clean(t.Target().String())
	conn, err := client.Connect(cmd.Context(), t, client.WithLogger(slog.New(notes)))
	if err != nil {
		return err
	}
	if err := conn.Close(); err != nil {
		notes.printf("mcpera: warning: %v", err)
	}
	if !user.asked.Load() { // it lets strangers in, and may want a login for more
		if err := authorizer.Login(cmd.Context(), l.url); err != nil {
			return fmt.Errorf("%s asks for no login to connect; to log in all the same failed: %w", server, err)
		}
	}
	return l.print(cmd, report{document: document{Result: loginResult{server, true}}, text: func(p *page) {
		fmt.Fprintf(p, "Logged in to %s\n", server)
	}})
}

func (l *login) options(user *browsing, store auth.TokenStore, notes *notes) []auth.Option {
	opts := []auth.Option{
		auth.WithStore(store), auth.WithLogger(slog.New(notes)), auth.WithScopes(l.scopes...),
		auth.WithUserAgent(auth.Loopback{OpenURL: user.open}),
	}
	if l.clientID != "" {
		opts = append(opts, auth.WithRegistration(auth.Registration{ClientID: l.clientID}))
	}
	if l.timeout > 0 {
		opts = append(opts, auth.WithLoginTimeout(time.Duration(l.timeout)))
	}
	return opts
}

func (l *login) logout(cmd *cobra.Command) error {
	store, err := tokenStore()
	if err != nil {
		return err
	}
	authorizer, err := auth.New(auth.WithStore(store))
	if err != nil {
		return err
	}
	defer authorizer.Close()
	t, err := l.transport(nil)
	if err != nil {
		return err
	}
	known, err := authorizer.LoggedIn(cmd.Context(), l.url)
	if err != nil {
		return err
	}
	if err := authorizer.Logout(cmd.Context(), l.url); err != nil {
		return err
	}
	server := clean(t.Target().String())
	return l.print(cmd, report{document: document{Result: loginResult{server, known}}, text: func(p *page) {
		if known {
			fmt.Fprintf(p, "Logged out of %s\n", server)
		} else {
			fmt.Fprintf(p, "There is no login of %s\n", server)
		}
	}})
}

// browsing takes the user to authorization servers.
type browsing struct {
	notes     *notes
	printOnly bool
	asked     atomic.Bool
}

// open opens a browser. Where there is none, the user may have one elsewhere.
func (b *browsing) open(ctx context.Context, authorizationURL string) error {
	b.asked.Store(true)
	if !b.printOnly {
		err := auth.OpenBrowser(ctx, authorizationURL)
		if err == nil {
			b.notes.printf("mcpera: waiting for you to log in with the browser")
			return nil
		}
		b.notes.printf("mcpera: %v", err)
	}
	b.notes.printf("Open this URL in a browser on this machine:\n%s", clean(authorizationURL))
	return nil
}

// tokenStore is where logins are kept.
func tokenStore() (*auth.File, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("where to keep logins: %w", err)
	}
	return auth.NewFile(filepath.Join(dir, "mcpera", "tokens.json")), nil
}

// A freshLogin has the user log in whatever login is kept: it shows none until one
// has been saved.
type freshLogin struct {
	*auth.File
	saved *atomic.Bool
}

// Load implements auth.TokenStore.
func (f freshLogin) Load(ctx context.Context, key string) ([]byte, bool, error) {
	if strings.HasPrefix(key, "login ") && !f.saved.Load() {
		return nil, false, nil
	}
	return f.File.Load(ctx, key)
}

// Save implements auth.TokenStore.
func (f freshLogin) Save(ctx context.Context, key string, value []byte) error {
	if strings.HasPrefix(key, "login ") {
		f.saved.Store(true)
	}
	return f.File.Save(ctx, key, value)
}

// storedLogin returns what sends the token of an earlier login and renews it, nil
// where there is none or the user gives a token. It asks nobody to log in.
func (t *target) storedLogin(ctx context.Context, log *slog.Logger) *auth.Authorizer {
	if t.command != nil || t.hasHeader("Authorization") {
		return nil
	}
	store, err := tokenStore()
	if err != nil {
		return nil // then there has been no login
	}
	authorizer, err := auth.New(auth.WithStore(store), auth.WithLogger(log))
	if err != nil {
		return nil
	}
	if known, err := authorizer.LoggedIn(ctx, t.url); err != nil || !known {
		if err != nil {
			log.Warn("the login can't be read", "reason", err)
		}
		_ = authorizer.Close()
		return nil
	}
	return authorizer
}

// hasHeader reports whether the command line has a header.
func (t *target) hasHeader(name string) bool {
	for _, h := range t.headers {
		if got, _, _ := strings.Cut(h, ":"); strings.EqualFold(got, name) {
			return true
		}
	}
	return false
}
