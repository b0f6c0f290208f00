//go:build !unix

package stdio

import "os/exec"

func setGroup(*exec.Cmd) {}

// terminate ends the process: there is no gentler way here.
func terminate(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
