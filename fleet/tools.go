package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

// A Tool is a tool of one of the servers.
type Tool struct {
	Name       string // unique in the fleet; see ToolName
	Server     string // the server's name in the configuration
	Definition *protocol.Tool
}

// Tools returns the tools of all servers, in the order of the configuration,
// and what failed, by server: the tools of the others are there all the same, and
// so are those that came before an error. opts go to each server.
func (f *Fleet) Tools(ctx context.Context, opts ...client.CallOption) ([]Tool, map[string]error) {
	return f.list(ctx, f.members, opts...)
}

// list is Tools for some servers.
func (f *Fleet) list(ctx context.Context, members []*member, opts ...client.CallOption) ([]Tool, map[string]error) {
	listed := make(map[string][]Tool, len(members))
	var mu sync.Mutex
	failed := f.each(ctx, members, func(ctx context.Context, m *member) error {
		tools, err := f.serverTools(ctx, m.server.Name, opts)
		f.tools.note(m.server.Name, tools, err == nil)
		mu.Lock()
		defer mu.Unlock()
		listed[m.server.Name] = tools
		return err
	})
	var all []Tool
	for _, m := range members {
		all = append(all, listed[m.server.Name]...)
	}
	return all, failed
}

func (f *Fleet) serverTools(ctx context.Context, server string, opts []client.CallOption) (tools []Tool, err error) {
	seen := make(map[string]bool)
	err = f.With(ctx, server, func(c *client.Client) error {
		for tool, err := range c.Tools(ctx, opts...) {
			if err != nil {
				return err
			}
			if seen[tool.Name] { // model providers refuse a name that comes twice
				f.config.log.Warn("a server lists a tool twice; the first counts", "server", server, "tool", protocol.Quote(tool.Name))
				continue
			}
			seen[tool.Name] = true
			tools = append(tools, Tool{Name: ToolName(server, tool.Name), Server: server, Definition: tool})
		}
		return nil
	})
	return tools, err
}

// CallTool calls a tool by its name in the fleet. args and opts are as for
// client.Client.CallTool, and so are the result and its errors, which come with
// the server's name. Where a name has not been listed in this fleet, those
// servers are asked for their tools whose it may be, and their caches are not.
func (f *Fleet) CallTool(ctx context.Context, name string, args any, opts ...client.CallOption) (*protocol.CallToolResult, error) {
	server, tool, ok := f.tools.find(name)
	if !ok {
		_, failed := f.list(ctx, f.owners(name), client.Cache(client.CacheRefresh))
		if server, tool, ok = f.tools.find(name); !ok {
			return nil, &UnknownToolError{Name: name, Failed: failed}
		}
	}
	var result *protocol.CallToolResult
	err := f.With(ctx, server, func(c *client.Client) (err error) {
		result, err = c.CallTool(ctx, tool, args, opts...)
		return err
	})
	return result, err
}

// owners returns the servers whose tool may have a name.
func (f *Fleet) owners(name string) []*member {
	var owners []*member
	for _, m := range f.members {
		if mayName(name, m.server.Name) {
			owners = append(owners, m)
		}
	}
	return owners
}

// An UnknownToolError means that no server lists a tool of that name: a model
// made it up, say, or the server no longer has it.
type UnknownToolError struct {
	Name string
	// Failed are the servers that could not be asked, with why: the tool may be
	// one of theirs.
	Failed map[string]error
}

func (e *UnknownToolError) Error() string {
	s := fmt.Sprintf("fleet: no server has a tool %s", protocol.Quote(e.Name))
	if len(e.Failed) > 0 {
		s += fmt.Sprintf("; could not ask %s", protocol.Quote(strings.Join(slices.Sorted(maps.Keys(e.Failed)), ", ")))
	}
	return s
}

// Unwrap returns why servers could not be asked.
func (e *UnknownToolError) Unwrap() []error { return slices.Collect(maps.Values(e.Failed)) }

// A directory finds the owner of a tool by its name in the fleet. It holds what
// each server listed last.
type directory struct {
	mu      sync.Mutex
	servers map[string]map[string]string // by server, the tool by its name in the fleet
}

// note keeps what a server listed: all that it has, or what came before an
// error.
func (d *directory) note(server string, tools []Tool, all bool) {
	names := make(map[string]string, len(tools))
	for _, tool := range tools {
		names[tool.Name] = tool.Definition.Name
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.servers == nil {
		d.servers = make(map[string]map[string]string)
	}
	if all || d.servers[server] == nil {
		d.servers[server] = names
		return
	}
	maps.Copy(d.servers[server], names)
}

func (d *directory) find(name string) (server, tool string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for server, names := range d.servers {
		if tool, ok := names[name]; ok {
			return server, tool, true
		}
	}
	return "", "", false
}
