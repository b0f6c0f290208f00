package interop

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/stdio"
)

const (
	// recordEnv makes a test binary a recorder: it names the file to write.
	recordEnv = "MCPERA_INTEROP_RECORD"
	// holdEnv is how many messages must wait before a first process starts.
	holdEnv = "MCPERA_INTEROP_HOLD"
)

// OverStdio returns the server that command runs. Between client and server
// stands the test binary itself, which copies what the client writes to a file:
// its TestMain has to call Recorder first.
func OverStdio(t testing.TB, command ...string) *Server {
	t.Helper()
	return SlowStdio(t, 0, command...)
}

// SlowStdio is OverStdio with a server that is slow to start: its first process
// begins when so many messages wait for it, the later ones at once.
func SlowStdio(t testing.TB, messages int, command ...string) *Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "stdin")
	cmd := exec.Command(self, command...)
	cmd.Env = append(os.Environ(), recordEnv+"="+record, holdEnv+"="+strconv.Itoa(messages),
		"GORACE=atexit_sleep_ms=0") // a race-enabled recorder must not linger when it is done
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
