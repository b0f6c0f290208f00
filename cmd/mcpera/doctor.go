package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

func newDoctor() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "doctor [URL] [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "Connect step by step, and explain what the server does",
		Long: `Doctor connects to a server and explains each step and how long it took: how the
server is reached, what it answers, which era that means and why, whether it
asks for a login, which headers go to it, whether it keeps a session, and
whether it tells of changes. When something is wrong it says what you can do.

It calls no tool. The exit code is that of probe: what goes wrong after the
connection is there does not count.`,
		Example: `  mcpera doctor https://api.example.com/mcp
  mcpera doctor -- npx -y @modelcontextprotocol/server-everything
  mcpera doctor --config mcp.json --server github --json | jq .result.steps`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	c := newConnection(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rest, err := c.take(cmd, args, true)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return usagef("doctor takes one URL and nothing else; a command goes after --")
		}
		return c.doctor(cmd)
	}
	return cmd
}

// A step is one thing that was tried or found out.
type step struct {
	Name    string  `json:"step"`
	Text    string  `json:"text"`
	Millis  float64 `json:"ms,omitzero"` // 0 for what takes no time
	Problem bool    `json:"problem,omitzero"`
}

// A checkup is the result of doctor as JSON.
type checkup struct {
	Steps  []step   `json:"steps"`
	Advice []string `json:"advice"` // what the user can do
}

func (c *connection) doctor(cmd *cobra.Command) error {
	w := newWire()
	defer w.CloseIdleConnections()
	c.httpOptions = append(c.httpOptions, mcphttp.WithClient(&http.Client{Transport: w}))
	asked := &exchanges{}
	c.observers = append(c.observers, asked.observe)
	x := examination{wire: w, asked: asked, command: c.command != nil}
	r := report{}
	err := c.use(cmd, func(ctx context.Context, conn *client.Client) error {
		asked.stop()
		r.document = connected(conn)
		x.examine(ctx, conn)
		return ctx.Err()
	})
	if errors.As(err, new(*usageError)) || cmd.Context().Err() != nil {
		return err
	}
	result := x.result(err)
	r.Result = result
	r.text = func(p *page) { writeCheckup(p, r.document, result) }
	if err == nil {
		return c.print(cmd, r)
	}
	f := diagnose(err)
	r.Error = &f
	if err := c.print(cmd, r); err != nil {
		return err
	}
	return reported(f.exit)
}

func writeCheckup(p *page, d document, result checkup) {
	if d.Error != nil {
		p.WriteString("No connection.\n\n")
	} else {
		p.WriteString(cut(fmt.Sprintf("%s speaks the %s era, %s.", orServer(nameOf(*d.Server)), d.Era, d.Version), p.width) + "\n\n")
	}
	var t facts
	for _, s := range result.Steps {
		text := s.Text
		if s.Problem {
			text = "PROBLEM: " + text
		}
		if s.Millis > 0 {
			text += " (" + duration(s.Millis) + ")"
		}
		t.add(s.Name, text)
	}
	if len(t.rows) > 0 {
		t.write(p)
	}
	for i, advice := range result.Advice {
		if i == 0 {
			p.WriteString("\nWhat you can do:\n")
		}
		p.WriteString("- " + strings.ReplaceAll(wrap(advice, max(p.width-2, 0)), "\n", "\n  ") + "\n")
	}
}

func orServer(name string) string {
	if name == "" {
		return "The server"
	}
	return name
}

// millis is a time as a step has it; what was done took some.
func millis(d time.Duration) float64 {
	return max(float64(d.Round(10*time.Microsecond))/float64(time.Millisecond), 0.01)
}

func duration(ms float64) string {
	switch {
	case ms >= 1000:
		return fmt.Sprintf("%.1f s", ms/1000)
	case ms < 1:
		return "under 1 ms"
	default:
		return fmt.Sprintf("%.0f ms", ms)
	}
}
