package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

func newCall() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "call TOOL [JSON] [flags] [-- COMMAND [ARG...]]",
		GroupID: groupTalk,
		Short:   "Call a tool",
		Long: `Call calls a tool and prints the text of its result; when there is none, the
structured content. JSON is an object with the tool's arguments: as it stands,
"-" to read it from standard input, or "@FILE" to read it from a file. Numbers
and the order of members are sent and printed as they are.

The exit code is 1 when the tool says that it failed, and 4 when the result does
not fit the tool's output schema: it is printed all the same, and the error
stands beside it. What a tool's schema is only its list says: see --check.`,
		Example: `  mcpera call echo '{"message":"hi"}' --url http://127.0.0.1:8080/mcp
  mcpera call search @query.json --url https://api.example.com/mcp
  jq -n '{path:"."}' | mcpera call list_directory - -- ./my-server
  mcpera call whoami --json --url http://127.0.0.1:8080/mcp | jq .result`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	var check bool
	cmd.Flags().BoolVar(&check, "check", false, "list the tools first, and check the result by\nthe tool's output schema")
	c := newConnection(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rest, err := c.take(cmd, args, false)
		if err != nil {
			return err
		}
		if len(rest) == 0 || len(rest) > 2 {
			return usagef("call takes the name of a tool and at most one JSON object")
		}
		arguments, err := readArguments(cmd.Context(), cmd.InOrStdin(), rest[1:])
		if err != nil {
			return err
		}
		return c.call(cmd, callRequest{rest[0], arguments, check})
	}
	return cmd
}

// A callRequest is what call does.
type callRequest struct {
	tool      string
	arguments jsontext.Value
	check     bool // list the tools first, so that the output schema is known
}

// call calls the tool and prints its result, whether it failed or not, and
// whether it fits the output schema or not.
func (c *connection) call(cmd *cobra.Command, q callRequest) error {
	var result *protocol.CallToolResult
	var misfit *fault
	err := c.run(cmd, func(ctx context.Context, conn *client.Client) (r report, err error) {
		if result, misfit, err = q.send(ctx, conn, newBar(cmd.ErrOrStderr())); err != nil {
			return report{}, err
		}
		r.document = connected(conn)
		r.Result, r.Error = result, misfit
		r.text = func(p *page) { writeResult(p, result) }
		return r, nil
	})
	if err != nil {
		return err
	}
	if !c.json {
		noteRest(cmd.ErrOrStderr(), result)
		if misfit != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "mcpera: warning: "+misfit.Message)
		}
	}
	switch {
	case misfit != nil:
		return reported(misfit.exit)
	case result.IsError:
		return errReported
	default:
		return nil
	}
}

// send makes the call. A result that does not fit the output schema comes with
// a fault that says so.
func (q callRequest) send(ctx context.Context, conn *client.Client, progress *bar) (*protocol.CallToolResult, *fault, error) {
	if q.check {
		if _, err := collect(conn.Tools(ctx)); err != nil {
			return nil, nil, err
		}
	}
	result, err := conn.CallTool(ctx, q.tool, q.arguments, progress.options()...)
	progress.clear()
	if misfit, ok := errors.AsType[*client.OutputError](err); ok && result != nil {
		f := diagnose(misfit)
		return result, &f, nil
	}
	return result, nil, err
}

// writeResult prints a tool's text, or its structured content when it has no
// text. On a terminal, control characters are left out.
func writeResult(p *page, r *protocol.CallToolResult) {
	text := r.Text()
	if text == "" && len(r.StructuredContent) > 0 {
		text = indented(r.StructuredContent)
	}
	if text == "" {
		return
	}
	if p.width > 0 {
		text = strip(text, "\n\t")
	}
	p.WriteString(strings.TrimSuffix(text, "\n") + "\n")
}

// noteRest tells what of a result writeResult does not print.
func noteRest(w io.Writer, r *protocol.CallToolResult) {
	for _, block := range r.Content {
		if _, ok := block.(*protocol.TextContent); !ok {
			fmt.Fprintf(w, "mcpera: not shown: %s (--json has it)\n", describe(block))
		}
	}
	if r.IsError {
		fmt.Fprintln(w, "mcpera: the tool says that it failed")
	}
}

// indented sets JSON for reading. Numbers and order stay.
func indented(v jsontext.Value) string {
	v = v.Clone()
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return string(v)
	}
	return string(v)
}

// describe names a block without text.
func describe(block protocol.Content) string {
	switch b := block.(type) {
	case *protocol.ImageContent:
		return fmt.Sprintf("an image, %s, %d bytes", clean(b.MIMEType), len(b.Data))
	case *protocol.AudioContent:
		return fmt.Sprintf("audio, %s, %d bytes", clean(b.MIMEType), len(b.Data))
	case *protocol.ResourceLink:
		return "a link to " + clean(b.URI)
	case *protocol.EmbeddedResource:
		return "the resource " + clean(b.Resource.URI)
	default:
		return "content of type " + clean(block.ContentType())
	}
}
