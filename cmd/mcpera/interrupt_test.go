//go:build testscript && unix

package main

import (
	"bufio"
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
