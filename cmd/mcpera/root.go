package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// run is the whole command: it returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newRoot()
	root.SetArgs(append([]string{}, args...)) // nil would stand for os.Args
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(ctx)
	var said reported
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &said):
		return int(said)
	case ctx.Err() != nil:
		err = errInterrupted // whatever else failed, failed for that
	}
	f := diagnose(err)
	_, lines := cmd.Annotations[printsLines]
	switch {
	case wantsJSON(args) && lines:
		_ = writeLine(out, document{Error: &f}) // with stdout gone, the exit code is what is left
	case wantsJSON(args):
		_ = writeDocument(out, document{Error: &f})
	default:
		fmt.Fprintln(errOut, wrap(f.paragraph(cmd.CommandPath()), terminalWidth(errOut)))
	}
	return f.exit
}

// wantsJSON looks for --json in the arguments themselves, since the ones that
// can't be parsed get a JSON error too.
func wantsJSON(args []string) bool {
	if dash := slices.Index(args, "--"); dash >= 0 {
		args = args[:dash]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// Groups of commands in the help.
const (
	groupTalk = "talk"
	groupTry  = "try"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpera",
		Short: "Talk to MCP servers of both eras",
		Long: `mcpera talks to MCP servers of both eras, the modern one (2026-07-28 and later)
and the legacy one (2025-11-25 and earlier), and finds out by itself which one
a server speaks.

A server is a URL, or a command to run: everything that follows "--", or one of
the servers of an mcpServers file: --config FILE --server NAME.`,
		Example: `  # see it work on six servers that come with it
  mcpera demo

  # which era does a server speak, and what says so?
  mcpera probe https://api.example.com/mcp
  mcpera probe -v -- npx -y @modelcontextprotocol/server-everything

  # what is wrong with it, and what can I do?
  mcpera doctor --config mcp.json --server github

  # what can it do?
  mcpera tools https://api.example.com/mcp -H "Authorization: Bearer $TOKEN"

  # call a tool, with arguments from the command line, a file or a pipe
  mcpera call echo '{"message":"hi"}' --url http://127.0.0.1:8080/mcp
  mcpera call search @query.json --json -- ./my-server | jq .result

  # read a resource, fill a prompt, hear of changes
  mcpera read file:///README.md --url http://127.0.0.1:8080/mcp
  mcpera prompt greet name=Ada -- ./my-server
  mcpera listen http://127.0.0.1:8080/mcp

  # a server to test against
  mcpera serve --addr 127.0.0.1:8080

Exit codes:
  0  done
  1  the tool, or the server in its place, said that the call failed
  2  wrong usage
  3  no connection: refused, unauthorized, unavailable, not started, no answer
     in time, no common version
  4  the server broke the protocol
  130  interrupted`,
		Args:          knownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,

		DisableFlagsInUseLine: true,
	}
	root.SetFlagErrorFunc(badFlag)
	root.AddGroup(
		&cobra.Group{ID: groupTalk, Title: "Talk to a server:"},
		&cobra.Group{ID: groupTry, Title: "Try it:"},
	)
	root.AddCommand(newProbe(), newDoctor(), newTools(), newCall(), newResources(), newRead(), newPrompts(), newPrompt(), newComplete(), newListen())
	root.AddCommand(newLogin(), newLogout())
	root.AddCommand(newDemo(), newServe(), newVersion())
	return root
}

// badFlag is the error of flags that can't be parsed.
func badFlag(cmd *cobra.Command, err error) error {
	text := err.Error()
	if cmd.Flags().Lookup("url") != nil {
		text += "; a server's command and its flags go after --"
	}
	return &usageError{text}
}

// knownCommand refuses what is no subcommand. A URL is not repeated: it may
// hold a secret.
func knownCommand(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case strings.Contains(args[0], "://"):
		return usagef(`a URL needs a command before it, such as "mcpera probe URL"`)
	}
	text := fmt.Sprintf("there is no command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	return &usageError{text}
}
