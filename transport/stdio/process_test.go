//go:build unix

package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// state returns how the process of tr ended, once it has.
func state(tr *Transport) *os.ProcessState {
	p, _ := tr.runs.Current()
	<-p.exited
	return p.cmd.ProcessState
}

// pidOf returns the id of the process that tr runs.
func pidOf(tr *Transport) int {
	p, _ := tr.runs.Current()
	return p.cmd.Process.Pid
}

// lifeline hands cmd a file, as descriptor 3, that all it starts inherit too.
// The channel is closed when the last of them is gone. Call started once cmd
// has been started.
func lifeline(t *testing.T, cmd *exec.Cmd) (gone <-chan struct{}, started func()) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{w}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer r.Close()
		_, _ = io.Copy(io.Discard, r)
	}()
	started = func() { _ = w.Close() }
	t.Cleanup(started)
	return ended, started
}

func TestAServerAnswers(t *testing.T) {
	tr := open(t, server(t, "echo"))
	if tr.Kind() != negotiation.Stdio {
		t.Errorf("kind %v", tr.Kind())
	}
	const text = `"é漢🙂"`
	o, err := exchange(t.Context(), tr, ask(1, text))
	if err != nil || string(o.Message.Result) != text || o.RequestID != protocol.NumberID(1) || o.Attempts != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	if err := tr.Send(t.Context(), &transport.Request{Body: []byte(`{"jsonrpc":"2.0","method":"n"}`)}); err != nil {
		t.Errorf("Send: %v", err)
	}
	ping(t, tr, 2)
}

// B052.
func TestLinesOfAnySizeUpToTheLimitPass(t *testing.T) {
	big := `"` + strings.Repeat("x", 2<<20) + `"`
	o, err := exchange(t.Context(), open(t, server(t, "echo")), ask(1, big))
	if err != nil || len(o.Message.Result) != len(big) {
		t.Errorf("error %v", err)
	}
}

