//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"syscall"
)

// A group is a process with all that it starts: the process group that it leads.
type group struct{ leader int }

// prepare makes the process lead a group of its own, so that what it starts can
// be ended with it.
func prepare(cmd *exec.Cmd, _ lookup) error {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	// The leader of a new session leads a group already.
	attr.Setpgid, attr.Pgid = !attr.Setsid, 0
	cmd.SysProcAttr = &attr
	return nil
}

// groupOf returns the group of a started process.
func groupOf(p *os.Process) *group { return &group{leader: p.Pid} }

// terminate asks the group to end.
func (g *group) terminate() { _ = syscall.Kill(-g.leader, syscall.SIGTERM) }

// kill ends what is left of the group.
func (g *group) kill() { _ = syscall.Kill(-g.leader, syscall.SIGKILL) }

// release is called when the group is gone.
func (g *group) release() {}

// isProgram reports whether a file can be run.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && info.Mode()&0o111 != 0
}
