package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/erecache"
)

func newDemo() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "demo",
		GroupID: groupTry,
		Short:   "See it work on six servers that come with it",
		Long: `Demo starts a modern, a legacy and a dual-era server, each over HTTP and as a
child process, and connects to all six with the same code. Then it shows that a
server that is down is never taken for a legacy one. It needs nothing but this
program, listens on the loopback interface only, and fails when anything is not
as it should be.`,
		Example:           "  mcpera demo\n  mcpera demo -v\n  mcpera demo --json",
		Args:              func(_ *cobra.Command, args []string) error { return noArguments("demo", args) },
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	var o output
	o.register(cmd)
	o.registerVerbose(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		d := demo{notes: &notes{w: cmd.ErrOrStderr()}, verbose: o.verbose, eras: erecache.New(time.Now)}
		result, err := d.run(cmd.Context())
		if err != nil {
			return err
		}
		err = o.print(cmd, report{document: document{Result: result}, text: result.write})
		if err == nil && !result.OK {
			return errReported
		}
		return err
	}
	return cmd
}

// A demoResult is the result of demo as JSON.
type demoResult struct {
	Servers []visit `json:"servers"`
	Outage  outage  `json:"outage"`
	OK      bool    `json:"ok"`
}

// A demo visits servers with one set of options.
type demo struct {
	notes   *notes
	verbose bool
	eras    *erecache.Cache
}

// run shows everything. Its error means that a server could not be started or
// that the user has ended it; what goes wrong later is part of the result.
func (d *demo) run(ctx context.Context) (demoResult, error) {
	servers, stop, err := startServers()
	if err != nil {
		return demoResult{}, err
	}
	defer stop()
	result := demoResult{OK: true}
	for _, s := range servers {
		v := d.visit(ctx, s)
		result.Servers = append(result.Servers, v)
		result.OK = result.OK && v.Error == ""
	}
	if result.Outage, err = d.visitOutage(ctx); err != nil {
		return demoResult{}, err
	}
	result.OK = result.OK && result.Outage.Error == ""
	return result, ctx.Err()
}

// options are the same for all servers: nothing tells the client their eras.
func (d *demo) options(server string) []client.Option {
	opts := []client.Option{client.WithEraCache(d.eras), client.WithConnectTimeout(demoTime), client.WithCallTimeout(demoTime)}
	if d.verbose {
		opts = append(opts, client.WithTrace(func(e client.Event) { d.notes.printf("* %s: %s", server, clean(e.String())) }))
	}
	return opts
}

// demoTime bounds each step.
const demoTime = 20 * time.Second

func (r demoResult) write(p *page) {
	t := table{head: []string{"SERVER", "TRANSPORT", "ERA", "VERSION", "VERDICT", "TRIPS", "RESULT"}}
	for _, v := range r.Servers {
		t.add(v.Server, v.Transport, orDash(v.Era), orDash(v.Version), orDash(v.Verdict), strconv.Itoa(v.RoundTrips), v.outcome())
	}
	t.write(p)
	p.WriteByte('\n')
	for _, v := range r.Servers {
		if v.Error != "" {
			fmt.Fprintf(p, "FAILED: %s over %s: %s\n", v.Server, v.Transport, v.Error)
		}
	}
	r.Outage.write(p)
	if r.OK {
		p.WriteString("\nAll as it should be.\n")
	} else {
		p.WriteString("\nNot all is as it should be.\n")
	}
}
