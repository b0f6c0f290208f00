package interop

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/stdio"
)

// recordEnv makes a test binary a recorder: it names the file to write.
const recordEnv = "MCPERA_INTEROP_RECORD"

// OverStdio returns the server that command runs. Between client and server
// stands the test binary itself, which copies what the client writes to a file:
// its TestMain has to call Recorder first.
func OverStdio(t testing.TB, command ...string) *Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "stdin")
	cmd := exec.Command(self, command...)
	// A race-enabled recorder must not linger for a second when it is done.
	cmd.Env = append(os.Environ(), recordEnv+"="+record, "GORACE=atexit_sleep_ms=0")
	read := 0
	return &Server{
		reach: func() (transport.Transport, error) { return stdio.New(cmd) },
		asked: func() ([]string, error) {
			all, err := os.ReadFile(record)
			if err != nil {
				return nil, err
			}
			fresh := all[read:]
			read = len(all)
			return methodsOf(fresh), nil
		},
	}
}

// methodsOf returns the methods of messages, one a line.
func methodsOf(lines []byte) []string {
	var methods []string
	for line := range bytes.Lines(lines) {
		methods = append(methods, methodOf(line))
	}
	return methods
}

// Recorder does nothing in an ordinary test run. In a process that OverStdio
// started it runs the command that its arguments name, copies standard input
// to it and to the record, and exits as the command does.
func Recorder() {
	path, ok := os.LookupEnv(recordEnv)
	if !ok {
		return
	}
	code, err := record(path, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
	}
	os.Exit(code)
}

func record(path string, command []string) (code int, err error) {
	// The command may be this very binary again, as a server.
	if err := os.Unsetenv(recordEnv); err != nil {
		return 1, err
	}
	log, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1, err
	}
	defer log.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	go func() {
		defer stdin.Close()
		_, _ = io.Copy(io.MultiWriter(log, stdin), os.Stdin) // ends when either side does
	}()
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil // -1 stands for a signal
	} else if err != nil {
		return 1, err
	}
	return 0, nil
}
