package stdio

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// A lookup finds a program the way that a system does, whichever system this
// is.
type lookup struct {
	os        string                 // runtime.GOOS
	path      string                 // PATH of the process to be
	pathExt   string                 // PATHEXT, on Windows
	isProgram func(path string) bool // a file that can be run
}

// lookupFor returns the lookup of a process with this environment. One without a
// PATH of its own is looked for in that of this process.
func lookupFor(env []string) lookup {
	l := lookup{os: runtime.GOOS, path: os.Getenv("PATH"), isProgram: isProgram}
	if path, ok := valueOf(env, "PATH", l.os); ok {
		l.path = path
	}
	l.pathExt, _ = valueOf(env, "PATHEXT", l.os)
	return l
}

// locate makes cmd run what its name means in the PATH of the server, where
// there is such a program: exec.Command has looked in that of this process. A
// command whose file the program has set itself is left alone.
func locate(cmd *exec.Cmd, l lookup) error {
	name := cmd.Path
	if len(cmd.Args) > 0 {
		name = cmd.Args[0]
	}
	here, _ := exec.LookPath(name)
	if l.hasSeparator(name) || cmd.Err == nil && cmd.Path != here {
		return cmd.Err
	}
	path, err := l.find(name)
	switch {
	case err == nil:
		cmd.Path, cmd.Err = path, nil
		return nil
	case errors.Is(cmd.Err, exec.ErrNotFound):
		return err
	default:
		return cmd.Err
	}
}

// A LookupError means that no directory of a PATH holds the command. It matches
// exec.ErrNotFound.
type LookupError struct {
	Command string
	Path    string // the PATH that was searched, which is that of the server
}

func (e *LookupError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%q: no such program, and PATH is empty", e.Command)
	}
	return fmt.Sprintf("%q: no such program in PATH, which is %s", e.Command, e.Path)
}

// Unwrap returns exec.ErrNotFound.
func (e *LookupError) Unwrap() error { return exec.ErrNotFound }

// find returns the path of a program. A name with a separator is not looked for
// in PATH. Entries of PATH that are relative are left out, so that what is run
// does not depend on where.
func (l lookup) find(name string) (string, error) {
	if l.hasSeparator(name) {
		if path, ok := l.program(name); ok {
			return path, nil
		}
		return "", fmt.Errorf("%q: %w", name, exec.ErrNotFound)
	}
	for _, dir := range strings.Split(l.path, l.listSeparator()) {
		if l.os == "windows" {
			dir = strings.Trim(dir, `"`)
		}
		if !l.isAbs(dir) {
			continue
		}
		if path, ok := l.program(strings.TrimRight(dir, l.separators()) + l.separators()[:1] + name); ok {
			return path, nil
		}
	}
	return "", &LookupError{Command: name, Path: l.path}
}

// program returns the file that a path stands for. On Windows that is the path
// itself only if its extension is one of programs, else the path with the first
// extension for which there is a file.
func (l lookup) program(path string) (string, bool) {
	if l.os != "windows" {
		return path, l.isProgram(path)
	}
	extensions := l.extensions()
	for _, ext := range extensions {
		if len(path) > len(ext) && strings.EqualFold(path[len(path)-len(ext):], ext) && l.isProgram(path) {
			return path, true
		}
	}
	for _, ext := range extensions {
		if l.isProgram(path + ext) {
			return path + ext, true
		}
	}
	return "", false
}

// extensions are those of programs on Windows, in order.
func (l lookup) extensions() []string {
	var extensions []string
	for _, ext := range strings.Split(strings.ToLower(l.pathExt), ";") {
		if ext == "" {
			continue
		}
		extensions = append(extensions, "."+strings.TrimPrefix(ext, "."))
	}
	if extensions == nil {
		return []string{".com", ".exe", ".bat", ".cmd"}
	}
	return extensions
}

func (l lookup) hasSeparator(name string) bool {
	return strings.ContainsAny(name, l.separators()) || l.os == "windows" && strings.Contains(name, ":")
}

func (l lookup) isAbs(dir string) bool {
	if l.os != "windows" {
		return strings.HasPrefix(dir, "/")
	}
	drive := len(dir) > 2 && dir[1] == ':' && strings.ContainsRune(`\/`, rune(dir[2]))
	return drive || strings.HasPrefix(dir, `\\`)
}

func (l lookup) separators() string {
	if l.os == "windows" {
		return `\/`
	}
	return "/"
}

func (l lookup) listSeparator() string {
	if l.os == "windows" {
		return ";"
	}
	return ":"
}
