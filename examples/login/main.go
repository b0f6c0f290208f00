// Login reaches a server that wants its user to log in. The browser opens by
// itself when the server asks for that, and the program goes on with what it was
// about. The login is kept in a file, so that it is not asked for again while it
// can be renewed.
//
//	go run ./examples/login https://api.example.com/mcp
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/mcpera/mcpera/auth"
	"github.com/mcpera/mcpera/client"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: login URL")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.UserConfigDir()
	if err == nil {
		tokens := filepath.Join(dir, "mcpera-example", "tokens.json")
		err = run(ctx, os.Args[1], tokens, auth.OpenBrowser, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "login:", err)
		os.Exit(1)
	}
}

// run lists the tools of the server at url, for a user who logs in where open
// takes them. tokens is the file that keeps logins.
func run(ctx context.Context, url, tokens string, open func(context.Context, string) error, out io.Writer) error {
	login, err := auth.New(
		auth.WithClientName("mcpera example"), // what the user is asked to allow
		auth.WithStore(auth.NewFile(tokens)),
		auth.WithUserAgent(auth.Loopback{OpenURL: func(ctx context.Context, address string) error {
			fmt.Fprintln(out, "Please log in with the browser.")
			return open(ctx, address)
		}}),
	)
	if err != nil {
		return err
	}
	defer login.Close()
	t, err := mcphttp.New(url, mcphttp.WithAuthorizer(login))
	if err != nil {
		return err
	}
	c, err := client.Connect(ctx, t) // the time that the user takes does not count
	if errors.Is(err, auth.ErrNoRegistration) {
		return fmt.Errorf("the server knows only programs that are registered with it: see auth.WithRegistration: %w", err)
	}
	if err != nil {
		return err
	}
	defer c.Close()
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			return err
		}
		fmt.Fprintln(out, tool.Name)
	}
	return nil
}
