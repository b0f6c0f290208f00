package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

// A listening is what listen asks a server to tell of.
type listening struct {
	tools, prompts, resources bool
	uris                      []string
}

func newListen() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "listen [URL] [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "Print changes as the server tells of them",
		Long: `Listen prints a line for each change that the server tells of, as it comes: of
its lists of tools, prompts and resources, or only of those that are named, and
of what the resources hold that --uri names. A connection that breaks is made
again, and a line says that changes may have been missed.

It ends with the server's end of the subscription, or on Ctrl-C with exit code
130. With --json each line is a document; the first tells what is granted.`,
		Example: `  mcpera listen https://api.example.com/mcp
  mcpera listen --tools -- ./my-server
  mcpera listen --uri file:///a.txt --uri file:///b.txt -- ./my-server
  mcpera listen --json -- ./my-server | jq --unbuffered -r .result.kind`,
		Annotations:       map[string]string{printsLines: ""},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	l := new(listening)
	f := cmd.Flags()
	f.BoolVar(&l.tools, "tools", false, "changes of the list of tools")
	f.BoolVar(&l.prompts, "prompts", false, "changes of the list of prompts")
	f.BoolVar(&l.resources, "resources", false, "changes of the list of resources")
	f.StringArrayVar(&l.uris, "uri", nil, "changes of the resource at `URI` (repeatable)")
	c := newConnection(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rest, err := c.take(cmd, args, true)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return usagef("listen takes one URL and nothing else; a command goes after --")
		}
		return c.listen(cmd, l.filter())
	}
	return cmd
}

// filter names all lists when nothing else is named.
func (l *listening) filter() protocol.SubscriptionFilter {
	all := !l.tools && !l.prompts && !l.resources && len(l.uris) == 0
	return protocol.SubscriptionFilter{
		ToolsListChanged:      l.tools || all,
		PromptsListChanged:    l.prompts || all,
		ResourcesListChanged:  l.resources || all,
		ResourceSubscriptions: l.uris,
	}
}

// listen prints changes until the subscription ends. That it ends is no fault.
func (c *connection) listen(cmd *cobra.Command, filter protocol.SubscriptionFilter) error {
	return c.use(cmd, func(ctx context.Context, conn *client.Client) error {
		for change, err := range conn.Subscribe(ctx, filter) {
			switch {
			case errors.Is(err, client.ErrSubscriptionEnded):
				fmt.Fprintln(cmd.ErrOrStderr(), "mcpera: the server ended the subscription")
				return nil
			case err != nil:
				return err
			case change.Kind == client.Acknowledged || change.Kind == client.Gap:
				noteRefused(cmd.ErrOrStderr(), filter, change.Granted)
			}
			if err := c.printChange(cmd.OutOrStdout(), conn, change); err != nil {
				return err
			}
		}
		return nil
	})
}

// A changeResult is the result of a line of listen as JSON.
type changeResult struct {
	Time    time.Time                    `json:"time"`
	Kind    client.ChangeKind            `json:"kind"`
	URI     string                       `json:"uri,omitempty"`
	Granted *protocol.SubscriptionFilter `json:"granted,omitzero"`
}

func (c *connection) printChange(w io.Writer, conn *client.Client, change client.Change) error {
	now := time.Now()
	if !c.json {
		text := cut(now.Format(time.TimeOnly)+"  "+changeText(change), terminalWidth(w))
		_, err := fmt.Fprintln(w, text)
		return err
	}
	result := changeResult{Time: now, Kind: change.Kind, URI: change.URI}
	d := document{Result: &result}
	if change.Kind == client.Acknowledged {
		d = connected(conn)
		d.Result = &result
	}
	if change.Kind == client.Acknowledged || change.Kind == client.Gap {
		result.Granted = &change.Granted
	}
	return writeLine(w, d)
}

// changeText says in a line what has changed.
func changeText(change client.Change) string {
	switch change.Kind {
	case client.Acknowledged:
		return "listening for changes of " + strings.Join(filterNames(change.Granted), ", ")
	case client.Gap:
		return "the connection was lost and is there again; changes may have been missed"
	case client.ResourceUpdated:
		return "the resource " + clean(change.URI) + " has changed"
	default:
		return "the list of " + string(change.Kind) + " has changed"
	}
}

// filterNames lists what a filter names.
func filterNames(f protocol.SubscriptionFilter) []string {
	var names []string
	for _, list := range []struct {
		name string
		in   bool
	}{{"tools", f.ToolsListChanged}, {"prompts", f.PromptsListChanged}, {"resources", f.ResourcesListChanged}} {
		if list.in {
			names = append(names, list.name)
		}
	}
	for _, uri := range f.ResourceSubscriptions {
		names = append(names, clean(uri))
	}
	return names
}

// noteRefused warns of what the server will not tell of although it was asked.
func noteRefused(w io.Writer, asked, granted protocol.SubscriptionFilter) {
	told := filterNames(granted)
	refused := slices.DeleteFunc(filterNames(asked), func(name string) bool { return slices.Contains(told, name) })
	if len(refused) > 0 {
		fmt.Fprintf(w, "mcpera: warning: the server does not tell of changes of %s\n", strings.Join(refused, ", "))
	}
}
