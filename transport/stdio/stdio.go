package stdio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"sync"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
)

// A Transport runs a command and talks to it. It implements
// transport.Transport, transport.Restarter and transport.LossReporter; see there
// for concurrency.
type Transport struct {
	command   *exec.Cmd // never started: each run is a copy
	principal string
	options   *options

	restart  sync.Mutex // held while one process takes the place of another
	mu       sync.Mutex
	receiver transport.Receiver
	current  *process // nil before Open and after a failed Restart
	closed   bool

	closeOnce sync.Once
	closeErr  error
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
	t := &Transport{command: command, options: o}
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
func (t *Transport) Open(ctx context.Context, r transport.Receiver) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.receiver != nil {
		return errors.New("stdio: already open")
	}
	t.receiver = r
	err := t.start(ctx)
	if err != nil {
		t.receiver = nil
	}
	return err
}

// Restart ends the process, if it still runs, and starts the command again.
func (t *Transport) Restart(ctx context.Context) error {
	t.restart.Lock()
	defer t.restart.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	old, opened := t.current, t.receiver != nil
	t.mu.Unlock()
	if !opened {
		return errors.New("stdio: not open")
	}
	if old != nil {
		if err := old.stop(t.options); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = nil
	return t.start(ctx)
}

// start runs the command; the caller holds mu.
func (t *Transport) start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.closed {
		return transport.ErrClosed
	}
	p, err := start(copyOf(t.command), t.options, t.receiver)
	if err != nil {
		return err
	}
	t.current = p
	return nil
}

// process returns the running process.
func (t *Transport) process() (*process, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil || t.closed {
		return nil, transport.ErrClosed
	}
	return t.current, nil
}

// Lost returns a channel that is closed once the process that runs now has left
// or can't be talked to any more; see transport.LossReporter.
func (t *Transport) Lost() <-chan struct{} {
	p, err := t.process()
	if err != nil {
		none := make(chan struct{})
		close(none)
		return none
	}
	return p.stream.Done()
}

// Stderr returns the last 8 KiB that the process wrote to its standard error.
func (t *Transport) Stderr() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil {
		return ""
	}
	return t.current.stderr.String()
}

// Exchange writes the request and waits for its response. Several may wait at
// the same time.
func (t *Transport) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	p, err := t.process()
	if err != nil {
		return negotiation.Outcome{Failure: negotiation.Closed, Err: err, RequestID: req.ID}
	}
	return p.stream.Exchange(ctx, req)
}

// Send writes the message. That the server read it can't be known.
func (t *Transport) Send(ctx context.Context, req *transport.Request) error {
	p, err := t.process()
	if err != nil {
		return err
	}
	p.stream.Speak(req.Version)
	return p.stream.Write(ctx, req.Body)
}

// Close ends the process and all that it started: it closes its standard
// input, and where that is not enough sends SIGTERM and then SIGKILL to its
// group, waiting in between (see WithShutdown). How the process exited does not
// matter. The error says that it could not be ended.
//
// Source: MCP 2026-07-28, stdio, "Shutdown".
func (t *Transport) Close() error {
	t.closeOnce.Do(func() {
		t.mu.Lock()
		t.closed = true
		p := t.current
		t.mu.Unlock()
		if p != nil {
			t.closeErr = p.stop(t.options)
		}
	})
	return t.closeErr
}
