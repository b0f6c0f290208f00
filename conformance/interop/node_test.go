package interop_test

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// everything is the program of @modelcontextprotocol/server-everything.
const everything = "node_modules/@modelcontextprotocol/server-everything/dist/index.js"

// stdioCommand returns the command that runs a script of dir over stdio.
func stdioCommand(dir, script string, args ...string) []string {
	return append([]string{"node", filepath.Join(dir, script)}, args...)
}

// startHTTP runs a script of dir that serves over HTTP until the test ends, and
// returns its origin.
func startHTTP(t *testing.T, dir, script string, args ...string) string {
	t.Helper()
	cmd := exec.Command("node", append([]string{"--import", "./loopback.mjs", script}, args...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err := cmd.StdinPipe(); err != nil { // stays open: the server ends with it
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	origin := make(chan string, 1)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		drain(stdout, origin)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // one process: node runs the script itself
		<-drained
		_ = cmd.Wait() // killed, so it is an error
	})
	o, ok := <-origin
	if !ok {
		_ = cmd.Wait()
		t.Fatalf("%s %q ended before it listened; it said:\n%s", script, args, &stderr)
	}
	return o
}

// drain reads what a server prints, sends the origin that it listens on, and
// closes the channel at the end of the output.
func drain(stdout io.Reader, origin chan<- string) {
	defer close(origin)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if o, ok := strings.CutPrefix(lines.Text(), "listening on http://"); ok {
			origin <- "http://" + o
		}
	}
}
