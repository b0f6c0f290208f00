package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// build compiles the programs that the suite judges into dir.
func build(ctx context.Context, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	const module = "github.com/mcpera/mcpera"
	cmd := exec.CommandContext(ctx, "go", "build", "-o", dir, module+"/cmd/mcpera", module+"/conformance/suiteclient")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, said)
	}
	return nil
}
