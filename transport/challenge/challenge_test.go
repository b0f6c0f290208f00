package challenge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// B-AUT-02, B116: challenges as RFC 9110 and servers spell them.
func TestParse(t *testing.T) {
	bearer := func(params ...Param) []Challenge { return []Challenge{{Scheme: "Bearer", Params: params}} }
	for name, tc := range map[string]struct {
		lines []string
		want  []Challenge
	}{
		"no header":        {nil, nil},
		"an empty header":  {[]string{" , ,"}, nil},
		"a scheme alone":   {[]string{"Bearer"}, bearer()},
		"parameters":       {[]string{`Bearer realm="x", error=invalid_token`}, bearer(Param{"realm", "x"}, Param{"error", "invalid_token"})},
		"any case of name": {[]string{`Bearer Scope="a b"`}, bearer(Param{"scope", "a b"})},
		"blanks around the equals sign": {
			[]string{"Bearer scope \t=  \"a\" ,error = x"}, bearer(Param{"scope", "a"}, Param{"error", "x"}),
		},
		"commas and escapes in quotes": {
			[]string{`Bearer error_description="a, \"b\" \\ c=d", scope="e"`},
			bearer(Param{"error_description", `a, "b" \ c=d`}, Param{"scope", "e"}),
		},
		"several challenges in one line": {
			[]string{`Basic realm="a", bearer scope="s", resource_metadata="https://h/x", Negotiate`},
			[]Challenge{
				{Scheme: "Basic", Params: []Param{{"realm", "a"}}},
				{Scheme: "bearer", Params: []Param{{"scope", "s"}, {"resource_metadata", "https://h/x"}}},
				{Scheme: "Negotiate"},
			},
		},
		"several lines": {
			[]string{`Negotiate YII+/.~w==`, `DPoP algs="ES256"`},
			[]Challenge{{Scheme: "Negotiate", Token68: "YII+/.~w=="}, {Scheme: "DPoP", Params: []Param{{"algs", "ES256"}}}},
		},
		"a token68 before another challenge": {
			[]string{`NTLM TlRM=, Bearer a=b`},
			[]Challenge{{Scheme: "NTLM", Token68: "TlRM="}, {Scheme: "Bearer", Params: []Param{{"a", "b"}}}},
		},
		"a name twice": {
			[]string{`Bearer resource_metadata="/a", resource_metadata="/b"`},
			bearer(Param{"resource_metadata", "/a"}, Param{"resource_metadata", "/b"}),
		},
		"a URL without quotes":   {[]string{`Bearer resource_metadata=https://h/x?y=z`}, bearer(Param{"resource_metadata", "https://h/x?y=z"})},
		"missing commas":         {[]string{`Bearer realm="a" scope="b"`}, bearer(Param{"realm", "a"}, Param{"scope", "b"})},
		"needless commas":        {[]string{`, Bearer ,, realm="a",, scope="b",`}, bearer(Param{"realm", "a"}, Param{"scope", "b"})},
		"an empty value":         {[]string{`Bearer scope="", realm=, error=x`}, bearer(Param{"scope", ""}, Param{"realm", ""}, Param{"error", "x"})},
		"a quote without an end": {[]string{`Bearer scope="a, b`, `Basic`}, append(bearer(Param{"scope", "a, b"}), Challenge{Scheme: "Basic"})},
		"junk before it":         {[]string{`"x" @ Bearer a=b`}, bearer(Param{"a", "b"})},
		"an escape at the end":   {[]string{`Bearer a="b\`}, bearer(Param{"a", `b\`})},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Parse(tc.lines...)); diff != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tc.lines, diff)
			}
		})
	}
}

func TestChallengeAccess(t *testing.T) {
	c := Parse(`bEARER a=1, b=2, a=3`)[0]
	if !c.Is("Bearer") || c.Is("Basic") {
		t.Errorf("the scheme %q was not recognised", c.Scheme)
	}
	if got := c.Get("a") + c.Get("b") + c.Get("c"); got != "12" {
		t.Errorf("Get: %q", got)
	}
	if diff := cmp.Diff([]string{"1", "3"}, c.All("a")); diff != "" {
		t.Error(diff)
	}
}

func TestParseIsBounded(t *testing.T) {
	line := "Bearer " + strings.Repeat("a=b, ", 1000)
	if got := Parse(line); len(got[0].Params) > maxParams {
		t.Errorf("%d parameters", len(got[0].Params))
	}
	lines := make([]string, 1000)
	for i := range lines {
		lines[i] = strings.Repeat("Bearer, ", 100)
	}
	if got := Parse(lines...); len(got) > maxLines*maxChallenges {
		t.Errorf("%d challenges", len(got))
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`Bearer a="b\"c", d = e`, `Basic, Negotiate YII=, Bearer x=y`, `"`, `Bearer a="\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range Parse(line) {
			if c.Scheme == "" || c.Token68 != "" && c.Params != nil {
				t.Errorf("Parse(%q) has %+v", line, c)
			}
			for _, p := range c.Params {
				if p.Name == "" || p.Name != strings.ToLower(p.Name) {
					t.Errorf("Parse(%q) has the parameter %+v", line, p)
				}
			}
			// What was read is read the same when it is written as it ought to be.
			if diff := cmp.Diff([]Challenge{c}, Parse(format(c))); diff != "" && len(format(c)) < maxLine {
				t.Errorf("Parse(%q) (-first +again):\n%s", format(c), diff)
			}
		}
	})
}

// format writes a challenge as RFC 9110 has it.
func format(c Challenge) string {
	var b strings.Builder
	b.WriteString(c.Scheme)
	if c.Token68 != "" {
		b.WriteString(" " + c.Token68)
	}
	for i, p := range c.Params {
		if i > 0 {
			b.WriteByte(',')
		}
		value := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(p.Value)
		b.WriteString(" " + p.Name + `="` + value + `"`)
	}
	return b.String()
}
