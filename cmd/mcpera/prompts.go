package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

func newPrompts() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "prompts [URL] [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "List a server's prompts",
		Long: `Prompts lists all of a server's prompts: the name, the arguments, those that
may be left out in brackets, and the first line of what the server says of it.
With --json it prints them whole.`,
		Example: `  mcpera prompts https://api.example.com/mcp
  mcpera prompts -- npx -y @modelcontextprotocol/server-everything
  mcpera prompts --json -- ./my-server | jq -r '.result.prompts[].name'`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	newConnection(cmd).runs(cmd, listPrompts)
	return cmd
}

// A promptsResult is the result of prompts as JSON.
type promptsResult struct {
	Prompts []*protocol.Prompt `json:"prompts"`
}

func listPrompts(ctx context.Context, conn *client.Client) (report, error) {
	prompts, err := collect(conn.Prompts(ctx))
	if err != nil {
		return report{}, err
	}
	r := report{document: connected(conn)}
	r.Result = promptsResult{prompts}
	r.text = func(p *page) { writePrompts(p, prompts) }
	return r, nil
}

func writePrompts(p *page, prompts []*protocol.Prompt) {
	if len(prompts) == 0 {
		p.WriteString("The server has no prompts.\n")
		return
	}
	t := table{head: []string{"NAME", "ARGUMENTS", "DESCRIPTION"}}
	for _, prompt := range prompts {
		t.add(clean(prompt.Name), orDash(argumentNames(prompt)), summarize(prompt.Title, prompt.Description))
	}
	t.write(p)
}

// argumentNames lists the blanks of a prompt.
func argumentNames(prompt *protocol.Prompt) string {
	names := make([]string, len(prompt.Arguments))
	for i, a := range prompt.Arguments {
		names[i] = clean(a.Name)
		if !a.Required {
			names[i] = "[" + names[i] + "]"
		}
	}
	return strings.Join(names, " ")
}
