package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A help text that wraps on a terminal of 80 columns is hard to read.
func TestHelpFits(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		var out bytes.Buffer
		if code := run(context.Background(), args, nil, &out, &out); code != exitDone {
			t.Errorf("%q: exit code %d", args, code)
		}
		for line := range strings.Lines(out.String()) {
			if columns(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%s --help: wider than 80 columns: %s", cmd.CommandPath(), line)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot())
}

// Every command that does something on its own shows how.
func TestHelpHasExamples(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		if cmd.Name() != "version" && cmd.Example == "" {
			t.Errorf("%s has no example", cmd.Name())
		}
		if cmd.Short == "" || cmd.ValidArgsFunction == nil {
			t.Errorf("%s lacks a short text, or says nothing about completing its arguments", cmd.Name())
		}
	}
}

func TestWantsJSON(t *testing.T) {
	for args, want := range map[string]bool{
		"probe --json":                 true,
		"probe --json=true http://h/":  true,
		"probe http://h/":              false,
		"probe -- server --json":       false,
		"probe --json=false -- server": false,
		"--json":                       true,
	} {
		if got := wantsJSON(strings.Fields(args)); got != want {
			t.Errorf("wantsJSON(%s) = %v", args, got)
		}
	}
}
