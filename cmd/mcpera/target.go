package main

import (
	"fmt"
	"io"
	"net/textproto"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// A target is the server that a command line names: a URL or a command.
type target struct {
	url     string
	headers []string // "Name: value"; the values are secrets
	command []string // what follows --
	entry            // where a configuration file names it
}

func (t *target) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.url, "url", "", "the server's `URL`; or name a command after --")
	t.registerHeaders(cmd)
}

func (t *target) registerHeaders(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&t.headers, "header", "H", nil, "send `'Name: value'` each time (repeatable)")
	t.entry.register(cmd)
}

// take moves what names the server out of a command's arguments and returns
// the rest. Where urlArgument is set, the URL may be the first argument.
func (t *target) take(cmd *cobra.Command, args []string, urlArgument bool) ([]string, error) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		args, t.command = args[:dash], args[dash:]
		if len(t.command) == 0 {
			return nil, usagef("there is no command after --")
		}
	}
	if urlArgument && len(args) > 0 && !t.entry.given() {
		if t.url != "" {
			return nil, usagef("the URL is given twice: as an argument and by --url")
		}
		t.url, args = args[0], args[1:]
	}
	if t.entry.given() {
		if t.url != "" || t.command != nil {
			return nil, usagef("name one server: by --config, or by a URL or a command")
		}
		if err := t.load(); err != nil {
			return nil, err
		}
	}
	switch {
	case t.url == "" && t.command == nil:
		return nil, usagef("name a server: --url URL, or a command after --")
	case t.url != "" && t.command != nil:
		return nil, usagef("name one server: a URL or a command after --, not both")
	case t.command != nil && len(t.headers) > 0:
		return nil, usagef("--header is for a URL; a command takes no headers")
	}
	return args, nil
}

// The command line waits for a server's end less patiently than a program
// would: many servers do not leave by themselves, and a person is waiting.
const (
	afterStdin = 2 * time.Second
	afterTerm  = 2 * time.Second
)

// transport makes the transport to the server. A command's standard error goes
// to serverErr too, unless it is nil; opts are for a URL.
func (t *target) transport(serverErr io.Writer, opts ...mcphttp.Option) (transport.Transport, error) {
	if t.command != nil {
		cmd := exec.Command(t.command[0], t.command[1:]...)
		cmd.Stderr = serverErr
		cmd.Dir = t.dir
		return stdio.New(cmd, stdio.WithShutdown(afterStdin, afterTerm), t.environment())
	}
	for _, h := range t.headers {
		name, value, err := splitHeader(h)
		if err != nil {
			return nil, err
		}
		opts = append(opts, mcphttp.WithHeader(name, value))
	}
	if !strings.Contains(t.url, "://") {
		return nil, usagef("a URL begins with https:// or http://; a server's command goes after --")
	}
	tr, err := mcphttp.New(t.url, opts...)
	if err != nil {
		return nil, &usageError{strings.TrimPrefix(err.Error(), "http: ")}
	}
	return tr, nil
}

// splitHeader takes "Name: value" apart. Its error repeats nothing: what is
// malformed may be the secret itself.
func splitHeader(h string) (name, value string, err error) {
	name, value, ok := strings.Cut(h, ":")
	if !ok || name == "" || strings.ContainsAny(name, " \t=\"'") {
		return "", "", usagef("--header needs the form 'Name: value'")
	}
	return name, strings.TrimSpace(value), nil
}

// describe names the server and the headers it gets, without their values.
func (t *target) describe(tr transport.Transport) string {
	s := fmt.Sprintf("server %s over %s", clean(tr.Target().String()), tr.Kind())
	for i, h := range t.headers {
		name, _, _ := strings.Cut(h, ":")
		s += []string{", with header ", ", "}[min(i, 1)] + textproto.CanonicalMIMEHeaderKey(name)
	}
	return s + t.entry.remark()
}
