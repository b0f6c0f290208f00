package main

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
)

// runs makes cmd a command that takes a server and nothing else.
func (c *connection) runs(cmd *cobra.Command, work func(context.Context, *client.Client) (report, error)) {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		rest, err := c.take(cmd, args, true)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return usagef("%s takes one URL and nothing else; a command goes after --", cmd.Name())
		}
		return c.run(cmd, work)
	}
}

// collect reads a list to its end.
func collect[T any](items iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// summarize is what something says of itself, in a line.
func summarize(title, description string) string {
	title, description = clean(title), firstLine(description)
	switch {
	case title == "" || title == description:
		return description
	case description == "":
		return title
	default:
		return title + ": " + description
	}
}

// noteDropped warns of what of a result could not be read.
func noteDropped(w io.Writer, dropped []error) {
	for _, err := range dropped {
		fmt.Fprintf(w, "mcpera: warning: left out what can't be read: %s\n", clean(err.Error()))
	}
}
