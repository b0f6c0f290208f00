package stdio

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/transport"
)

func TestTargetNamesTheCommand(t *testing.T) {
	target := func(cmd *exec.Cmd) transport.Target {
		t.Helper()
		tr, err := New(cmd)
		if err != nil {
			t.Fatal(err)
		}
		return tr.Target()
	}
	for name, tc := range map[string]struct {
		cmd  *exec.Cmd
		want []string
	}{
		"with its arguments":   {&exec.Cmd{Path: "/bin/server", Args: []string{"server", "-v"}}, []string{"server", "-v"}},
		"by its path for none": {&exec.Cmd{Path: "/bin/server"}, []string{"/bin/server"}},
	} {
		if diff := cmp.Diff(transport.Target{Command: tc.want}, target(tc.cmd)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOptionsRefuseWhatMakesNoSense(t *testing.T) {
	for name, opt := range map[string]Option{
		"a limit of zero":        WithMaxMessage(0),
		"no logger":              WithLogger(nil),
		"a grace below zero":     WithShutdown(-1, 0),
		"another one below zero": WithShutdown(0, -time.Nanosecond),
		"a limit far below zero": WithMaxMessage(-1 << 40),
		"less than no stderr":    WithKeptStderr(-1),
	} {
		if _, err := New(exec.Command("server"), opt); err == nil || !strings.HasPrefix(err.Error(), "stdio: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := New(nil); err == nil {
		t.Error("no command was taken")
	}
}
