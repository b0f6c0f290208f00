package interop

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// Recorder does nothing in an ordinary test run. In a process that OverStdio
// started it runs the command that its arguments name, copies standard input
// to it and to the record, and exits as the command does.
func Recorder() {
	path, ok := os.LookupEnv(recordEnv)
	if !ok {
		return
	}
	hold, err := strconv.Atoi(os.Getenv(holdEnv))
	code := 1
	if err == nil {
		code, err = record(path, hold, os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "recorder:", err)
	}
	os.Exit(code)
}

func record(path string, hold int, command []string) (code int, err error) {
	// The command may be this very binary again, as a server.
	if err := os.Unsetenv(recordEnv); err != nil {
		return 1, err
	}
	log, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1, err
	}
	defer log.Close()
	input, err := held(os.Stdin, log, hold)
	if err != nil {
		return 1, err
	}
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
		_, _ = io.Copy(io.MultiWriter(log, stdin), input) // ends when either side does
	}()
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil // -1 stands for a signal
	} else if err != nil {
		return 1, err
	}
	return 0, nil
}

// held waits until input holds so many lines, and returns all of it. It does
// not wait when the log shows that this is not the first process.
func held(input io.Reader, log *os.File, lines int) (io.Reader, error) {
	info, err := log.Stat()
	if err != nil || info.Size() > 0 {
		return input, err
	}
	r := bufio.NewReader(input)
	var first bytes.Buffer
	for range lines {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		first.Write(line)
	}
	return io.MultiReader(&first, r), nil
}
