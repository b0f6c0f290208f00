package fleet_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/fleet"
)

// accepted is what every common model provider takes for the name of a tool.
var accepted = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// M-TOL-07, B-TOL-08: tools of several servers are told apart by the program's
// names of them. Any name of a tool will do.
func TestToolName(t *testing.T) {
	long := strings.Repeat("x", 70)
	for name, tc := range map[string]struct{ server, tool, want string }{
		"plain names":                    {"git", "commit", "git__commit"},
		"a tool with separators":         {"git", "a__b", "git__a__b"},
		"as long as can be":              {"git", long[:59], "git__" + long[:59]},
		"too long by one":                {"git", long[:60], "git__" + long[:41] + "_xc80f35d7565e141e"},
		"a dot":                          {"git", "repo.list", "git__repo_list_x"},
		"a server that begins by digits": {"1password", "get", "_1password__get_x"},
		"a server with a separator":      {"a__b", "c", "a__b__c_x"},
		"a server that ends in _":        {"a_", "c", "a___c_x"},
		"a tool that begins with _":      {"a", "_c", "a___c_x"},
		"no tool":                        {"a", "", "a___x"},
		"no server":                      {"", "a", "__a_x"},
		"no ASCII":                       {"日本", "天気", "______" + "_x"},
		"not even UTF-8":                 {"a", "\xff", "a____x"},
		"what looks like a hash":         {"a", "b_x0123456789abcdef", "a__b_x0123456789abcdef_x"},
		"what does not quite":            {"a", "b_x0123456789abcdeg", "a__b_x0123456789abcdeg"},
	} {
		t.Run(name, func(t *testing.T) {
			got := fleet.ToolName(tc.server, tc.tool)
			if !accepted.MatchString(got) {
				t.Errorf("ToolName = %s, which some providers refuse", got)
			}
			hashed := strings.HasSuffix(tc.want, "_x") && strings.HasPrefix(got, tc.want) && len(got) == len(tc.want)+16
			if got != tc.want && !hashed {
				t.Errorf("ToolName = %s, want %s", got, tc.want)
			}
		})
	}
}

// M-TOL-07: pairs of parts that are made to be mixed up: no two share a name.
func TestNoTwoToolsShareAName(t *testing.T) {
	parts := []string{
		"", "a", "b", "_", "__", "___", "a_", "_a", "a__", "__a", "a__b", "a_b", "a-b", "a.b", "a\x00b", "\x00", "b\x00c", "é", "\xff",
		"1", "_1", "A", "x0123456789abcdef", "_x0123456789abcdef", "a_x0123456789abcdef",
		strings.Repeat("x", 44), strings.Repeat("x", 46), strings.Repeat("x", 62), strings.Repeat("x", 64), strings.Repeat("x", 200),
		strings.Repeat("x", 60) + "\x00b", strings.Repeat("x", 60) + "_b", strings.Repeat("x", 60) + "__b",
	}
	for _, server := range []string{"a", "1", "_"} { // a tool called as another one is
		parts = append(parts, fleet.ToolName(server, "é"), fleet.ToolName(server, "a"))
	}
	owners := make(map[string]string)
	for _, server := range parts {
		for _, tool := range parts {
			name, owner := fleet.ToolName(server, tool), fmt.Sprintf("%q, %q", server, tool)
			if other, taken := owners[name]; taken {
				t.Errorf("%s is the name of %s and of %s", name, other, owner)
			}
			if !accepted.MatchString(name) {
				t.Errorf("%s is called %s", owner, name)
			}
			owners[name] = owner
		}
	}
}

func FuzzToolName(f *testing.F) {
	f.Add("a", "b", "a__b", "")
	f.Add("a_", "b", "a", "_b")
	f.Add("a", "é", "a", "__")
	f.Add(strings.Repeat("x", 60), "b\x00c", strings.Repeat("x", 60)+"\x00b", "c")
	f.Fuzz(func(t *testing.T, server1, tool1, server2, tool2 string) {
		one, two := fleet.ToolName(server1, tool1), fleet.ToolName(server2, tool2)
		if same := server1 == server2 && tool1 == tool2; (one == two) != same {
			t.Errorf("ToolName(%q, %q) = %s, ToolName(%q, %q) = %s", server1, tool1, one, server2, tool2, two)
		}
		if !accepted.MatchString(one) {
			t.Errorf("ToolName(%q, %q) = %s, which some providers refuse", server1, tool1, one)
		}
	})
}
