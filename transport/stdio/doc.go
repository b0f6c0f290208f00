// Package stdio reaches a server that runs as a child process and speaks
// JSON-RPC on its standard streams, one message per line.
//
//	t, err := stdio.New(exec.Command("npx", "-y", "@modelcontextprotocol/server-github"),
//		stdio.WithEnv("GITHUB_TOKEN="+token))
//	if err != nil {
//		return err
//	}
//	c, err := client.Connect(ctx, t) // which starts the process, and ends it
//
// One Transport is for one Client. A command that can't be started is a
// StartError, a process that leaves unasked an ExitError; other errors are those
// of package transport.
//
// The process runs in a group of its own, on Windows in a job object. Close
// closes its standard input and waits, then sends SIGTERM to the group and waits,
// then SIGKILL: nothing that the server started is left. On Windows there is no
// SIGTERM, and the job is ended at once.
//
// Of this process's environment the server gets only what is no secret as a
// rule; see WithEnv. Batch files, such as npx.cmd, run by cmd.exe with their
// arguments quoted, so that no argument is taken for a command.
//
// The standard error is always read; its last 8 KiB, or as WithKeptStderr says, stand
// in the error of a server that leaves unasked.
//
// Source: MCP 2026-07-28, basic/transports/stdio.
package stdio
