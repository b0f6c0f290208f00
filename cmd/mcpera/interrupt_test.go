//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An interrupted command ends with its own exit code, and no child process is
// left.
func TestInterrupt(t *testing.T) {
	const modern = `server/discover {"jsonrpc":"2.0","id":$ID,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}` + "\n"
	for name, tc := range map[string]struct {
		script string
		until  string // what -v says when it is time
		args   []string
	}{
		"while connecting": {"* silence", "* sent server/discover", []string{"probe", "-v"}},
		"during a call":    {modern + "tools/call silence", "* sent tools/call", []string{"call", "-v", "slow"}},
		"listening":        {modern + "subscriptions/listen silence", "* sent subscriptions/listen", []string{"listen", "-v"}},
	} {
		t.Run(name, func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(script, []byte(tc.script), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("mcpera", append(tc.args, "--", "fakeserver", script)...)
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pid := interruptWhen(t, cmd.Process, bufio.NewReader(stderr), tc.until)
			exit := new(exec.ExitError)
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
				t.Errorf("ended with %v", err)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the server process is still there: %v", err)
			}
		})
	}
}

// interruptWhen reads stderr to its end, interrupts p when the line has come
// and the server has told its process id, and returns that.
func interruptWhen(t *testing.T, p *os.Process, stderr *bufio.Reader, until string) (pid int) {
	t.Helper()
	come, sent := false, false
	for {
		line, err := stderr.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if digits, ok := strings.CutPrefix(line, "pid "); ok {
			for _, d := range strings.TrimSpace(digits) {
				pid = pid*10 + int(d-'0')
			}
		}
		come = come || strings.HasPrefix(line, until)
		if come && pid != 0 && !sent {
			sent = true
			if err := p.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
	}
	if !sent {
		t.Fatal("the moment to interrupt did not come")
	}
	return pid
}

// A stdio server that is told to end does so well, although its client has not
// closed its input.
func TestServeStdioEndsOnSignal(t *testing.T) {
	cmd := exec.Command("mcpera", "serve", "--stdio", "--era", "legacy")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	if _, err := out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("it went on with %q, %v", rest, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// Waiting for arguments on standard input ends with an interrupt, too.
func TestInterruptWhileReadingArguments(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, w := io.Pipe()
	defer w.Close() // ends the goroutine that reads
	read := make(chan struct{})
	var code int
	go func() {
		defer close(read)
		code = run(ctx, []string{"call", "t", "-", "--url", "http://127.0.0.1:1/"}, in, io.Discard, io.Discard)
	}()
	if _, err := io.WriteString(w, "{"); err != nil { // it reads now
		t.Fatal(err)
	}
	cancel()
	if <-read; code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
}
