package stdio

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// B070, B071: where a command is found, on either kind of system.
func TestLookup(t *testing.T) {
	for name, tc := range map[string]struct {
		os, path, ext string
		files         []string
		name          string
		want          string // "" for none
	}{
		"the first directory that has it": {"linux", "/a:/b:/c", "", []string{"/b/x", "/c/x"}, "x", "/b/x"},
		"a directory with a slash":        {"linux", "/a/", "", []string{"/a/x"}, "x", "/a/x"},
		"the root":                        {"linux", "/", "", []string{"/x"}, "x", "/x"},
		"no directory has it":             {"linux", "/a:/b", "", []string{"/c/x"}, "x", ""},
		"no PATH":                         {"linux", "", "", []string{"x", "/x"}, "x", ""},
		"an empty entry is not here":      {"linux", ":/a", "", []string{"x", "./x"}, "x", ""},
		"nor is a relative one":           {"linux", ".:bin", "", []string{"./x", "bin/x"}, "x", ""},
		"a path is not looked up":         {"linux", "/a", "", []string{"./x", "/a/x"}, "./x", "./x"},
		"a path without a file":           {"linux", "/a", "", []string{"/a/x"}, "/b/x", ""},
		"an extension means nothing":      {"linux", "/a", ".EXE", []string{"/a/x.exe"}, "x", ""},

		"by extension":                      {"windows", `C:\a;C:\b`, ".COM;.EXE", []string{`C:\b\x.exe`}, "x", `C:\b\x.exe`},
		"extensions in their order":         {"windows", `C:\a`, ".CMD;.EXE", []string{`C:\a\x.exe`, `C:\a\x.cmd`}, "x", `C:\a\x.cmd`},
		"directories before extensions":     {"windows", `C:\a;C:\b`, ".EXE;.CMD", []string{`C:\a\x.cmd`, `C:\b\x.exe`}, "x", `C:\a\x.cmd`},
		"a name with an extension":          {"windows", `C:\a`, ".EXE;.CMD", []string{`C:\a\npx.CMD`}, "npx.CMD", `C:\a\npx.CMD`},
		"which may be half of it":           {"windows", `C:\a`, ".EXE", []string{`C:\a\x.cmd.exe`}, "x.cmd", `C:\a\x.cmd.exe`},
		"a script for sh is no program":     {"windows", `C:\a`, ".EXE;.CMD", []string{`C:\a\npx`, `C:\a\npx.cmd`}, "npx", `C:\a\npx.cmd`},
		"nor is its sibling for PowerShell": {"windows", `C:\a`, ".EXE;.CMD", []string{`C:\a\npx.ps1`}, "npx", ""},
		"without PATHEXT":                   {"windows", `C:\a`, "", []string{`C:\a\x.bat`}, "x", `C:\a\x.bat`},
		"extensions without a dot, empty":   {"windows", `C:\a`, ";exe;", []string{`C:\a\x.exe`}, "x", `C:\a\x.exe`},
		"quoted entries":                    {"windows", `"C:\Program Files\a"`, ".EXE", []string{`C:\Program Files\a\x.exe`}, "x", `C:\Program Files\a\x.exe`},
		"a share":                           {"windows", `\\host\share`, ".EXE", []string{`\\host\share\x.exe`}, "x", `\\host\share\x.exe`},
		"relative entries":                  {"windows", `.;a;C:a;\a`, ".EXE", []string{`.\x.exe`, `a\x.exe`, `C:a\x.exe`, `\a\x.exe`}, "x", ""},
		"a path by extension":               {"windows", `C:\a`, ".EXE", []string{`C:\b\x.exe`}, `C:\b\x`, `C:\b\x.exe`},
		"a path with slashes":               {"windows", `C:\a`, ".EXE", []string{`C:/b/x.exe`}, `C:/b/x.exe`, `C:/b/x.exe`},
		"a path on a drive":                 {"windows", `C:\a`, ".EXE", []string{`C:\a\D:x.exe`}, `D:x`, ""},
		"an extension and nothing else":     {"windows", `C:\a`, ".EXE", []string{`.exe`}, `.exe`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := lookup{os: tc.os, path: tc.path, pathExt: tc.ext, isProgram: func(path string) bool {
				return slices.Contains(tc.files, path)
			}}
			got, err := l.find(tc.name)
			if got != tc.want {
				t.Errorf("find gives %q, want %q", got, tc.want)
			}
			if (err == nil) != (tc.want != "") || err != nil && !errors.Is(err, exec.ErrNotFound) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// B070.
func TestALookupErrorNamesThePath(t *testing.T) {
	for text, err := range map[string]*LookupError{
		`"npx": no such program in PATH, which is /usr/bin:/bin`: {Command: "npx", Path: "/usr/bin:/bin"},
		`"npx": no such program, and PATH is empty`:              {Command: "npx"},
	} {
		if got := err.Error(); got != text {
			t.Errorf("the error says %s, want %s", got, text)
		}
	}
}

// Each row is what exec.Command makes of a name, in a process whose PATH has
// the program "here" only, and what is run with a PATH that has "there" only.
func TestLocate(t *testing.T) {
	dirs := map[string]string{"here": t.TempDir(), "there": t.TempDir()}
	for name, dir := range dirs {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dirs["here"])
	here, there := filepath.Join(dirs["here"], "here"), filepath.Join(dirs["there"], "there")
	for name, tc := range map[string]struct {
		cmd  *exec.Cmd
		env  []string
		want string // "" for a *LookupError
	}{
		"found only there":             {exec.Command("there"), []string{"PATH=" + dirs["there"]}, there},
		"found only here":              {exec.Command("here"), []string{"PATH=" + dirs["there"]}, here},
		"found here, without a PATH":   {exec.Command("here"), []string{}, here},
		"found nowhere":                {exec.Command("nowhere"), []string{"PATH=" + dirs["there"]}, ""},
		"found nowhere in this PATH":   {exec.Command("nowhere"), nil, ""},
		"the last PATH counts":         {exec.Command("there"), []string{"PATH=/", "PATH=" + dirs["there"]}, there},
		"a path is as it is":           {exec.Command("/there"), []string{"PATH=" + dirs["there"]}, "/there"},
		"so is a file set by itself":   {&exec.Cmd{Path: "/bin/sh", Args: []string{"there"}}, []string{"PATH=" + dirs["there"]}, "/bin/sh"},
		"and a file without arguments": {&exec.Cmd{Path: "/bin/sh"}, nil, "/bin/sh"},
	} {
		t.Run(name, func(t *testing.T) {
			err := locate(tc.cmd, lookupFor(tc.env))
			if lookupErr := new(LookupError); tc.want == "" {
				if !errors.As(err, &lookupErr) || !strings.Contains(err.Error(), lookupErr.Path) || lookupErr.Path == "" {
					t.Errorf("error %v, want one that names the PATH", err)
				}
				return
			}
			if err != nil || tc.cmd.Path != tc.want {
				t.Errorf("it runs %s, %v; want %s", tc.cmd.Path, err, tc.want)
			}
		})
	}
}

// B071.
func TestACommandIsLookedUpInThePathOfTheServer(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "mcpera-test-server")); err != nil {
		t.Fatal(err)
	}
	ping(t, open(t, exec.Command("mcpera-test-server"),
		WithEnv("PATH="+dir, serverEnv+"=echo", "GORACE=atexit_sleep_ms=0")), 1)

	tr, err := New(exec.Command("mcpera-test-server"), WithEnv("PATH=/nowhere"))
	if err != nil {
		t.Fatal(err)
	}
	err = tr.Open(t.Context(), nil)
	if lookupErr := new(LookupError); !errors.As(err, &lookupErr) || lookupErr.Path != "/nowhere" || !errors.As(err, new(*StartError)) {
		t.Errorf("Open: %v", err)
	}
}
