package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

func newTools() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "tools [URL] [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "List a server's tools",
		Long: `Tools lists all of a server's tools: the name, and the first line of what the
tool says it does. With --json it prints them whole, schemas included.`,
		Example: `  mcpera tools https://api.example.com/mcp
  mcpera tools -- npx -y @modelcontextprotocol/server-everything
  mcpera tools --json -- ./my-server | jq '.result.tools[].inputSchema'`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	c := newConnection(cmd)
	c.runs(cmd, listTools)
	return cmd
}

// A toolsResult is the result of tools as JSON.
type toolsResult struct {
	Tools []*protocol.Tool `json:"tools"`
}

func listTools(ctx context.Context, conn *client.Client) (report, error) {
	tools, err := collect(conn.Tools(ctx))
	if err != nil {
		return report{}, err
	}
	r := report{document: connected(conn)}
	r.Result = toolsResult{tools}
	r.text = func(p *page) { writeTools(p, tools) }
	return r, nil
}

func writeTools(p *page, tools []*protocol.Tool) {
	if len(tools) == 0 {
		p.WriteString("The server has no tools.\n")
		return
	}
	t := table{head: []string{"NAME", "DESCRIPTION"}}
	for _, tool := range tools {
		t.add(clean(tool.Name), summary(tool))
	}
	t.write(p)
}

// summary is what a tool says of itself, in a line.
func summary(tool *protocol.Tool) string {
	title := tool.Title
	if title == "" && tool.Annotations != nil {
		title = tool.Annotations.Title
	}
	return summarize(title, tool.Description)
}
