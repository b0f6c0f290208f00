package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// withOutput is a server of an era with one tool, "echo", that was listed with
// an output schema and answers with a result.
func withOutput(era, schema, result string) fault.Script {
	script := fault.Modern()
	if era == "legacy" {
		script = fault.Legacy("2025-11-25")
	}
	return script.With(fault.Script{
		protocol.MethodListTools: {{fault.Result(`{"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":` + schema + `}]}`)}},
		protocol.MethodCallTool:  {{fault.Result(result)}},
	})
}

// structured is a tool result with structured content.
func structured(content string) string {
	return `{"content":[{"type":"text","text":"t"}],"structuredContent":` + content + `}`
}

const tempSchema = `{"type":"object","properties":{"temp":{"type":"number"}},"required":["temp"],"additionalProperties":false}`

// nested wraps a JSON value into n arrays.
func nested(n int, value string) string {
	return strings.Repeat("[", n) + value + strings.Repeat("]", n)
}

// B-TOL-02, B-SCH-01, B-SCH-02, M-SCH-04, M-SCH-06, M-SCH-07, B096: the result
// always comes, and an *OutputError beside it when it does not fit.
func TestStructuredContentIsCheckedAgainstTheOutputSchema(t *testing.T) {
	for name, tc := range map[string]struct {
		schema, result string
		mismatch       string // in the error; "" when there is none
	}{
		"fits, and the rest of the result is not looked at (B096)": {tempSchema, structured(`{"temp":1}`), ""},
		"a missing property":                   {tempSchema, structured(`{}`), "temp"},
		"a property too many":                  {tempSchema, structured(`{"temp":1,"x":2}`), "x"},
		"a wrong type":                         {tempSchema, structured(`{"temp":"hot"}`), "temp"},
		"null is a value that does not fit":    {tempSchema, structured(`null`), "null"},
		"none at all (B087)":                   {tempSchema, `{"content":[]}`, "structuredContent is missing"},
		"a failed tool is not checked":         {tempSchema, `{"isError":true,"content":[]}`, ""},
		"a failed tool's content neither":      {tempSchema, `{"isError":true,"content":[],"structuredContent":{"x":1}}`, ""},
		"any JSON value may be one (M-SCH-08)": {`{"type":"array","items":{"type":"integer"}}`, structured(`[1,2]`), ""},
		"a list with a wrong item":             {`{"type":"array","items":{"type":"integer"}}`, structured(`[1,"2"]`), "2"},
		"true accepts everything":              {`true`, structured(`7`), ""},
		"2020-12 by name":                      {`{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{"type":"string"}]}`, structured(`[1]`), "string"},
		"2020-12 with a fragment":              {`{"$schema":"https://json-schema.org/draft/2020-12/schema#","type":"string"}`, structured(`1`), "string"},
		"draft-07 by name":                     {`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}`, structured(`[1]`), "string"},
		"draft-07 without fragment":            {`{"$schema":"http://json-schema.org/draft-07/schema","definitions":{"t":{"type":"string"}},"$ref":"#/definitions/t"}`, structured(`1`), "string"},
		"draft-07 over https":                  {`{"$schema":"https://json-schema.org/draft-07/schema#","type":"string"}`, structured(`"s"`), ""},
		"an unsupported dialect says so":       {`{"$schema":"https://json-schema.org/draft/2019-09/schema"}`, structured(`1`), `dialect "https://json-schema.org/draft/2019-09/schema" is not supported`},
		"a made-up dialect says so":            {`{"$schema":"urn:mine"}`, structured(`1`), `"urn:mine"`},
		"a schema that is no schema":           {`7`, structured(`1`), "schema"},
		"a pattern that can't be compiled":     {`{"type":"string","pattern":"("}`, structured(`"x"`), "schema can't be used"},
		"a $ref within":                        {`{"$defs":{"t":{"type":"string"}},"$ref":"#/$defs/t"}`, structured(`1`), "string"},
		"a $ref by anchor":                     {`{"$defs":{"t":{"$anchor":"here","type":"string"}},"properties":{"a":{"$ref":"#here"}}}`, structured(`{"a":1}`), "string"},
		"a $ref into properties and lists":     {`{"properties":{"a":{"items":{"type":"string"}},"b":{"$ref":"#/properties/a/items"}},"anyOf":[true,{"$ref":"#/anyOf/0"}]}`, structured(`{"b":1}`), "string"},
		"a $ref with escapes":                  {`{"$defs":{"a/b":{"type":"string"}},"$ref":"#/$defs/a~1b"}`, structured(`1`), "string"},
		"a $ref to the schema's own id":        {`{"$id":"https://x.example/s","$defs":{"t":{"type":"string"}},"properties":{"a":{"$ref":"https://x.example/s#/$defs/t"}}}`, structured(`{"a":1}`), "string"},
		"a $ref that leads nowhere":            {`{"$ref":"#/$defs/none"}`, structured(`1`), "schema can't be used"},
		"recursion into the value":             {`{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, structured(`{"next":{"next":{"x":1}}}`), "x"},
		"recursion in place":                   {`{"$ref":"#"}`, structured(`1`), "refers to itself"},
		"recursion in place, two steps":        {`{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}`, structured(`1`), "refers to itself"},
		"recursion in place below a property":  {`{"$defs":{"a":{"if":{"$ref":"#/$defs/a"}}},"properties":{"p":{"$ref":"#/$defs/a"}}}`, structured(`{"p":1}`), "refers to itself"},
		"branches that multiply":               {doubling(40), structured(`1`), "branches too much"},
		"branches that multiply by depth":      {`{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`, structured(nested(40, "1")), "branches too much"},
		"the same for a flat value":            {`{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`, structured(nested(3, "1")), ""},
		"a schema that nests too deep":         {strings.Repeat(`{"not":`, 100) + `true` + strings.Repeat(`}`, 100), structured(`1`), "nests deeper than the limit of 64"},
		"a schema that is too large":           {`{"description":"${fill:1100000}"}`, structured(`1`), "larger than the limit"},
		"a value that nests too deep":          {`{}`, structured(nested(300, "1")), "nests deeper than the limit of 256"},
	} {
		t.Run(name, func(t *testing.T) {
			bothEras(t, func(t *testing.T, era string) {
				c := overHTTP(t, withOutput(era, tc.schema, tc.result)).connected(t)
				if _, err := c.ListTools(t.Context()); err != nil {
					t.Fatal(err)
				}
				r, err := c.CallTool(t.Context(), "echo", nil)
				if r == nil {
					t.Fatalf("no result beside %v", err)
				}
				mismatch, _ := errors.AsType[*client.OutputError](err)
				switch {
				case tc.mismatch == "" && err != nil:
					t.Error(err)
				case tc.mismatch != "" && (mismatch == nil || mismatch.Tool != "echo" || !strings.Contains(err.Error(), tc.mismatch)):
					t.Errorf("got %v, want an *OutputError with %q", err, tc.mismatch)
				}
			})
		})
	}
}

// doubling is a schema whose n levels each use the next twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":false}}`, n)
	return b.String()
}

// B-SCH-03: which dialects there are is documented.
func TestTheDialectsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/calls.md")
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(strings.Fields(string(page)), " "); !strings.Contains(text, "JSON Schema 2020-12 and draft-07 are supported") {
		t.Error("docs/calls.md does not name the dialects that are tested here")
	}
}

// M-SCH-04, M-SCH-05, M-SCH-06, M-TOL-05: a remote $ref is an error and never
// a request; there is no mode that fetches.
func TestNoSchemaIsEverFetched(t *testing.T) {
	var hits atomic.Int64
	spy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		_, _ = w.Write([]byte(`{}`))
	}))
	defer spy.Close()
	for name, schema := range map[string]string{
		"by $ref":        `{"$ref":"` + spy.URL + `/s"}`,
		"by $dynamicRef": `{"$dynamicRef":"` + spy.URL + `/s#x"}`,
		"below":          `{"properties":{"a":{"$ref":"` + spy.URL + `/s"}}}`,
		"by a base":      `{"$id":"` + spy.URL + `/base","properties":{"a":{"$ref":"other"}}}`,
		"by $schema":     `{"$schema":"` + spy.URL + `/dialect"}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := overHTTP(t, withOutput("modern", schema, structured(`{"a":1}`))).connected(t)
			if _, err := c.ListTools(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r, err := c.CallTool(t.Context(), "echo", nil); r == nil || !errors.As(err, new(*client.OutputError)) {
				t.Errorf("CallTool: %v, %v", r, err)
			}
		})
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// A tool that was never listed has no schema that is known.
func TestAnUnlistedToolsOutputIsNotChecked(t *testing.T) {
	c := overHTTP(t, withOutput("modern", tempSchema, structured(`{}`))).connected(t)
	if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
		t.Error(err)
	}
}

func TestCallToolAsSaysWhyThereIsNoValue(t *testing.T) {
	type weather struct {
		Temp int `json:"temp"`
	}
	for name, tc := range map[string]struct {
		result string
		want   string
		check  func(error) bool
	}{
		"no structured content": {`{"content":[]}`, "structuredContent is missing", func(err error) bool { return errors.As(err, new(*client.OutputError)) }},
		"another type":          {structured(`{"temp":"hot"}`), "temp", func(err error) bool { return errors.As(err, new(*client.OutputError)) }},
		"a failed tool":         {`{"isError":true,"content":[{"type":"text","text":"no such city"}]}`, "no such city", func(err error) bool { return errors.As(err, new(*client.ToolError)) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, modernCalls(fault.Answer{fault.Result(tc.result)}))
			_, err := client.CallToolAs[weather](t.Context(), s.connected(t), "echo", nil)
			if err == nil || !tc.check(err) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	s := overHTTP(t, modernCalls(fault.Answer{fault.Result(structured(`{"temp":3,"extra":true}`))}))
	if got, err := client.CallToolAs[weather](t.Context(), s.connected(t), "echo", nil); err != nil || got.Temp != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// M-SCH-08: a tool's schemas come as they are, with members in their order.
func TestSchemasComeAsTheyWere(t *testing.T) {
	const in = `{"type": "object", "z":1, "a":{"const":9007199254740993}, "$comment":"\u00e9"}`
	const out = `{"allOf":[{"if":true,"then":{"x-vendor":[1.50]}}]}`
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodListTools: {{
		fault.Result(`{"tools":[{"name":"a","inputSchema":` + in + `,"outputSchema":` + out + `}]}`),
	}}}))
	r, err := s.connected(t).ListTools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tool := r.Tools.Items[0]; string(tool.InputSchema) != in || string(tool.OutputSchema) != out {
		t.Errorf("got %s and %s", tool.InputSchema, tool.OutputSchema)
	}
}

// Arguments are an object, whatever they come from; anything else is refused
// before it is sent.
func TestArgumentsThatAreNoObjectAreNotSent(t *testing.T) {
	s := overHTTP(t, fault.Modern())
	c := s.connected(t)
	for name, args := range map[string]any{
		"a list":              []int{1},
		"a text":              "x",
		"a number":            7,
		"null":                jsontext.Value(`null`),
		"broken JSON":         []byte(`{"a":`),
		"two values":          []byte(`{} {}`),
		"a name said twice":   []byte(`{"a":1,"a":2}`),
		"something unencoded": map[string]any{"f": func() {}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := c.CallTool(t.Context(), "echo", args); err == nil {
				t.Error("no error")
			}
		})
	}
	if n := s.Count(protocol.MethodCallTool); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// B-STD-01: line breaks in raw arguments do not end a message.
func TestLineBreaksInArgumentsStayOutOfTheStream(t *testing.T) {
	s := overStdio(t, fault.Modern())
	if _, err := s.connected(t).CallTool(t.Context(), "echo", []byte("{\n\t\"b\": \"x\\ny\",\r\n \"a\": 1e3\n}")); err != nil {
		t.Fatal(err)
	}
	if got := member(t, s.await(t, protocol.MethodCallTool, 1).Body, "params", "arguments"); got != `{"b":"x\ny","a":1e3}` {
		t.Errorf("sent %s", got)
	}
}
