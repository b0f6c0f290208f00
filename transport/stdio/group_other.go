//go:build !unix && !windows

package stdio

import (
	"os"
	"os/exec"
)

// A group is a process: there are no groups here.
type group struct{ process *os.Process }

func prepare(*exec.Cmd, lookup) error { return nil }

func groupOf(p *os.Process) *group { return &group{p} }

// terminate ends the process: there is no gentler way here.
func (g *group) terminate() { _ = g.process.Kill() }

func (g *group) kill() { _ = g.process.Kill() }

func (g *group) release() {}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
