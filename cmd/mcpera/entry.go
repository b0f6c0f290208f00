package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpera/mcpera/fleet"
	"github.com/mcpera/mcpera/transport/stdio"
)

// An entry is a server that a configuration file describes, in the mcpServers
// form of many programs.
type entry struct {
	config string // the file
	server string // the server's name there

	loaded  bool
	dir     string
	env     []string // "NAME=value"; the values are secrets
	unknown []string // members that are not known
}

func (e *entry) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.config, "config", "", "take the server from a `FILE` with mcpServers")
	cmd.Flags().StringVar(&e.server, "server", "", "`NAME` of the server in --config, if it has more\nthan one")
	// It can only fail for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("server", e.complete)
}

// given reports whether the command line names a server this way.
func (e *entry) given() bool { return e.config != "" || e.server != "" }

// load makes the entry the target, as if it stood on the command line.
func (t *target) load() error {
	s, err := t.find()
	if err != nil {
		return err
	}
	t.loaded = true
	t.url, t.dir, t.unknown = s.URL, s.Dir, s.UnknownKeys()
	if s.Command != "" {
		t.command = append([]string{s.Command}, s.Args...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		t.env = append(t.env, name+"="+s.Env[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		t.headers = append(t.headers, name+": "+s.Headers[name])
	}
	return nil
}

// find reads the file and picks the server.
func (e *entry) find() (*fleet.Server, error) {
	if e.config == "" {
		return nil, usagef("--server needs --config FILE")
	}
	c, err := fleet.Load(e.config)
	if err != nil {
		return nil, usagef("--config: %v", err)
	}
	s, err := pick(c.Servers, e.server)
	if err == nil && s.Err != nil {
		err = usagef("--config: server %q: %v", s.Name, s.Err)
	}
	return s, err
}

// pick returns the server with a name. Without a name it is the only one; those
// that are disabled do not count then.
func pick(servers []fleet.Server, name string) (*fleet.Server, error) {
	var names []string
	var found *fleet.Server
	for i := range servers {
		s := &servers[i]
		if s.Name == name && name != "" {
			return s, nil
		}
		if name != "" || !s.Disabled {
			names = append(names, s.Name)
			found = s
		}
	}
	switch {
	case len(names) == 0:
		return nil, usagef("--config: the file has no server that is enabled")
	case name != "":
		return nil, usagef("--config: there is no server %q; there are %s", name, strings.Join(names, ", "))
	case len(names) > 1:
		return nil, usagef("--config: pick one by --server: %s", strings.Join(names, ", "))
	}
	return found, nil
}

// environment is what a server's command gets: what the shell would give it, or
// for one of a file what it gets from the programs that read the file.
func (e *entry) environment() stdio.Option {
	if e.loaded {
		return stdio.WithEnv(e.env...)
	}
	return stdio.WithInheritedEnv()
}

// remark names what of the description is not known: it may be misspelled.
func (e *entry) remark() string {
	if len(e.unknown) == 0 {
		return ""
	}
	return "; not known in the file: " + clean(strings.Join(e.unknown, ", "))
}

// complete lets the shell complete names of servers.
func (e *entry) complete(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if c, err := fleet.Load(e.config); err == nil {
		for _, s := range c.Servers {
			names = append(names, s.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
