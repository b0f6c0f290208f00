package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

func newPrompt() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "prompt NAME [KEY=VALUE...] [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "Get a prompt with its blanks filled",
		Long: `Prompt fills a prompt with the arguments that are given and prints its messages,
each under the role that says it. What is no text is named in its place.`,
		Example: `  mcpera prompt review --url https://api.example.com/mcp
  mcpera prompt greet name=Ada 'tone=very polite' -- ./my-server
  mcpera prompt greet name=Ada --json -- ./my-server | jq .result.messages`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	c := newConnection(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rest, err := c.take(cmd, args, false)
		if err != nil {
			return err
		}
		if len(rest) == 0 {
			return usagef("prompt takes the name of a prompt, and its arguments as KEY=VALUE")
		}
		values, err := pairs(rest[1:])
		if err != nil {
			return err
		}
		return c.prompt(cmd, rest[0], values)
	}
	return cmd
}

func (c *connection) prompt(cmd *cobra.Command, name string, values map[string]string) error {
	return c.run(cmd, func(ctx context.Context, conn *client.Client) (report, error) {
		result, err := conn.GetPrompt(ctx, name, values)
		if err != nil {
			return report{}, err
		}
		noteDropped(cmd.ErrOrStderr(), result.Messages.Dropped)
		r := report{document: connected(conn)}
		r.Result = result
		r.text = func(p *page) { writeMessages(p, result.Messages.Items) }
		return r, nil
	})
}

// pairs reads arguments of the form KEY=VALUE.
func pairs(args []string) (map[string]string, error) {
	values := make(map[string]string, len(args))
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return nil, usagef("the argument %q has not the form KEY=VALUE", arg)
		}
		if _, twice := values[key]; twice {
			return nil, usagef("the argument %q is given twice", key)
		}
		values[key] = value
	}
	return values, nil
}

// writeMessages prints each message under its role.
func writeMessages(p *page, messages []protocol.PromptMessage) {
	for i, m := range messages {
		if i > 0 {
			p.WriteByte('\n')
		}
		p.WriteString("[" + clean(m.Role) + "]\n")
		for _, block := range m.Content {
			text := textOf(block)
			if p.width > 0 {
				text = strip(text, "\n\t")
			}
			p.WriteString(strings.TrimSuffix(text, "\n") + "\n")
		}
	}
}

// textOf is the text of a block, or what it is when it has none.
func textOf(block protocol.Content) string {
	switch b := block.(type) {
	case *protocol.TextContent:
		return b.Text
	case *protocol.EmbeddedResource:
		if b.Resource.Text != "" {
			return b.Resource.Text
		}
	}
	return "(" + describe(block) + ")"
}
