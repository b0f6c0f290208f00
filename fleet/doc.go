// Package fleet connects a program to many MCP servers, as an agent's
// configuration names them: the mcpServers JSON that other clients use too.
//
//	config, err := fleet.Load("mcp.json")
//	if err != nil {
//		return err
//	}
//	f, err := fleet.New(config)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	tools, failed := f.Tools(ctx)
//	result, err := f.CallTool(ctx, "git__commit", args)
//
// Servers are connected when they are needed, or all at once with Connect, a few
// at a time. One that fails never fails the rest: its state and last error are
// there to be seen. The tools of all servers are one list, under names that
// every model provider accepts and that can't collide, and calls by those names
// find their server. Package toolcall puts them into a model's terms.
//
// A Fleet may be used by any number of goroutines. Its errors are those of package
// client with the server's name before them, an UnknownToolError, ErrUnknownServer,
// ErrDisabled and ErrClosed.
package fleet
