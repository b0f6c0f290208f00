package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A served is a process of "mcpera serve". Stop it.
type served struct {
	url    string
	cmd    *exec.Cmd
	stderr bytes.Buffer // to be read once the process has ended
	cancel context.CancelFunc
}

// serve starts a server of both eras on the loopback interface. It ends with
// ctx at the latest.
func serve(ctx context.Context, program string) (*served, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &served{cancel: cancel}
	s.cmd = exec.CommandContext(ctx, program, "serve", "--era", "both", "--addr", "127.0.0.1:0")
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	s.cmd.WaitDelay = 10 * time.Second
	s.cmd.Stderr = &s.stderr
	stdout, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("mcpera serve said no URL: %w", err), s.stop())
	}
	s.url = strings.TrimSpace(url)
	return s, nil
}

// stop ends the process. A server that can't end in good order is an error.
func (s *served) stop() error {
	s.cancel()
	err := s.cmd.Wait()
	if err == nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("mcpera serve: %w\n%s", err, &s.stderr)
}
