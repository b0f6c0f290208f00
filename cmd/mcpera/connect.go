package main

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/auth"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/negotiation"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A connection holds what every command that talks to a server has in common:
// its flags, and how to connect by them.
type connection struct {
	target
	output
	trace        traceFile
	observers    []func(client.Event)
	httpOptions  []mcphttp.Option
	era          choice
	probeTimeout period
	timeout      period

	login *auth.Authorizer // nil: there has been none
}

func newConnection(cmd *cobra.Command) *connection {
	c := &connection{era: choice{"auto", []string{"auto", "modern", "legacy"}}}
	c.target.register(cmd)
	c.trace.register(cmd)
	c.era.register(cmd, "era", "ask for the era, or pin it")
	cmd.Flags().Var(&c.probeTimeout, "probe-timeout", "bound on the question for the era (default 10s\nfor a URL, 5s for a command)")
	cmd.Flags().Var(&c.timeout, "timeout", "bound on connecting, and on each request after\nthat (default 1m0s)")
	c.output.register(cmd)
	c.registerVerbose(cmd)
	return c
}

// run connects, lets work find out something, closes the connection, and then
// prints what was found, so that an output is always a finished one.
func (c *connection) run(cmd *cobra.Command, work func(context.Context, *client.Client) (report, error)) error {
	var r report
	err := c.use(cmd, func(ctx context.Context, conn *client.Client) (err error) {
		r, err = work(ctx, conn)
		return err
	})
	if err != nil {
		return err
	}
	return c.print(cmd, r)
}

// use connects, lets work use the connection, and closes it.
func (c *connection) use(cmd *cobra.Command, work func(context.Context, *client.Client) error) error {
	if err := c.trace.open(); err != nil {
		return err
	}
	defer c.trace.close(cmd.ErrOrStderr())
	notes := &notes{w: cmd.ErrOrStderr()}
	if c.login = c.storedLogin(cmd.Context(), slog.New(notes)); c.login != nil {
		defer c.login.Close()
	}
	conn, err := c.dial(cmd.Context(), notes)
	if err != nil {
		return err
	}
	err = work(cmd.Context(), conn)
	if closeErr := conn.Close(); closeErr != nil {
		notes.printf("mcpera: warning: %v", closeErr)
	}
	return err
}

// dial connects to the target.
func (c *connection) dial(ctx context.Context, notes *notes) (*client.Client, error) {
	opts := []client.Option{
		client.WithLogger(slog.New(notes)),
		client.WithTrace(c.observe),
		client.WithIncoming(c.trace.incoming),
	}
	if c.verbose {
		c.observers = append(c.observers, notes.trace)
	}
	if c.probeTimeout > 0 {
		opts = append(opts, client.WithProbeTimeout(time.Duration(c.probeTimeout)))
	}
	if c.timeout > 0 {
		d := time.Duration(c.timeout)
		opts = append(opts, client.WithConnectTimeout(d), client.WithCallTimeout(d))
	}
	switch c.era.value {
	case "modern":
		opts = append(opts, client.WithEra(negotiation.EraModern))
	case "legacy":
		opts = append(opts, client.WithEra(negotiation.EraLegacy))
	}
	httpOpts := slices.Clone(c.httpOptions)
	if c.login != nil {
		httpOpts = append(httpOpts, mcphttp.WithAuthorizer(c.login))
	}
	t, err := c.transport(notes.serverErr(c.verbose), httpOpts...)
	if err != nil {
		return nil, err
	}
	if c.verbose {
		notes.printf("* %s", c.describe(t))
		if c.login != nil {
			notes.printf("* with the token of a login")
		}
	}
	return client.Connect(ctx, t, opts...)
}

// observe gives a step of the client to all who want to know.
func (c *connection) observe(e client.Event) {
	c.trace.step(e)
	for _, f := range c.observers {
		f(e)
	}
}
