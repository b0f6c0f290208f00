package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

// A completion is what complete asks for.
type completion struct {
	promptName string
	template   string
	argument   string
	typed      string
	known      map[string]string
}

func newComplete() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "complete ARGUMENT[=TYPED] [KEY=VALUE...] [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "Complete an argument of a prompt or a resource template",
		Long: `Complete prints the values that a server proposes for an argument of a prompt,
or for a variable of a resource template, one a line: those that begin with what
is typed already. The other arguments that have a value may be told, since the
proposals may depend on them.`,
		Example: `  mcpera complete city=Os --prompt weather --url https://api.example.com/mcp
  mcpera complete repo=sd owner=ada --template 'repo://{owner}/{repo}' -- ./srv`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	q := new(completion)
	cmd.Flags().StringVar(&q.promptName, "prompt", "", "`NAME` of the prompt that has the argument")
	cmd.Flags().StringVar(&q.template, "template", "", "`URI` template that has the variable, as\nresources lists it")
	c := newConnection(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rest, err := c.take(cmd, args, false)
		if err != nil {
			return err
		}
		if err := q.read(rest); err != nil {
			return err
		}
		return c.complete(cmd, q)
	}
	return cmd
}

// read takes the question from the arguments.
func (q *completion) read(args []string) (err error) {
	if (q.promptName == "") == (q.template == "") {
		return usagef("complete needs one of --prompt NAME and --template URI")
	}
	if len(args) == 0 || args[0] == "" || args[0][0] == '=' {
		return usagef("complete takes the name of an argument, and what is typed already after a =")
	}
	q.argument, q.typed, _ = strings.Cut(args[0], "=")
	if q.known, err = pairs(args[1:]); err != nil {
		return err
	}
	if _, twice := q.known[q.argument]; twice {
		return usagef("the argument %q is given twice", q.argument)
	}
	return nil
}

func (q *completion) ref() protocol.CompletionRef {
	if q.template != "" {
		return protocol.TemplateRef(q.template)
	}
	return protocol.PromptRef(q.promptName)
}

func (c *connection) complete(cmd *cobra.Command, q *completion) error {
	var result *protocol.Completion
	err := c.run(cmd, func(ctx context.Context, conn *client.Client) (r report, err error) {
		if result, err = conn.Complete(ctx, q.ref(), q.argument, q.typed, q.known); err != nil {
			return report{}, err
		}
		r.document = connected(conn)
		r.Result = result
		r.text = func(p *page) {
			for _, value := range result.Values {
				p.WriteString(clean(value) + "\n")
			}
		}
		return r, nil
	})
	if err == nil && !c.json {
		noteMore(cmd.ErrOrStderr(), result)
	}
	return err
}

// noteMore tells what a completion leaves out.
func noteMore(w io.Writer, r *protocol.Completion) {
	switch {
	case len(r.Values) == 0:
		fmt.Fprintln(w, "mcpera: the server proposes nothing")
	case r.Total != nil && *r.Total > int64(len(r.Values)):
		fmt.Fprintf(w, "mcpera: %d of %d values; type more of it to see others\n", len(r.Values), *r.Total)
	case r.HasMore:
		fmt.Fprintln(w, "mcpera: there are more values; type more of it to see others")
	}
}
