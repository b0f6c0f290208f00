// Command suite runs the official conformance suite, pinned, against this
// module: its server scenarios against one process of "mcpera serve --era both",
// its client scenarios against conformance/suiteclient, each for both eras, and
// with the scenarios that the suite runs but does not score.
//
//	go run ./conformance/suite
//
// It prints a line for each run, and fails on any failed check, on any warning,
// and when nothing was checked. No failure is expected, so none is excused.
//
// The packages in npm are installed once into the user's cache folder; this
// needs npm. After a change of package.json write the lock file anew, without
// the address of a registry:
//
//	npm install --package-lock-only --omit-lockfile-registry-resolved
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// revisions are the ones that the suite has frozen lists of scenarios for.
var revisions = []string{"2026-07-28", "2025-11-25"}

// timeLimit is far above what all runs together need, the installation of the
// suite included.
const timeLimit = 15 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	err := run(ctx, os.Stdout)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	temp, err := os.MkdirTemp("", "mcpera-conformance-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)

	s, err := install(ctx, temp)
	if err != nil {
		return err
	}
	programs := filepath.Join(temp, "programs")
	if err := build(ctx, programs); err != nil {
		return err
	}
	var failed []string
	publish := func(r report) {
		r.print(out)
		if !r.ok() {
			failed = append(failed, r.title)
		}
	}
	if err := s.judgeServer(ctx, filepath.Join(programs, "mcpera"), publish); err != nil {
		return err
	}
	if err := s.judgeClient(ctx, filepath.Join(programs, "suiteclient"), publish); err != nil {
		return err
	}
	if len(failed) > 0 {
		return fmt.Errorf("not passed: %s", strings.Join(failed, ", "))
	}
	return nil
}