// B074, B-STD-02.
func TestParallelCallsArriveWhole(t *testing.T) {
	tr := open(t, server(t, "echo")) // leaves on a line that it can't decode
	var wg sync.WaitGroup
	for i := range int64(50) {
		wg.Go(func() {
			params := `"` + strings.Repeat(fmt.Sprint(i%10), 100<<10) + `"`
			o, err := exchange(t.Context(), tr, ask(i, params))
			if err != nil || string(o.Message.Result) != params {
				t.Errorf("call %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// B064, B065, B-STD-03: what a server says on stderr is no error, blocks
// nothing, and costs bounded memory.
func TestStderrIsAlwaysReadAndItsEndKept(t *testing.T) {
	for name, last := range map[string]string{"noisy": "0123456789abcdef\n", "bar": "\r 99%"} {
		t.Run(name, func(t *testing.T) {
			cmd := server(t, name)
			var copied bytes.Buffer
			cmd.Stderr = &copied
			tr := open(t, cmd)
			for id := range int64(3) {
				ping(t, tr, id)
			}
			if err := tr.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if got := tr.Stderr(); len(got) != defaultKeptStderr || !strings.HasSuffix(got, last) {
				t.Errorf("%d bytes are kept, which end with %q", len(got), got[max(0, len(got)-30):])
			}
			if copied.Len() < 3*256<<10 || !strings.HasSuffix(copied.String(), last) {
				t.Errorf("%d bytes are copied", copied.Len())
			}
		})
	}
}

// B068.
func TestAServerThatLeavesFailsAllWhoWait(t *testing.T) {
	tr := open(t, server(t, "ten"))
	var wg sync.WaitGroup
	for id := range int64(10) {
		wg.Go(func() {
			o, err := exchange(t.Context(), tr, ask(id, `{}`))
			exit := new(ExitError)
			if o.Failure != negotiation.Closed || o.Attempts != 1 || !errors.Is(err, transport.ErrClosed) || !errors.As(err, &exit) {
				t.Errorf("%v after %d attempts: %v", o.Failure, o.Attempts, err)
				return
			}
			if exit.State.ExitCode() != 4 || len(exit.Stderr) != defaultKeptStderr || !strings.HasSuffix(exit.Stderr, "database is gone\n") {
				t.Errorf("exit status %d, stderr of %d bytes", exit.State.ExitCode(), len(exit.Stderr))
			}
			if text := err.Error(); len(text) > 1000 || !strings.Contains(text, "exit status 4") || !strings.Contains(text, `database is gone"`) {
				t.Errorf("error %s", text)
			}
		})
	}
	wg.Wait()
	o, err := exchange(t.Context(), tr, ask(11, `{}`))
	if o.Failure != negotiation.Closed || o.Attempts != 0 || !errors.As(err, new(*ExitError)) {
		t.Errorf("a later call: %v after %d attempts: %v", o.Failure, o.Attempts, err)
	}
}

// B069.
func TestAServerThatLeavesAtOnceSaysWhy(t *testing.T) {
	tr := open(t, server(t, "missing"))
	_, err := exchange(t.Context(), tr, ask(1, `{}`))
	exit := new(ExitError)
	if !errors.As(err, &exit) || exit.State.ExitCode() != 3 || exit.Stderr != "missing file\n" || exit.Command == "" {
		t.Errorf("error %+v", err)
	}
	if err := tr.Send(t.Context(), ask(2, `{}`)); !errors.As(err, &exit) {
		t.Errorf("Send: %v", err)
	}
}

func TestAnAnswerBeforeTheExitCounts(t *testing.T) {
	ping(t, open(t, server(t, "once")), 1)
}

func TestAServerThatClosesItsOutputIsGone(t *testing.T) {
	tr := open(t, server(t, "mute"))
	_, err := exchange(t.Context(), tr, ask(1, `{}`))
	exit := new(ExitError)
	if !errors.As(err, &exit) || exit.State != nil || !strings.Contains(err.Error(), "closed its output") {
		t.Errorf("error %v", err)
	}
}

func TestAServerThatClosesItsInputIsGone(t *testing.T) {
	closed := make(chan struct{})
	r := receiverFunc(func(*protocol.Message, *transport.Request) { close(closed) })
	tr := openTo(t, r, server(t, "earless"), WithShutdown(0, time.Minute))
	<-closed
	if _, err := exchange(t.Context(), tr, ask(1, `{}`)); !errors.Is(err, transport.ErrClosed) || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("error %v", err)
	}
}

// B075.
func TestAServerThatDoesNotReadEndsWithItsDeadline(t *testing.T) {
	for name, big := range map[string]int{"deaf": 256 << 10, "tired": 2 << 20} {
		t.Run(name, func(t *testing.T) {
			tr := open(t, server(t, name), WithShutdown(0, time.Minute))
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			o, err := exchange(ctx, tr, ask(1, `"`+strings.Repeat("x", big)+`"`))
			if o.Failure != negotiation.TimedOut || !errors.Is(err, context.DeadlineExceeded) || o.Attempts != 0 {
				t.Errorf("%v after %d attempts: %v", o.Failure, o.Attempts, err)
			}
			if err := tr.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

func TestCloseEndsWhoWritesAndWhoWaits(t *testing.T) {
	full := make(chan struct{})
	r := receiverFunc(func(*protocol.Message, *transport.Request) { close(full) })
	tr := openTo(t, r, server(t, "tired"), WithShutdown(0, time.Minute))
	waiting, writing := make(chan negotiation.Outcome, 1), make(chan negotiation.Outcome, 1)
	go func() { waiting <- tr.Exchange(t.Context(), ask(1, `{}`)) }()
	go func() { writing <- tr.Exchange(t.Context(), ask(2, `"`+strings.Repeat("x", 8<<20)+`"`)) }()
	<-full
	if err := tr.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for name, c := range map[string]chan negotiation.Outcome{"waiting": waiting, "writing": writing} {
		if o := <-c; o.Failure != negotiation.Closed || !errors.Is(o.Err, transport.ErrClosed) {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// B053.
func TestALineAboveTheLimitEndsTheProcess(t *testing.T) {
	tr := open(t, server(t, "flood"), WithMaxMessage(100<<10))
	_, err := exchange(t.Context(), tr, ask(1, `{}`))
	limit := new(transport.LimitError)
	if !errors.As(err, &limit) || !errors.Is(err, transport.ErrClosed) {
		t.Fatalf("error %v", err)
	}
	if diff := cmp.Diff(&transport.LimitError{What: "line", Limit: 100 << 10}, limit); diff != "" {
		t.Errorf("limit (-want +got):\n%s", diff)
	}
	// Without Close, and though it ignores SIGTERM.
	if got := state(tr).String(); got != "signal: killed" {
		t.Errorf("it ended by %q", got)
	}
}

// B067, B-STD-06: the end of its input, then SIGTERM, then SIGKILL.
func TestCloseGoesAsFarAsItMust(t *testing.T) {
	for name, tc := range map[string]struct {
		afterStdin, afterTerm time.Duration
		want                  string
	}{
		"obeys EOF":     {time.Minute, 0, "exit status 41"},
		"obeys SIGTERM": {time.Millisecond, time.Minute, "exit status 42"},
		"obeys nothing": {time.Millisecond, time.Millisecond, "signal: killed"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := open(t, server(t, name), WithShutdown(tc.afterStdin, tc.afterTerm))
			ping(t, tr, 1)
			id := pidOf(tr)
			for range 2 {
				if err := tr.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}
			if got := state(tr).String(); got != tc.want {
				t.Errorf("it ended by %q, want %q", got, tc.want)
			}
			if err := syscall.Kill(id, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d is still there: %v", id, err)
			}
			if _, err := exchange(t.Context(), tr, ask(2, `{}`)); !errors.Is(err, transport.ErrClosed) {
				t.Errorf("afterwards: %v", err)
			}
			if err := tr.Send(t.Context(), ask(2, `{}`)); !errors.Is(err, transport.ErrClosed) {
				t.Errorf("Send afterwards: %v", err)
			}
		})
	}
}

// B066.
func TestNothingThatTheServerStartedIsLeft(t *testing.T) {
	for name, script := range map[string]string{
		"beside it":                   `sleep 300 & exec "$0"`,
		"above it":                    `"$0"; exit 0`,
		"beside it, deaf to SIGTERM":  `(trap "" TERM; sleep 300) & exec "$0"`,
		"beside it, holding its pipe": `sleep 300 <&0 & exec "$0"`,
	} {
		t.Run(name, func(t *testing.T) {
			cmd := shell(t, "echo", script)
			gone, started := lifeline(t, cmd)
			tr := open(t, cmd)
			started()
			ping(t, tr, 1)
			if err := tr.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			<-gone
		})
	}
	t.Run("by a launcher that leaves", func(t *testing.T) {
		cmd := shell(t, "echo", `sleep 300 & exit 7`)
		gone, started := lifeline(t, cmd)
		tr := open(t, cmd)
		started()
		<-gone // without Close
		if _, err := exchange(t.Context(), tr, ask(1, `{}`)); !errors.As(err, new(*ExitError)) {
			t.Errorf("error %v", err)
		}
	})
}

func TestOneThatLeftTheGroupDoesNotKeepCloseWaiting(t *testing.T) {
	// It holds the server's output. The test ends it by closing what it reads.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	cmd := server(t, "echo")
	cmd.ExtraFiles = []*os.File{r}
	sh := exec.Command("sh", "-c", `setsid sh -c 'cat <&3 >/dev/null' 3<&3 & exec "$0"`, cmd.Path)
	sh.Env, sh.ExtraFiles = cmd.Env, cmd.ExtraFiles
	if _, err := exec.LookPath("setsid"); err != nil {
		sh.Args[2] = `set -m; sh -c 'cat <&3 >/dev/null' & exec "$0"`
	}
	tr := open(t, sh)
	ping(t, tr, 1)
	if err := tr.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestRestart(t *testing.T) {
	tr := open(t, server(t, "once"))
	ping(t, tr, 1)
	first := pidOf(tr)
	state(tr)
	if err := tr.Restart(t.Context()); err != nil {
		t.Fatalf("Restart: %v", err)
	}
	if id := pidOf(tr); id == first {
		t.Errorf("the same process, %d", id)
	}
	ping(t, tr, 2)
}

func TestRestartEndsAProcessThatStillRuns(t *testing.T) {
	tr := open(t, server(t, "deaf"), WithShutdown(0, time.Minute))
	old, _ := tr.runs.Current()
	waits := make(chan negotiation.Outcome, 1)
	go func() { waits <- tr.Exchange(t.Context(), ask(1, `{}`)) }()
	if err := tr.Restart(t.Context()); err != nil {
		t.Fatalf("Restart: %v", err)
	}
	<-old.exited
	if err := tr.Close(); err != nil { // the request may also have reached the new process
		t.Errorf("Close: %v", err)
	}
	if o := <-waits; o.Failure != negotiation.Closed || !errors.Is(o.Err, transport.ErrClosed) {
		t.Errorf("outcome %+v", o)
	}
}

func TestRestartMayFail(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "server")
	if err := os.Symlink(server(t, "echo").Path, path); err != nil {
		t.Fatal(err)
	}
	cmd := server(t, "echo")
	cmd.Path = path
	tr := open(t, cmd)
	ping(t, tr, 1)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := tr.Restart(t.Context()); !errors.As(err, new(*StartError)) {
		t.Errorf("Restart: %v", err)
	}
	if _, err := exchange(t.Context(), tr, ask(2, `{}`)); !errors.Is(err, transport.ErrClosed) || tr.Stderr() != "" {
		t.Errorf("afterwards: %v", err)
	}
}

func TestRestartRefusesWhatItCannotDo(t *testing.T) {
	tr, err := New(server(t, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Restart(t.Context()); err == nil {
		t.Error("a transport that was never open was restarted")
	}
	tr = open(t, server(t, "echo"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tr.Restart(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	ping(t, tr, 1) // and so it goes on
	if err := tr.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := tr.Restart(t.Context()); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestOpenRestartAndCloseMayMeet(t *testing.T) {
	for range 10 {
		cmd := server(t, "echo")
		gone, started := lifeline(t, cmd)
		tr, err := New(cmd)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := tr.Open(t.Context(), receiverFunc(func(*protocol.Message, *transport.Request) {})); err != nil && !errors.Is(err, transport.ErrClosed) {
				t.Errorf("Open: %v", err)
			}
		})
		for range 3 {
			wg.Go(func() { _ = tr.Restart(t.Context()) })
			wg.Go(func() { tr.Exchange(t.Context(), ask(1, `{}`)) })
		}
		wg.Go(func() {
			if err := tr.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
		wg.Wait()
		started()
		<-gone
	}
}

func TestOpenTwice(t *testing.T) {
	tr := open(t, server(t, "echo"))
	if err := tr.Open(t.Context(), nil); err == nil {
		t.Error("opened twice")
	}
	ping(t, tr, 1)
}

// B075: nothing is started for a context that has ended.
func TestOpenAfterAFailureStartsAfresh(t *testing.T) {
	tr, err := New(server(t, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := receiverFunc(func(*protocol.Message, *transport.Request) {})
	if err := tr.Open(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := exchange(t.Context(), tr, ask(1, `{}`)); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("not open: %v", err)
	}
	if err := tr.Open(t.Context(), r); err != nil {
		t.Errorf("Open: %v", err)
	}
	ping(t, tr, 1)
}

func TestCloseBeforeOpen(t *testing.T) {
	tr, err := New(server(t, "echo"))
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := tr.Open(t.Context(), nil); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("Open: %v", err)
	}
	if tr.Stderr() != "" {
		t.Errorf("stderr %q", tr.Stderr())
	}
}

// B069.
func TestACommandThatCannotStartSaysWhy(t *testing.T) {
	const secret = "s3cr3tmarker"
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	noDir := server(t, "echo")
	noDir.Dir = filepath.Join(t.TempDir(), "none")
	for name, tc := range map[string]struct {
		cmd   *exec.Cmd
		match error
	}{
		"not found":      {exec.Command("no-such-command-here", "--token="+secret), exec.ErrNotFound},
		"not a program":  {exec.Command(plain, "--token="+secret), fs.ErrPermission},
		"no such file":   {exec.Command(plain+"x", "--token="+secret), fs.ErrNotExist},
		"no such folder": {noDir, fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			tr, err := New(tc.cmd)
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			err = tr.Open(t.Context(), nil)
			start := new(StartError)
			if !errors.As(err, &start) || start.Command != filepath.Base(tc.cmd.Path) || !errors.Is(err, tc.match) {
				t.Errorf("error %v, want a *StartError that matches %v", err, tc.match)
			}
			if strings.Contains(fmt.Sprint(err), secret) {
				t.Errorf("a secret in %v", err)
			}
		})
	}
}

func TestTheCallersCommandIsNeitherStartedNorChanged(t *testing.T) {
	cmd := server(t, "echo")
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	attr, args, env := *cmd.SysProcAttr, fmt.Sprint(cmd.Args), fmt.Sprint(cmd.Env)
	tr := open(t, cmd)
	ping(t, tr, 1)
	if cmd.Process != nil || cmd.Stdin != nil || cmd.Stdout != nil || cmd.Stderr != nil || cmd.ProcessState != nil {
		t.Errorf("it was started: %+v", cmd)
	}
	if fmt.Sprint(*cmd.SysProcAttr) != fmt.Sprint(attr) || fmt.Sprint(cmd.Args) != args || fmt.Sprint(cmd.Env) != env {
		t.Errorf("it was changed: %+v", cmd)
	}
	cmd.Args[0], cmd.Env[len(cmd.Env)-1] = "other", "other"
	if err := tr.Restart(t.Context()); err != nil {
		t.Errorf("Restart: %v", err)
	}
	ping(t, tr, 2) // by what the command was at first
}

func TestProcessAttributesOfTheCaller(t *testing.T) {
	for name, attr := range map[string]*syscall.SysProcAttr{
		"a session of its own": {Setsid: true},
		"a group of its own":   {Setpgid: true},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := shell(t, "echo", `sleep 300 & exec "$0"`)
			cmd.SysProcAttr = attr
			gone, started := lifeline(t, cmd)
			tr := open(t, cmd)
			started()
			ping(t, tr, 1)
			if err := tr.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			<-gone
		})
	}
}
