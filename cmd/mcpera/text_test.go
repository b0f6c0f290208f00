package main

import (
	"strings"
	"testing"
)

// B-LOG-02: what a server says can't steer a terminal.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                     "plain",
		"  two\n lines\t ":          "two lines",
		"\x1b[31mred\x1b[0m":        "[31mred [0m",
		"bell\a, nul\x00, c1\u009b": "bell , nul , c1",
		"left\u202eright\u2066":     "leftright",
		"天気":                        "天気",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for in, want := range map[string]string{"": "", "\n \n one \ntwo": "one", "one": "one"} {
		if got := firstLine(in); got != want {
			t.Errorf("firstLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	for in, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "天気": 4, "한글": 4, "、": 2, "Ａ": 2, "🙂": 2, "→": 1} {
		if got := columns(in); got != want {
			t.Errorf("columns(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tc := range []struct {
		in    string
		width int
		want  string
	}{
		{"abcdef", 0, "abcdef"},
		{"abcdef", 6, "abcdef"},
		{"abcdef", 5, "abcd…"},
		{"abc def", 5, "abc…"},
		{"abcdef", 1, "…"},
		{"天気天気", 5, "天気…"},
		{"天気天気", 4, "天…"},
	} {
		got := cut(tc.in, tc.width)
		if got != tc.want || tc.width > 0 && columns(got) > tc.width {
			t.Errorf("cut(%q, %d) = %q, want %q", tc.in, tc.width, got, tc.want)
		}
	}
}

func TestWrap(t *testing.T) {
	const text = "one two three averyveryverylongword four"
	if got := wrap(text, 0); got != text {
		t.Errorf("without a width: %q", got)
	}
	if got, want := wrap(text, 9), "one two\nthree\naveryveryverylongword\nfour"; got != want {
		t.Errorf("wrap: %q, want %q", got, want)
	}
}

func TestTable(t *testing.T) {
	table := table{head: []string{"NAME", "DESCRIPTION"}}
	table.add("a", "short")
	table.add("天気", "")
	table.add("longer", "a description of some length")
	for width, want := range map[int]string{
		0:  "NAME    DESCRIPTION\na       short\n天気\nlonger  a description of some length\n",
		20: "NAME    DESCRIPTION\na       short\n天気\nlonger  a descripti…\n",
		5:  "NAME…\na…\n天気\nlong…\n",
	} {
		p := page{width: width}
		table.write(&p)
		if got := p.String(); got != want {
			t.Errorf("at width %d:\n%swant:\n%s", width, got, want)
		}
	}
}

func TestFacts(t *testing.T) {
	var f facts
	f.add("era", "modern")
	f.add("capabilities", "tools (list changes), resources, prompts, completions")
	for width, want := range map[int]string{
		0:  "era           modern\ncapabilities  tools (list changes), resources, prompts, completions\n",
		40: "era           modern\ncapabilities  tools (list changes),\n              resources, prompts,\n              completions\n",
		20: "era           modern\ncapabilities  tools (list changes), resources, prompts, completions\n",
	} {
		p := page{width: width}
		f.write(&p)
		if got := p.String(); got != want {
			t.Errorf("at width %d:\n%swant:\n%s", width, got, want)
		}
	}
	if strings.Contains(f.rows[0][1], "\n") {
		t.Error("write changed the facts")
	}
}
