package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

func newResources() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "resources [URL] [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "List a server's resources and resource templates",
		Long: `Resources lists all of a server's resources, and the templates that stand for
more of them: the URI, the type, and the first line of what the server says of
each. With --json it prints them whole.`,
		Example: `  mcpera resources https://api.example.com/mcp
  mcpera resources -- npx -y @modelcontextprotocol/server-everything
  mcpera resources --json -- ./my-server | jq -r '.result.resources[].uri'`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	newConnection(cmd).runs(cmd, listResources)
	return cmd
}

// A resourcesResult is the result of resources as JSON.
type resourcesResult struct {
	Resources []*protocol.Resource         `json:"resources"`
	Templates []*protocol.ResourceTemplate `json:"resourceTemplates"`
}

func listResources(ctx context.Context, conn *client.Client) (report, error) {
	resources, err := collect(conn.Resources(ctx))
	if err != nil {
		return report{}, err
	}
	templates, err := collect(conn.ResourceTemplates(ctx))
	if err != nil && !isUnknownMethod(err) {
		return report{}, err
	}
	r := report{document: connected(conn)}
	r.Result = resourcesResult{resources, templates}
	r.text = func(p *page) { writeResources(p, resources, templates) }
	return r, nil
}

// isUnknownMethod: many servers with resources know nothing of templates, and
// nothing declares those.
func isUnknownMethod(err error) bool {
	e, ok := errors.AsType[*transport.ServerError](err)
	return ok && e.Err.Code == protocol.CodeMethodNotFound
}

func writeResources(p *page, resources []*protocol.Resource, templates []*protocol.ResourceTemplate) {
	if len(resources) == 0 && len(templates) == 0 {
		p.WriteString("The server has no resources.\n")
		return
	}
	if len(resources) > 0 {
		t := table{head: []string{"URI", "TYPE", "DESCRIPTION"}}
		for _, r := range resources {
			t.add(clean(r.URI), orDash(clean(r.MIMEType)), summarize(titleOr(r.Title, r.Name), r.Description))
		}
		t.write(p)
	}
	if len(templates) > 0 {
		if len(resources) > 0 {
			p.WriteByte('\n')
		}
		t := table{head: []string{"TEMPLATE", "TYPE", "DESCRIPTION"}}
		for _, r := range templates {
			t.add(clean(r.URITemplate), orDash(clean(r.MIMEType)), summarize(titleOr(r.Title, r.Name), r.Description))
		}
		t.write(p)
	}
}

// titleOr is a title, or the name of what has none.
func titleOr(title, name string) string {
	if title == "" {
		return name
	}
	return title
}
