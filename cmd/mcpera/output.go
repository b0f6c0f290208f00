package main

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

// output holds the flags of every command that prints a report.
type output struct {
	json    bool
	verbose bool
}

func (o *output) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON document")
}

func (o *output) registerVerbose(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "tell on stderr what is sent and received, and\nwhich rule decided")
}

// A document is what --json prints: what was found, or an error.
type document struct {
	Era     string                   `json:"era,omitempty"`
	Version string                   `json:"version,omitempty"`
	Server  *protocol.Implementation `json:"server,omitzero"`
	Result  any                      `json:"result,omitzero"`
	Error   *fault                   `json:"error,omitzero"`
}

// connected starts the document of a command that has connected.
func connected(c *client.Client) document {
	info := c.ServerInfo()
	return document{Era: c.Era().String(), Version: c.ProtocolVersion(), Server: &info}
}

// writeDocument prints all of d or nothing.
func writeDocument(w io.Writer, d document) error {
	text, err := json.Marshal(d, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// writeLine is writeDocument on one line, for commands that print several
// documents.
func writeLine(w io.Writer, d document) error {
	text, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// printsLines annotates commands whose documents are lines.
const printsLines = "documents are lines"

// A report is what a command found, in both of its forms.
type report struct {
	document
	text func(*page) // writes it for people
}

// A page collects text for people.
type page struct {
	bytes.Buffer
	// width is the terminal's, in columns; 0 when the text goes elsewhere, and
	// must then be whole and as it came.
	width int
}

// print writes the report to the command's standard output.
func (o *output) print(cmd *cobra.Command, r report) error {
	out := cmd.OutOrStdout()
	if o.json {
		return writeDocument(out, r.document)
	}
	p := page{width: terminalWidth(out)}
	r.text(&p)
	_, err := p.WriteTo(out)
	return err
}
