package fleet

import (
	"context"
	"fmt"
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
// and what failed, by server: the tools of the others are there all the same.
func (f *Fleet) Tools(ctx context.Context) ([]Tool, map[string]error) {
	listed := make(map[string][]Tool, len(f.members))
	var mu sync.Mutex
	failed := f.each(ctx, func(ctx context.Context, m *member) error {
		tools, err := f.serverTools(ctx, m.server.Name)
		mu.Lock()
		defer mu.Unlock()
		listed[m.server.Name] = tools // those that came before an error count
		return err
	})
	var all []Tool
	for _, m := range f.members {
		all = append(all, listed[m.server.Name]...)
	}
	return all, failed
}

func (f *Fleet) serverTools(ctx context.Context, server string) ([]Tool, error) {
	var tools []Tool
	err := f.With(ctx, server, func(c *client.Client) error {
		for tool, err := range c.Tools(ctx) {
			if err != nil {
				return err
			}
			name := ToolName(server, tool.Name)
			f.names.note(name, server, tool.Name)
			tools = append(tools, Tool{Name: name, Server: server, Definition: tool})
		}
		return nil
	})
	return tools, err
}

// CallTool calls a tool by its name in the fleet. args and opts are as for
// client.CallTool. A name that was not listed in this fleet lists the tools
// once more.
func (f *Fleet) CallTool(ctx context.Context, name string, args any, opts ...client.CallOption) (*protocol.CallToolResult, error) {
	owner, ok := f.names.find(name)
	if !ok {
		_, failed := f.Tools(ctx)
		if owner, ok = f.names.find(name); !ok {
			return nil, &UnknownToolError{Name: name, Failed: failed}
		}
	}
	var result *protocol.CallToolResult
	err := f.With(ctx, owner.server, func(c *client.Client) (err error) {
		result, err = c.CallTool(ctx, owner.tool, args, opts...)
		return err
	})
	return result, err
}

// An UnknownToolError means that no server lists a tool of that name.
type UnknownToolError struct {
	Name string
	// Failed are the servers that could not be asked, with why: the tool may be
	// one of theirs.
	Failed map[string]error
}

func (e *UnknownToolError) Error() string {
	s := fmt.Sprintf("fleet: no server has a tool %s", protocol.Quote(e.Name))
	if len(e.Failed) > 0 {
		s += fmt.Sprintf("; %d servers could not be asked", len(e.Failed))
	}
	return s
}

// toolNames finds the owner of a tool by its name in the fleet.
type toolNames struct {
	mu     sync.Mutex
	owners map[string]owner
}

type owner struct{ server, tool string }

func (n *toolNames) note(name, server, tool string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.owners == nil {
		n.owners = make(map[string]owner)
	}
	n.owners[name] = owner{server, tool}
}

func (n *toolNames) find(name string) (owner, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	o, ok := n.owners[name]
	return o, ok
}
