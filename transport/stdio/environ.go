package stdio

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// listed are the variables that a server gets of this process's environment
// unless the program says otherwise: where it finds programs, files and the
// user's home, and how it speaks. None is meant for secrets. A name that ends in
// * stands for all that begin so. On Windows case does not matter.
//
// The proxies and certificates at the end let launchers that download a server,
// such as npx and uvx, work behind a company's gateway. What npm reads
// (npm_config_*, NPM_TOKEN) is left out: tokens stand there, and ~/.npmrc is read
// all the same.
var (
	listedUnix = []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "PWD", "TMPDIR",
		"LANG", "LANGUAGE", "LC_*", "TZ", "XDG_*",
	}
	listedWindows = []string{
		"PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "OS",
		"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE",
		"PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)",
		"HOMEDRIVE", "HOMEPATH", "USERPROFILE", "USERNAME", "TEMP", "TMP",
		"PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS",
		"LANG", "LC_*", "TZ",
	}
	listedEverywhere = []string{
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	}
)

// A surrounding is what a process's environment is made of.
type surrounding struct {
	os     string   // runtime.GOOS
	parent []string // the environment of this process
	given  []string // exec.Cmd.Env; nil for none
	all    bool     // the whole parent counts
	added  []string // what WithEnv adds
	dir    string   // where the process runs, absolute; "" for here
}

// surround reads the surrounding of a process of this program.
func surround(given []string, dir string, o *options) surrounding {
	if absolute, err := filepath.Abs(dir); dir != "" && err == nil {
		dir = absolute
	}
	return surrounding{
		os: runtime.GOOS, parent: os.Environ(), given: given, dir: dir,
		all: o.inheritEnv, added: o.env,
	}
}

// environ returns the environment. Where a name stands twice the later one
// counts, as everywhere.
func (s surrounding) environ() []string {
	env := make([]string, 0, len(s.given)+len(s.added))
	switch {
	case s.given != nil:
		env = append(env, s.given...)
	case s.all:
		env = append(env, s.parent...)
	default:
		for _, variable := range s.parent {
			if s.lists(variable) {
				env = append(env, variable)
			}
		}
	}
	if s.given == nil && s.dir != "" && s.os != "windows" {
		env = append(env, "PWD="+s.dir)
	}
	return append(env, s.added...)
}

// lists reports whether a variable of the parent is for every server.
func (s surrounding) lists(variable string) bool {
	name, value, ok := strings.Cut(variable, "=")
	if !ok || name == "" || strings.HasPrefix(value, "()") { // a function that a shell exported
		return false
	}
	isProxy := strings.HasSuffix(strings.ToUpper(name), "_PROXY")
	if isProxy && strings.Contains(value, "@") { // with a password
		return false
	}
	own := listedUnix
	if s.os == "windows" {
		own = listedWindows
	}
	for _, list := range [][]string{own, listedEverywhere} {
		for _, pattern := range list {
			if s.matches(pattern, name) {
				return true
			}
		}
	}
	return false
}

func (s surrounding) matches(pattern, name string) bool {
	if s.os == "windows" {
		pattern, name = strings.ToUpper(pattern), strings.ToUpper(name)
	}
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return name == pattern
}

// valueOf returns a variable's value in an environment, and whether it is there.
func valueOf(env []string, name string, goos string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		n, value, ok := strings.Cut(env[i], "=")
		if ok && (n == name || goos == "windows" && strings.EqualFold(n, name)) {
			return value, true
		}
	}
	return "", false
}

// WithEnv adds variables, as "NAME=value", to the environment of the server, on
// top of whatever else it gets. This is the place for the credentials of a
// server. They are never shown.
//
// By default a server gets, of this process's environment, only what is no
// secret as a rule: on Unix PATH, HOME, USER, LOGNAME, SHELL, TERM, PWD, TMPDIR,
// LANG, LANGUAGE, TZ and all LC_* and XDG_*; on Windows what programs need to
// run there; on both the proxy settings that hold no password, and where
// certificates stand. An exec.Cmd with an Env of its own is taken as it is, and
// WithInheritedEnv passes on everything.
func WithEnv(variables ...string) Option {
	return func(o *options) error {
		for i, variable := range variables {
			if name, _, ok := strings.Cut(variable, "="); !ok || name == "" || strings.ContainsRune(variable, 0) {
				return fmt.Errorf("stdio: variable %d is not of the form NAME=value", i) // it may be a secret
			}
		}
		o.env = append(o.env, variables...)
		return nil
	}
}

// WithInheritedEnv gives the server the whole environment of this process, and
// with it every secret there.
func WithInheritedEnv() Option {
	return func(o *options) error {
		o.inheritEnv = true
		return nil
	}
}
