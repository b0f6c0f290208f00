package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	scripted "github.com/mcpera/mcpera/conformance/fault"
)

func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"mcpera":     main,
		"fakeserver": fakeServer,
		"xdg-open":   fakeBrowser, // on Linux
		"open":       fakeBrowser, // on macOS
	})
}

// leakChecked fails a run that leaves goroutines behind.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	code := l.m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
		return 1
	}
	return code
}

// TestScripts runs the scripts that hold the behaviour of the command line.
// Beside testscript's own commands they have:
//
//	exits CODE PROGRAM [ARG...]   run a program that must end with CODE
//	[!] json PATH [VALUE]         stdout is one JSON document and has VALUE at PATH
//	serve NAME [ARG...]           start mcpera serve, put its URL into $NAME
//	stop NAME                     interrupt it; it must end well and say nothing more
//	httpserver NAME FILE          start a scripted server, see httpAnswer
//	saw NAME METHOD COUNT         how often that server got a method
//	sawheader NAME HEADER VALUES  what it got in a header of its first request
//	loginserver NAME [HOW]        start a server that wants a login, or change it
//	loginbyhand ARG...            run mcpera login --no-browser, and open the URL
//	grants NAME [GRANT...]        what tokens it was asked for, in order
//	asked NAME SCOPE CLIENT       for what it asked its user last
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Values[runningKey{}] = &running{served: make(map[string]*served), faulty: make(map[string]*scripted.HTTP), logins: make(map[string]*loginServer)}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      exitsCommand,
			"json":       jsonCommand,
			"serve":      serveCommand,
			"stop":       stopCommand,
			"httpserver": httpServerCommand,
			"saw":        sawCommand,
			"sawheader":  sawHeaderCommand,

			"loginserver": loginServerCommand,
			"loginbyhand": loginByHandCommand,
			"grants":      grantsCommand,
			"asked":       askedCommand,
		},
	})
}

// running are the servers of one script.
type running struct {
	served map[string]*served
	faulty map[string]*scripted.HTTP
	logins map[string]*loginServer
}

type runningKey struct{}

func runningIn(ts *testscript.TestScript) *running { return ts.Value(runningKey{}).(*running) }

func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := new(exec.ExitError)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, not %s", code, args[0])
	}
}

func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 || len(args) > 2 || neg && len(args) == 2 {
		ts.Fatalf("usage: json PATH [VALUE], or ! json PATH")
	}
	got, ok, err := lookup([]byte(ts.ReadFile("stdout")), args[0])
	switch {
	case err != nil:
		ts.Fatalf("%v", err)
	case neg && ok:
		ts.Fatalf("%s is %s", args[0], got)
	case !neg && !ok:
		ts.Fatalf("there is no %s", args[0])
	case len(args) == 2 && got != args[1]:
		ts.Fatalf("%s is %s, not %s", args[0], got, args[1])
	}
}

// served is a running mcpera serve.
type served struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr *strings.Builder
}

func serveCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serve NAME [ARG...]")
	}
	s := &served{stderr: new(strings.Builder)}
	s.cmd = exec.Command(findIn(ts.Getenv("PATH"), "mcpera"), append([]string{"serve"}, args[1:]...)...)
	s.cmd.Dir = ts.MkAbs(".")
	s.cmd.Stderr = s.stderr
	stdout, err := s.cmd.StdoutPipe()
	ts.Check(err)
	s.stdout = bufio.NewReader(stdout)
	ts.Check(s.cmd.Start())
	ts.Defer(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	url, err := s.stdout.ReadString('\n') // it ends with the process, if not before
	if err != nil {
		ts.Fatalf("serve printed no URL: %v, %s", err, s.stderr)
	}
	ts.Setenv(args[0], strings.TrimSpace(url))
	runningIn(ts).served[args[0]] = s
}

func stopCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || runningIn(ts).served[args[0]] == nil {
		ts.Fatalf("usage: stop NAME")
	}
	s := runningIn(ts).served[args[0]]
	ts.Check(s.cmd.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(s.stdout)
	ts.Check(err)
	if err := s.cmd.Wait(); err != nil || len(rest) > 0 || s.stderr.Len() > 0 {
		ts.Fatalf("serve ended with %v, said %q and %q", err, rest, s.stderr)
	}
}

// findIn finds a program in a script's own PATH.
func findIn(path, program string) string {
	for _, dir := range filepath.SplitList(path) {
		if file, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return file
		}
	}
	return program
}
