package stdio

import (
	"os/exec"
	"strings"
	"testing"
)

// Private answers are shared between processes of one principal.
func TestPrincipal(t *testing.T) {
	for name, tc := range map[string]struct {
		left, right exec.Cmd
		same        bool
	}{
		"this process's environment":      {exec.Cmd{}, exec.Cmd{}, true},
		"equal environments":              {exec.Cmd{Env: []string{"TOKEN=SECRET"}}, exec.Cmd{Env: []string{"TOKEN=SECRET"}}, true},
		"another token":                   {exec.Cmd{Env: []string{"TOKEN=SECRET"}}, exec.Cmd{Env: []string{"TOKEN=SECRET2"}}, false},
		"no environment is not this one":  {exec.Cmd{Env: []string{}}, exec.Cmd{}, false},
		"another directory":               {exec.Cmd{Dir: "/a"}, exec.Cmd{Dir: "/b"}, false},
		"a directory is not the default":  {exec.Cmd{Dir: "/a"}, exec.Cmd{}, false},
		"nor is it with no environment":   {exec.Cmd{Dir: "/a", Env: []string{}}, exec.Cmd{Dir: "/a"}, false},
		"variables do not run together":   {exec.Cmd{Env: []string{"A=1", "B=2"}}, exec.Cmd{Env: []string{"A=1 B=2"}}, false},
		"equal directories, equal values": {exec.Cmd{Dir: "/a", Env: []string{"A=1"}}, exec.Cmd{Dir: "/a", Env: []string{"A=1"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var principals [2]string
			for i, cmd := range []*exec.Cmd{&tc.left, &tc.right} {
				cmd.Path = "server"
				tr, err := New(cmd)
				if err != nil {
					t.Fatal(err)
				}
				principals[i] = tr.Target().Principal
			}
			if got := principals[0] == principals[1]; got != tc.same {
				t.Errorf("the same: %v, want %v", got, tc.same)
			}
			if strings.Contains(principals[0]+principals[1], "SECRET") {
				t.Error("the principal shows a secret")
			}
		})
	}
}
