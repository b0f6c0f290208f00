package stdio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"slices"

	"github.com/mcpera/mcpera/internal/lines"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A Transport runs a command and talks to it. It implements
// transport.Transport, transport.Restarter and transport.LossReporter; see there
// for concurrency.
type Transport struct {
	command   *exec.Cmd // never started: each run is a copy
	principal string
	runs      *lines.Runs[*process]
}

// New returns a transport that runs cmd once it is opened. Of cmd its Path,
// Args, Env, Dir, ExtraFiles, SysProcAttr and Stderr are used, and cmd itself
// is neither started nor changed. If Stderr is set it gets a copy of what the
// server writes there. If Env is nil the server gets only some variables of this
// process, as they are now: see WithEnv. A command without a path is looked up
// in the PATH of the server, and where that does not have it in this process's.
func New(cmd *exec.Cmd, opts ...Option) (*Transport, error) {
	if cmd == nil {
		return nil, errors.New("stdio: no command")
	}
	o := defaults()
	for _, opt := range opts {
		if err := opt(o); err != nil {
			return nil, err
		}
	}
	if cmd.Env != nil && o.inheritEnv {
		return nil, errors.New("stdio: the command has an Env of its own, so WithInheritedEnv can't count")
	}
	command := copyOf(cmd)
	command.Env = surround(cmd.Env, cmd.Dir, o).environ()
	t := &Transport{command: command}
	t.runs = lines.NewRuns("stdio", func(r transport.Receiver) (*process, error) {
		return start(copyOf(command), o, r)
	})
	if cmd.Env != nil || cmd.Dir != "" || o.inheritEnv || len(o.env) > 0 {
		t.principal = principal(command)
	}
	return t, nil
}

// copyOf returns a command that can be started once.
func copyOf(cmd *exec.Cmd) *exec.Cmd {
	return &exec.Cmd{
		Path: cmd.Path, Args: slices.Clone(cmd.Args), Env: slices.Clone(cmd.Env), Dir: cmd.Dir,
		ExtraFiles: cmd.ExtraFiles, SysProcAttr: cmd.SysProcAttr, Stderr: cmd.Stderr, Err: cmd.Err,
	}
}

// Kind returns negotiation.Stdio.
func (t *Transport) Kind() negotiation.Transport { return negotiation.Stdio }

// Target names the command. Its Principal is a digest of the environment of the
// server, where credentials may stand, and of its directory; "" when the server
// gets no more than every server does.
func (t *Transport) Target() transport.Target {
	argv := t.command.Args
	if len(argv) == 0 {
		argv = []string{t.command.Path}
	}
	return transport.Target{Command: slices.Clone(argv), Principal: t.principal}
}

// principal is a digest of what sets a process apart from others that run the
// same command.
func principal(cmd *exec.Cmd) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q ", cmd.Dir)
	for _, variable := range cmd.Env {
		fmt.Fprintf(h, "%q ", variable)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Open starts the command. A command that can't be started is a *StartError.
func (t *Transport) Open(ctx context.Context, r transport.Receiver) error { return t.runs.Open(ctx, r) }

// Restart ends the process, if it still runs, and starts the command again.
func (t *Transport) Restart(ctx context.Context) error { return t.runs.Restart(ctx) }

// Lost returns a channel that is closed once the process that runs now has left
// or can't be talked to any more; see transport.LossReporter.
func (t *Transport) Lost() <-chan struct{} { return t.runs.Lost() }

// Stderr returns the last 8 KiB that the process wrote to its standard error, or as
// much as WithKeptStderr says.
func (t *Transport) Stderr() string {
	p, ok := t.runs.Current()
	if !ok {
		return ""
	}
	return p.stderr.String()
}

// Exchange writes the request and waits for its response. Several may wait at
// the same time.
func (t *Transport) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	return t.runs.Exchange(ctx, req)
}

// Send writes the message. That the server read it can't be known.
func (t *Transport) Send(ctx context.Context, req *transport.Request) error {
	return t.runs.Send(ctx, req)
}

// Close ends the process and all that it started: it closes its standard
// input, and where that is not enough sends SIGTERM and then SIGKILL to its
// group, waiting in between (see WithShutdown). How the process exited does not
// matter. The error says that it could not be ended.
//
// Source: MCP 2026-07-28, stdio, "Shutdown".
func (t *Transport) Close() error { return t.runs.Close() }
