package stdio

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/mcpera/mcpera/internal/lines"
	"github.com/mcpera/mcpera/transport"
)

// A process is one run of the server. Three goroutines belong to it, all
// started by start and ended when the process is gone: one reads stdout, one
// stderr, one waits for the exit.
type process struct {
	cmd     *exec.Cmd
	options *options
	group   *group
	stdin   *os.File
	stream  *lines.Stream
	stderr  tail
	exited  chan struct{} // closed after Wait, and after stderr was read
	drained chan struct{} // closed when stdout has been read to its end
}

// lastWords is how long output is still read after the process has ended,
// should something that it started hold the pipe open.
const lastWords = 500 * time.Millisecond

// reapTime is how long a process may take to be gone after SIGKILL, its last
// words included.
const reapTime = 5 * time.Second

// start runs cmd, a command of its own that nobody else uses.
func start(cmd *exec.Cmd, o *options, r transport.Receiver) (*process, error) {
	name := filepath.Base(cmd.Path)
	l := lookupFor(cmd.Env)
	err := locate(cmd, l)
	if err == nil {
		err = prepare(cmd, l)
	}
	if err != nil {
		return nil, &StartError{Command: name, Err: err}
	}
	var files pipes
	stdin, stdinW := files.pipe()
	stdoutR, stdout := files.pipe()
	stderrR, stderr := files.pipe()
	if files.err != nil {
		files.close()
		return nil, &StartError{Command: name, Err: files.err}
	}
	alsoTo := cmd.Stderr
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Start(); err != nil {
		files.close()
		return nil, &StartError{Command: name, Err: err}
	}
	for _, f := range []*os.File{stdin, stdout, stderr} {
		_ = f.Close() // the child's ends
	}
	p := &process{
		cmd: cmd, options: o, group: groupOf(cmd.Process), stdin: stdinW, stream: lines.New(stdinW, r, o.log),
		stderr: tail{most: o.keptStderr},
		exited: make(chan struct{}), drained: make(chan struct{}),
	}
	stderrDone := make(chan struct{})
	go func() {
		defer close(stderrDone)
		defer stderrR.Close()
		drain(stderrR, &p.stderr, alsoTo)
	}()
	go p.wait(stdoutR, stderrR, stderrDone)
	go p.read(stdoutR, o.maxMessage, name)
	return p, nil
}

// wait reaps the process, ends its group, and gives its output a last chance.
func (p *process) wait(stdout, stderr *os.File, stderrDone <-chan struct{}) {
	_ = p.cmd.Wait() // the state says how it ended
	p.group.kill()
	deadline := time.Now().Add(lastWords)
	_ = stdout.SetReadDeadline(deadline)
	_ = stderr.SetReadDeadline(deadline)
	<-stderrDone
	p.group.release()
	close(p.exited)
}

// read delivers what the process writes, then says how it ended.
func (p *process) read(stdout *os.File, limit int64, name string) {
	defer close(p.drained)
	defer stdout.Close()
	err := p.stream.Read(stdout, limit)
	if limitErr := new(transport.LimitError); errors.As(err, &limitErr) {
		p.group.kill() // it floods, and may well do so for ever
	}
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil // ended with the process
	}
	exit := &ExitError{Command: name, Err: err}
	select {
	case <-p.exited:
		exit.State = p.cmd.ProcessState
	case <-time.After(2 * lastWords): // stdout closed, but the process lives on
	}
	exit.Stderr = p.stderr.String()
	p.stream.Fail(exit)
}

// Stream leads to the process.
func (p *process) Stream() *lines.Stream { return p.stream }

// Stop ends the process and waits until all of it is gone.
func (p *process) Stop() error {
	p.stream.Fail(transport.ErrClosed)
	_ = p.stdin.Close()
	if !p.goneWithin(p.options.stdinGrace) {
		p.group.terminate()
		if !p.goneWithin(p.options.termGrace) {
			p.group.kill()
			if !p.goneWithin(reapTime) {
				return &ExitError{Command: filepath.Base(p.cmd.Path), Err: errors.New("it survived SIGKILL")}
			}
		}
	}
	<-p.drained
	return nil
}

func (p *process) goneWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// pipes makes several pipes and remembers the first error.
type pipes struct {
	all []*os.File
	err error
}

func (p *pipes) pipe() (r, w *os.File) {
	if p.err != nil {
		return nil, nil
	}
	if r, w, p.err = os.Pipe(); p.err == nil {
		p.all = append(p.all, r, w)
	}
	return r, w
}

func (p *pipes) close() {
	for _, f := range p.all {
		_ = f.Close()
	}
}
