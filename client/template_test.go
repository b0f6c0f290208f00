package client_test

import (
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

// RFC 6570, as far as it goes; what is misspelt or of another type is an error.
func TestExpandTemplate(t *testing.T) {
	for name, tc := range map[string]struct {
		template string
		values   map[string]any
		want     string // "" for an error
	}{
		"a value":                      {"file:///{path}", map[string]any{"path": "a b/ü"}, "file:///a%20b%2F%C3%BC"},
		"no letter becomes a slash":    {"x://s/{a}{+b}", map[string]any{"a": "į世🙂", "b": "Ā"}, "x://s/%C4%AF%E4%B8%96%F0%9F%99%82%C4%80"},
		"a list that is not ASCII":     {"x://s{?a*}", map[string]any{"a": []string{"ü", "b"}}, "x://s?a=%C3%BC&a=b"},
		"what is encoded already":      {"x://s/{a}", map[string]any{"a": "%2F"}, "x://s/%252F"},
		"not UTF-8":                    {"x://s/{a}", map[string]any{"a": "a\xff"}, ""},
		"a NUL":                        {"x://s/{a}", map[string]any{"a": "a\x00b"}, ""},
		"a prefix that is not ASCII":   {"x://s/{a:1}", map[string]any{"a": "ü"}, ""},
		"reserved":                     {"file:///{+path}", map[string]any{"path": "a/b"}, "file:///a/b"},
		"a query":                      {"x://s{?q,lang}", map[string]any{"q": "a&b", "lang": "en"}, "x://s?q=a%26b&lang=en"},
		"without a value":              {"x://s{?q,lang}", map[string]any{"lang": "en"}, "x://s?lang=en"},
		"no values":                    {"x://s/{a}", nil, "x://s/"},
		"a list":                       {"x://s{/parts*}", map[string]any{"parts": []string{"a", "b"}}, "x://s/a/b"},
		"a fragment and a prefix":      {"x://s{#f:3}", map[string]any{"f": "abcdef"}, "x://s#abc"},
		"a value without a variable":   {"x://s/{a}", map[string]any{"b": "1"}, ""},
		"a value of another type":      {"x://s/{a}", map[string]any{"a": 1}, ""},
		"a template that can't be one": {"x://s/{a", map[string]any{"a": "1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := client.ExpandTemplate(&protocol.ResourceTemplate{Name: "t", URITemplate: tc.template}, tc.values)
			if got != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("got %q, %v; want %q", got, err, tc.want)
			}
		})
	}
}
