package fleet

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 4 << 20

// A Config names servers. Parse and Load make one; a program may also fill it.
type Config struct {
	Servers []Server
	// Unknown are members of the file beside mcpServers, kept as they came.
	Unknown map[string]jsontext.Value
}

// A Server is how to reach one server: by a command, or at a URL. Printed or
// logged it shows no secret; as JSON it is whole.
type Server struct {
	// Name is the key in the file. It prefixes the names of the server's tools.
	Name string `json:"-"`
	// Type is "stdio", "http" (also "streamable-http") or "sse"; "" goes by
	// whether there is a URL. The client finds out the rest by itself.
	Type string `json:"type,omitempty"`

	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"` // beside what stdio passes on anyway
	Dir     string            `json:"cwd,omitempty"`

	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`

	// Disabled servers are not connected.
	Disabled bool `json:"disabled,omitempty"`
	// Unknown are members that this package does not know, kept as they came.
	Unknown jsontext.Value `json:",embed"`

	// Err is why the server can't be reached as it is described, nil for most. A
	// Fleet shows it as Failed.
	Err error `json:"-"`
}

// Load reads a configuration file of 4 MiB at most, as Parse does. Variables
// come from the environment of this process.
func Load(path string) (*Config, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxConfig {
		return nil, fmt.Errorf("%s: the file is larger than the limit of %d bytes", path, maxConfig)
	}
	c, err := Parse(data, os.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Parse reads a configuration: a JSON object with an object mcpServers (or
// servers), whose members are the servers by name. They come out sorted.
//
// In command, args, env, cwd, url and headers ${NAME} and ${env:NAME} become
// the variable's value, and ${NAME:-text} becomes text where the variable is not
// set. Variables are looked up with lookup, nil stands for none. One that is not
// set and has no such text is an error.
//
// An error means that the whole is no configuration. What is wrong with one
// server stands in its Err and does not fail the others: see Config.Err.
func Parse(data []byte, lookup func(string) (string, bool)) (*Config, error) {
	var file map[string]jsontext.Value
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("the configuration is not a JSON object: %w", plainly(err))
	}
	key := "mcpServers"
	if _, ok := file[key]; !ok {
		key = "servers"
	}
	listed, ok := file[key]
	if !ok {
		return nil, errors.New("the configuration has no mcpServers")
	}
	delete(file, key)
	var servers map[string]jsontext.Value
	if err := json.Unmarshal(listed, &servers); err != nil {
		return nil, fmt.Errorf("%s is not a JSON object: %w", key, plainly(err))
	}
	c := &Config{Unknown: file}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		c.Servers = append(c.Servers, describe(name, servers[name], lookup))
	}
	return c, nil
}

// describe reads the description of one server.
func describe(name string, description jsontext.Value, lookup func(string) (string, bool)) Server {
	var s Server
	err := plainly(json.Unmarshal(description, &s))
	s.Name = name
	if err == nil {
		err = s.expand(lookup)
	}
	if err == nil {
		err = s.check()
	}
	s.Err = err
	return s
}

// plainly leaves out what stood in the file: it may be a secret.
func plainly(err error) error {
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	where, what := "it", e.JSONKind.String()
	if e.JSONPointer != "" {
		where = protocol.Quote(e.JSONPointer)
	}
	switch e.JSONKind {
	case '[':
		what = "list"
	case '{':
		what = "object"
	}
	return fmt.Errorf("%s can't be of type %s", where, what)
}

// Err returns what is wrong with the servers, nil when nothing is: for programs
// that would rather fail than go on without one of them.
func (c *Config) Err() error {
	var errs []error
	for _, s := range c.Servers {
		if s.Err != nil {
			errs = append(errs, fmt.Errorf("server %s: %w", protocol.Quote(s.Name), s.Err))
		}
	}
	return errors.Join(errs...)
}

// check reports why a server can't be reached as it is described.
func (s *Server) check() error {
	switch {
	case s.Name == "":
		return errors.New("the name is empty")
	case s.Command != "" && s.URL != "":
		return errors.New("it has both a command and a url")
	case s.Command == "" && s.URL == "":
		return errors.New("it has neither a command nor a url")
	}
	switch s.Type {
	case "":
	case "stdio":
		if s.Command == "" {
			return errors.New("its type is stdio, but it has no command")
		}
	case "http", "streamable-http", "streamableHttp", "sse":
		if s.URL == "" {
			return fmt.Errorf("its type is %s, but it has no url", s.Type)
		}
	default:
		return fmt.Errorf("its type %s is not known: name stdio, http or sse", protocol.Quote(s.Type))
	}
	return nil
}

// UnknownKeys returns the members of the server's description that this package
// does not know, sorted: perhaps misspelled, perhaps another client's.
func (s *Server) UnknownKeys() []string {
	var members map[string]jsontext.Value
	if len(s.Unknown) == 0 || json.Unmarshal(s.Unknown, &members) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(members))
}
