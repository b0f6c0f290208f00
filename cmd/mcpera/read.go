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

func newRead() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "read URI [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "Read a resource",
		Long: `Read prints what a resource holds. Into a file or a pipe it goes as it is, byte
by byte, text or not, one part after the other. On a terminal a part that is no
text is only named.`,
		Example: `  mcpera read file:///README.md --url https://api.example.com/mcp
  mcpera read file:///logo.png --url https://api.example.com/mcp > logo.png
  mcpera read test://static-text --json -- mcpera serve --stdio`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	c := newConnection(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rest, err := c.take(cmd, args, false)
		if err != nil {
			return err
		}
		if len(rest) != 1 {
			return usagef("read takes the URI of a resource and nothing else; the server's own goes to --url")
		}
		return c.read(cmd, rest[0])
	}
	return cmd
}

func (c *connection) read(cmd *cobra.Command, uri string) error {
	return c.run(cmd, func(ctx context.Context, conn *client.Client) (report, error) {
		result, err := conn.ReadResource(ctx, uri)
		if err != nil {
			return report{}, err
		}
		noteDropped(cmd.ErrOrStderr(), result.Contents.Dropped)
		r := report{document: connected(conn)}
		r.Result = result
		r.text = func(p *page) { writeContents(p, cmd.ErrOrStderr(), result) }
		return r, nil
	})
}

// writeContents prints the parts of a resource, and names on notes those that
// a terminal is spared.
func writeContents(p *page, notes io.Writer, r *protocol.ReadResourceResult) {
	for _, part := range r.Contents.Items {
		switch {
		case p.width == 0:
			p.WriteString(part.Text)
			p.Write(part.Blob)
		case len(part.Blob) > 0:
			fmt.Fprintf(notes, "mcpera: not shown: %s, %d bytes (send it to a file, or use --json)\n",
				orDash(clean(part.MIMEType)), len(part.Blob))
		default:
			p.WriteString(strings.TrimSuffix(strip(part.Text, "\n\t"), "\n") + "\n")
		}
	}
}
