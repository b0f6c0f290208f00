package stdio

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a process with all that it starts: a job object, which ends them
// all when it is closed, and so also when this process dies.
//
// Source: MCP 2026-07-28, stdio, "Shutdown".
type group struct {
	process *os.Process

	mu  sync.Mutex
	job windows.Handle // 0 when there is none, or none any more
}

// prepare keeps the console's Ctrl+C from the process, and has cmd.exe run batch
// files, with arguments quoted for it.
func prepare(cmd *exec.Cmd, l lookup) error {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
	cmd.SysProcAttr = &attr
	if path, ok := l.program(cmd.Path); ok {
		cmd.Path = path
	}
	if attr.CmdLine != "" || !isBatchFile(cmd.Path) {
		return nil
	}
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return err
	}
	interpreter := system + `\cmd.exe`
	if attr.CmdLine, err = batchLine(interpreter, cmd.Path, cmd.Args[min(1, len(cmd.Args)):]); err != nil {
		return err
	}
	cmd.Path = interpreter
	return nil
}

// groupOf puts a started process into a job of its own. What it starts before
// that, within microseconds, is not in it. Where there can be no job, the group
// is the process alone.
func groupOf(p *os.Process) *group {
	g := &group{process: p}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = assign(p.Pid, job)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

func assign(pid int, job windows.Handle) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}

// terminate ends the group: there is no gentler way here that a process without
// a console would hear of.
func (g *group) terminate() { g.kill() }

// kill ends the group.
func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
	_ = g.process.Kill()
}

// release is called when the group is gone.
func (g *group) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// isProgram reports whether a file can be run; its name says so here.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
