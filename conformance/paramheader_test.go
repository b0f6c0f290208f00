package conformance

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestParamHeaders(t *testing.T) {
	for name, tc := range map[string]struct {
		schema string
		want   []paramHeader
		bad    bool
	}{
		"a property": {schema: `{"properties":{"r":{"type":"string","x-mcp-header":"Region"}}}`,
			want: []paramHeader{{"Mcp-Param-Region", []string{"r"}, "string"}}},
		"a nested property": {schema: `{"properties":{"a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}}}}`,
			want: []paramHeader{{"Mcp-Param-B", []string{"a", "b"}, "integer"}}},
		"a property that is called like the annotation": {schema: `{"properties":{"x-mcp-header":{"type":"string"}}}`},
		"a default that looks like an annotation":       {schema: `{"properties":{"a":{"type":"object","default":{"x-mcp-header":"A"}}}}`},
		"no schema at all":                              {schema: `true`},
		"type number":                                   {schema: `{"properties":{"r":{"type":"number","x-mcp-header":"R"}}}`, bad: true},
		"no type":                                       {schema: `{"properties":{"r":{"x-mcp-header":"R"}}}`, bad: true},
		"an empty name":                                 {schema: `{"properties":{"r":{"type":"string","x-mcp-header":""}}}`, bad: true},
		"a name that is no token":                       {schema: `{"properties":{"r":{"type":"string","x-mcp-header":"a b"}}}`, bad: true},
		"a name that is no string":                      {schema: `{"properties":{"r":{"type":"string","x-mcp-header":1}}}`, bad: true},
		"one name twice, in another case":               {schema: `{"properties":{"r":{"type":"string","x-mcp-header":"A"},"s":{"type":"string","x-mcp-header":"a"}}}`, bad: true},
		"on the root":                                   {schema: `{"type":"string","x-mcp-header":"R"}`, bad: true},
		"inside items":                                  {schema: `{"properties":{"r":{"type":"array","items":{"type":"string","x-mcp-header":"R"}}}}`, bad: true},
		"inside anyOf":                                  {schema: `{"anyOf":[{"properties":{"r":{"type":"string","x-mcp-header":"R"}}}]}`, bad: true},
		"inside $defs":                                  {schema: `{"$defs":{"r":{"type":"string","x-mcp-header":"R"}}}`, bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := paramHeaders(jsontext.Value(tc.schema))
			if (err != nil) != tc.bad {
				t.Fatalf("error = %v, want one: %v", err, tc.bad)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(paramHeader{})); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAToolWithInvalidAnnotationsIsLeftOutOfTheHeaderChecks(t *testing.T) {
	e := serve(t, WithTools(Tool{
		Definition: define("bad", "Bad.", `{"type":"object","properties":{"n":{"type":"number","x-mcp-header":"N"}}}`),
		Run:        showArguments,
	}))
	a := e.call("bad", `{"n":1}`)
	if a.Status != 200 || a.code() != 0 {
		t.Errorf("status %d, body %s", a.Status, a.Body)
	}
}

func TestWholeNumber(t *testing.T) {
	for text, want := range map[string]int64{"42": 42, "42.0": 42, "4.2e1": 42, "-7": -7, "0": 0, "9007199254740991": 1<<53 - 1} {
		if got, ok := wholeNumber(text); !ok || got != want {
			t.Errorf("wholeNumber(%q) = %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "4.2", "042", "+42", "0x2A", "4_2", "NaN", "Inf", " 42", "1e400", "1e300"} {
		if got, ok := wholeNumber(text); ok {
			t.Errorf("wholeNumber(%q) = %d, want none", text, got)
		}
	}
}
