package fault_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/conformance/fault"
)

// A run is a started command with its pipes.
type run struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
}

func start(t *testing.T, srv *fault.Stdio) *run {
	t.Helper()
	r := &run{cmd: srv.Command()}
	r.cmd.Stderr = &r.stderr
	var err error
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.stdout = bufio.NewReader(stdout)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // Wait fails where the test has waited
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	})
	return r
}

func (r *run) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(r.stdin, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// rest reads what is left on stdout and reaps the process.
func (r *run) rest(t *testing.T) (stdout string, status int) {
	t.Helper()
	said, err := io.ReadAll(r.stdout)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return string(said), r.cmd.ProcessState.ExitCode()
}

func spawn(t *testing.T, s fault.Script) *fault.Stdio {
	t.Helper()
	srv := fault.NewStdio(s)
	t.Cleanup(srv.Close)
	return srv
}

func TestStdioAnswersThenExits(t *testing.T) {
	type end struct {
		Stdout, Stderr string
		Status         int
	}
	for name, tc := range map[string]struct {
		script fault.Script
		want   end
	}{
		"with a line for each message": {
			fault.Script{"tools/list": {{fault.Stream(), fault.Message(`{"a":${id}}`), fault.Result(`1`), fault.Exit(0)}}},
			end{"{\"a\":7}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1}\n", "", 0},
		},
		"with noise as it is": {
			fault.Script{"tools/list": {{fault.Raw("v1.0"), fault.Raw("!\n"), fault.Status(503), fault.Wire("x"), fault.Exit(2)}}},
			end{"v1.0!\n", "", 2},
		},
		"in the middle of a message": {
			fault.Script{"tools/list": {{fault.Cut(5), fault.Result(`1`), fault.Stderr("oops"), fault.Exit(3)}}},
			end{`{"jso`, "oops", 3},
		},
		"byte by byte": {
			fault.Script{"tools/list": {{fault.Slow(0), fault.Message(`{}`), fault.Exit(0)}}},
			end{"{}\n", "", 0},
		},
		"before it reads": {
			fault.Script{fault.Start: {{fault.Stderr("no config\n"), fault.Exit(9)}}},
			end{"", "no config\n", 9},
		},
		"and takes no step after that": {
			fault.Script{"tools/list": {{fault.Exit(0), fault.Raw("late")}}},
			end{"", "", 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, spawn(t, tc.script))
			r.send(t, request)
			var got end
			got.Stdout, got.Status = r.rest(t)
			got.Stderr = r.stderr.String()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestALineTheClientDoesNotReadIsFullyWritten(t *testing.T) {
	const size = 1 << 20
	r := start(t, spawn(t, fault.Script{"tools/list": {{fault.Stderr("${fill:1048576}"), fault.Message("${fill:1048576}"), fault.Exit(0)}}}))
	r.send(t, request)
	if said, _ := r.rest(t); len(said) != size+1 || r.stderr.Len() != size {
		t.Errorf("stdout has %d bytes, stderr %d; want %d and %d", len(said), r.stderr.Len(), size+1, size)
	}
}

func TestAProcessEndsWithItsInputUnlessScripted(t *testing.T) {
	srv := spawn(t, nil)
	r := start(t, srv)
	r.send(t, request)
	if err := r.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if _, status := r.rest(t); status != 0 {
		t.Errorf("status %d, want 0", status)
	}
	gone := await(t, srv.Server, fault.Gone, 1)
	if gone.PID != r.cmd.Process.Pid || gone.Process != 1 {
		t.Errorf("gone: %v of process id %d", gone, gone.PID)
	}
	var keys []string
	for _, r := range srv.Records() {
		keys = append(keys, r.Key)
	}
	if diff := cmp.Diff([]string{fault.Start, "tools/list", fault.EOF, fault.Gone}, keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

func TestASignalEndsAProcessUnlessScripted(t *testing.T) {
	srv := spawn(t, fault.Script{fault.Signal: {{fault.Silence()}, {fault.Exit(5)}}})
	r := start(t, srv)
	await(t, srv.Server, fault.Start, 1)
	for n := range 2 {
		if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		await(t, srv.Server, fault.Signal, n+1)
	}
	if _, status := r.rest(t); status != 5 {
		t.Errorf("status %d, want 5", status)
	}
}

func TestResetClosesStdoutOnly(t *testing.T) {
	srv := spawn(t, fault.Script{"tools/list": {{fault.Reset()}}})
	r := start(t, srv)
	r.send(t, request)
	if _, err := r.stdout.ReadByte(); err != io.EOF {
		t.Fatalf("stdout: %v, want its end", err)
	}
	r.send(t, request)
	await(t, srv.Server, "tools/list", 2)
}

func TestCountingGoesOnAcrossStarts(t *testing.T) {
	srv := spawn(t, fault.Script{"tools/list": {{fault.Exit(1)}, {fault.Message("second"), fault.Exit(0)}}})
	for n, want := range []string{"", "second\n"} {
		r := start(t, srv)
		r.send(t, request)
		if said, _ := r.rest(t); said != want {
			t.Errorf("start %d said %q, want %q", n+1, said, want)
		}
		await(t, srv.Server, fault.Gone, n+1)
	}
	if got := srv.Count(fault.Start); got != 2 {
		t.Errorf("%d starts, want 2", got)
	}
}

func TestStdioAnswersLateInEitherOrder(t *testing.T) {
	srv := spawn(t, fault.Script{
		"a": {{fault.Answered("b"), fault.Message("a")}},
		"b": {{fault.After("c"), fault.Message("b")}},
		"c": {{fault.Hold("go"), fault.Message("c")}},
	})
	r := start(t, srv)
	for _, method := range []string{"a", "b", "c"} {
		r.send(t, `{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`)
	}
	var said []string
	for range 2 {
		line, err := r.stdout.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, strings.TrimSpace(line))
	}
	srv.Release("go")
	line, err := r.stdout.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b", "a", "c"}, append(said, strings.TrimSpace(line))); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestCloseEndsProcessesThatIgnoreEverything(t *testing.T) {
	srv := fault.NewStdio(fault.Script{fault.EOF: {{fault.Silence()}}, fault.Signal: {{fault.Silence()}}})
	r := start(t, srv)
	await(t, srv.Server, fault.Start, 1)
	srv.Close()
	if _, status := r.rest(t); status != 125 {
		t.Errorf("status %d, want 125", status)
	}
}

func TestCommandsOfTwoServersDiffer(t *testing.T) {
	a, b := spawn(t, nil).Command(), spawn(t, nil).Command()
	if cmp.Equal(a.Args, b.Args) {
		t.Errorf("both commands are %v", a.Args)
	}
}

func TestAStrangerIsNoProcess(t *testing.T) {
	srv := spawn(t, nil)
	cmd := srv.Command()
	for i, v := range cmd.Env {
		if strings.HasPrefix(v, "MCPERA_FAULT_CONTROL=") {
			cmd.Env[i] = v + "x"
		}
	}
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 125 {
		t.Errorf("the stranger ended with %v, want status 125", err)
	}
	if n := len(srv.Records()); n != 0 {
		t.Errorf("%d records, want none", n)
	}
}
