package stdio

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIsBatchFile(t *testing.T) {
	for path, want := range map[string]bool{
		`C:\npx.cmd`: true, `C:\NPX.CMD`: true, `a.bat`: true, `a.exe`: false, `a.cmd.exe`: false, `cmd`: false, ``: false,
	} {
		if got := isBatchFile(path); got != want {
			t.Errorf("isBatchFile(%q) is %v", path, got)
		}
	}
}

// B070: how a script is run by cmd.exe, with nothing in its arguments that it
// would take for its own.
func TestBatchLine(t *testing.T) {
	const start = `"C:\Windows\System32\cmd.exe" /e:ON /v:OFF /d /c ""C:\Program Files\npx.cmd"`
	for name, tc := range map[string]struct {
		args []string
		want string // after start
	}{
		"no arguments":              {nil, `"`},
		"plain ones":                {[]string{"-y", "@scope/server"}, ` "-y" "@scope/server""`},
		"an empty one":              {[]string{""}, ` """`},
		"blanks":                    {[]string{"a b"}, ` "a b""`},
		"what joins commands":       {[]string{"a&calc", "a|calc", "a^&calc", "(a)", "a>b"}, ` "a&calc" "a|calc" "a^&calc" "(a)" "a>b""`},
		"a quote that would end it": {[]string{`a"&calc"`}, ` "a""&calc""""`},
		"a variable":                {[]string{"%PATH%"}, ` "%%cd:~,%PATH%%cd:~,%""`},
		"a delayed variable":        {[]string{"!PATH!"}, ` "!PATH!""`},
		"backslashes":               {[]string{`C:\dir\`}, ` "C:\dir\\""`},
		"backslashes and a quote":   {[]string{`a\"b`}, ` "a\\""b""`},
		"not ASCII":                 {[]string{"é漢"}, ` "é漢""`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := batchLine(`C:\Windows\System32\cmd.exe`, `C:\Program Files\npx.cmd`, tc.args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(start+tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Count(got, `"`)%2 != 0 {
				t.Error("the interpreter would go on within quotes")
			}
		})
	}
}

func TestWhatCanNotBeQuoted(t *testing.T) {
	for _, tc := range []struct {
		script string
		args   []string
	}{
		{"a.cmd", []string{"a\nb"}}, {"a.cmd", []string{"a\rb"}}, {"a.cmd", []string{"a\x00b"}},
		{`a".cmd`, nil}, {"%a%.cmd", nil}, {"a\n.cmd", nil}, {`a\`, nil},
	} {
		if line, err := batchLine("cmd.exe", tc.script, tc.args); !errors.Is(err, errUnquotable) {
			t.Errorf("%q %q: %s, %v", tc.script, tc.args, line, err)
		}
	}
}
