package stdio

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// B071: how a server's environment is put together.
func TestEnviron(t *testing.T) {
	parent := []string{"PATH=/bin", "AWS_SECRET_ACCESS_KEY=x", "LC_ALL=C"}
	for name, tc := range map[string]struct {
		s    surrounding
		want []string
	}{
		"by default what is listed": {surrounding{parent: parent}, []string{"PATH=/bin", "LC_ALL=C"}},
		"and what is added":         {surrounding{parent: parent, added: []string{"TOKEN=t", "PATH=/opt"}}, []string{"PATH=/bin", "LC_ALL=C", "TOKEN=t", "PATH=/opt"}},
		"all, when wanted":          {surrounding{parent: parent, all: true, added: []string{"A=b"}}, append(slices.Clone(parent), "A=b")},
		"what was given, as it is":  {surrounding{parent: parent, given: []string{"GIVEN=1"}}, []string{"GIVEN=1"}},
		"even if that is nothing":   {surrounding{parent: parent, given: []string{}, dir: "/tmp"}, []string{}},
		"what was given, and more":  {surrounding{parent: parent, given: []string{"GIVEN=1"}, added: []string{"A=b"}}, []string{"GIVEN=1", "A=b"}},
		"the directory it runs in":  {surrounding{parent: []string{"PWD=/old"}, dir: "/new"}, []string{"PWD=/old", "PWD=/new"}},
		"which Windows has not":     {surrounding{os: "windows", parent: nil, dir: `C:\new`}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := tc.s.environ()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got == nil {
				t.Error("nil, by which os/exec would pass on everything")
			}
		})
	}
}

func TestWhatIsListed(t *testing.T) {
	for goos, tc := range map[string]struct{ listed, not []string }{
		"linux": {
			[]string{
				"PATH=/bin", "HOME=/root", "USER=u", "LOGNAME=u", "SHELL=sh", "TERM=xterm", "PWD=/", "TMPDIR=/tmp", "LANG=C",
				"LANGUAGE=de", "LC_CTYPE=C", "TZ=UTC", "XDG_CONFIG_HOME=/c", "XDG_RUNTIME_DIR=/run", "PATH=",
				"HTTPS_PROXY=http://proxy:3128", "no_proxy=.corp", "NODE_EXTRA_CA_CERTS=/ca.pem", "SSL_CERT_FILE=/ca.pem",
			},
			[]string{
				"AWS_SECRET_ACCESS_KEY=x", "GITHUB_TOKEN=x", "OPENAI_API_KEY=x", "NPM_TOKEN=x", "npm_config_registry=x",
				"npm_config_//registry/:_authToken=x", "DATABASE_URL=x", "SSH_AUTH_SOCK=/s", "LD_PRELOAD=/x.so", "NODE_OPTIONS=-r x",
				"HTTPS_PROXY=http://user:password@proxy:3128", "http_proxy=u@proxy", "MYPATH=x", "PATH_X=x", "path=x", "LC=x", "APPDATA=x",
				"TERM=() { echo owned; }", "LANG=(){ :;}", "BASH_FUNC_ls%%=() { :; }", "=C:=C:\\", "PATH", "",
			},
		},
		"windows": {
			[]string{
				`Path=C:\Windows`, "PATHEXT=.EXE", `ComSpec=C:\cmd.exe`, "SystemRoot=x", "SYSTEMDRIVE=C:", "AppData=x", "LOCALAPPDATA=x",
				"HOMEDRIVE=C:", `HOMEPATH=\u`, "PROCESSOR_ARCHITECTURE=AMD64", "TEMP=x", "tmp=x", "USERNAME=u", "USERPROFILE=x",
				"ProgramFiles=x", "ProgramFiles(x86)=x", "Http_Proxy=http://proxy", "lc_all=C",
			},
			[]string{"GITHUB_TOKEN=x", "HTTPS_PROXY=http://u:p@proxy", "LOGONSERVER=x", "HOME=x", `=C:=C:\`},
		},
	} {
		s := surrounding{os: goos, parent: slices.Concat(tc.not, tc.listed, tc.not)}
		if diff := cmp.Diff(tc.listed, s.environ()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", goos, diff)
		}
	}
}

// B-STD-09: a server gets its credentials by its environment, and none but
// those that are meant for it.
func TestAServerGetsNoSecretOfItsParent(t *testing.T) {
	t.Setenv("MCPERA_SECRET", "parent")
	t.Setenv("LC_MCPERA", "C")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	get := func(t *testing.T, cmd *exec.Cmd, opts ...Option) string {
		t.Helper()
		opts = append(opts, WithEnv(serverEnv+"=environ", "GORACE=atexit_sleep_ms=0", "TOKEN=own"))
		o, err := exchange(t.Context(), open(t, cmd, opts...), ask(1, `["MCPERA_SECRET","LC_MCPERA","TOKEN","PWD"]`))
		if err != nil {
			t.Fatal(err)
		}
		return string(o.Message.Result)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PWD", here)
	elsewhere := exec.Command(self)
	elsewhere.Dir = t.TempDir()
	given := exec.Command(self)
	given.Env = []string{"MCPERA_SECRET=given"}
	for name, tc := range map[string]struct{ got, want string }{
		"by default":         {get(t, exec.Command(self)), `["","C","own","` + here + `"]`},
		"in another place":   {get(t, elsewhere), `["","C","own","` + elsewhere.Dir + `"]`},
		"inherited":          {get(t, exec.Command(self), WithInheritedEnv()), `["parent","C","own","` + here + `"]`},
		"given by exec.Cmd ": {get(t, given), `["given","","own",""]`},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", name, tc.got, tc.want)
		}
	}
}

func TestEnvironmentsThatCanNotBe(t *testing.T) {
	for name, tc := range map[string]struct {
		cmd exec.Cmd
		opt Option
	}{
		"a secret without a name": {exec.Cmd{}, WithEnv("A=b", "SECRET")},
		"an empty name":           {exec.Cmd{}, WithEnv("=SECRET")},
		"a NUL":                   {exec.Cmd{}, WithEnv("A=SECRET\x00")},
		"two environments":        {exec.Cmd{Env: []string{"A=SECRET"}}, WithInheritedEnv()},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(&tc.cmd, tc.opt)
			if err == nil || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("New: %v, want an error that does not show the value", err)
			}
		})
	}
}

func TestThePrincipalFollowsTheEnvironment(t *testing.T) {
	of := func(opts ...Option) string {
		tr, err := New(&exec.Cmd{Path: "/server"}, opts...)
		if err != nil {
			t.Fatal(err)
		}
		return tr.Target().Principal
	}
	if got := of(); got != "" {
		t.Errorf("what every server gets has the principal %s", got)
	}
	t.Setenv("MCPERA_SECRET", "1")
	inherited := of(WithInheritedEnv())
	t.Setenv("MCPERA_SECRET", "2")
	principals := []string{of(), inherited, of(WithInheritedEnv()), of(WithEnv("A=1")), of(WithEnv("A=2"))}
	slices.Sort(principals)
	if got := len(slices.Compact(principals)); got != 5 {
		t.Errorf("%d of 5 environments differ", got)
	}
	if of(WithEnv("A=1"), WithEnv("B=2")) != of(WithEnv("A=1", "B=2")) {
		t.Error("options do not add up")
	}
}
