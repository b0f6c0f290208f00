package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

// B082, B083, B084.
func TestList(t *testing.T) {
	object := jsontext.Value(`{"type":"object"}`)
	for name, tc := range map[string]struct {
		text    string
		want    []protocol.Tool
		dropped []string // parts of the reasons
	}{
		"a list is read in order": {
			`{"tools":[{"name":"b"},{"name":"a"}]}`, []protocol.Tool{{Name: "b"}, {Name: "a"}}, nil},
		"null is an empty list":             {`{"tools":null}`, nil, nil},
		"a list that is left out is empty":  {`{"resultType":"complete"}`, nil, nil},
		"a list without elements is empty":  {`{"tools":[]}`, nil, nil},
		"a null element costs itself alone": {`{"tools":[null,{"name":"a","inputSchema":{"type":"object"}}]}`, []protocol.Tool{{Name: "a", InputSchema: object}}, []string{"element 0: element is null"}},
		"a bad element costs itself alone": {
			`{"tools":[{"name":"a"},{"name":7},"x",{"name":"b"}]}`,
			[]protocol.Tool{{Name: "a"}, {Name: "b"}}, []string{"element 1: ", "element 2: "}},
		"a list of bad elements alone is empty": {
			`{"tools":[1,null]}`, nil, []string{"element 0: ", "element 1: element is null"}},
		"a schema of nothing but its dialect is kept": {
			`{"tools":[{"name":"a","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema"}}]}`,
			[]protocol.Tool{{Name: "a", InputSchema: jsontext.Value(`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`)}}, nil},
		"odd schemas are kept": {
			`{"tools":[{"name":"a b (c)","inputSchema":{},"outputSchema":true},{"name":"d","inputSchema":{"type":["object","null"],"properties":{"x":{"$ref":"#/$defs/x","default":null}}}}]}`,
			[]protocol.Tool{
				{Name: "a b (c)", InputSchema: jsontext.Value(`{}`), OutputSchema: jsontext.Value(`true`)},
				{Name: "d", InputSchema: jsontext.Value(`{"type":["object","null"],"properties":{"x":{"$ref":"#/$defs/x","default":null}}}`)},
			}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte(tc.text)
			page := protocol.ListToolsResult{}
			if err := json.Unmarshal(data, &page); err != nil {
				t.Fatal(err)
			}
			clear(data) // nothing of the input is kept
			if diff := cmp.Diff(tc.want, page.Tools.Items); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			if len(page.Tools.Dropped) != len(tc.dropped) {
				t.Fatalf("dropped %v, want %d", page.Tools.Dropped, len(tc.dropped))
			}
			for i, want := range tc.dropped {
				if got := page.Tools.Dropped[i].Error(); !strings.HasPrefix(got, want) {
					t.Errorf("reason %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

// Two bytes of a list must not cost the memory of an error each.
func TestTheReasonsOfAListAreBounded(t *testing.T) {
	for n, want := range map[int]int{1: 1, 100: 100, 101: 101, 5000: 101} {
		var l protocol.List[protocol.Tool]
		text := "[" + strings.Repeat("0,", n-1) + `{"name":"a"},0]`
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if len(l.Dropped) != want || len(l.Items) != 1 {
			t.Errorf("%d bad elements: %d errors, %d items", n, len(l.Dropped), len(l.Items))
		}
		if last := l.Dropped[len(l.Dropped)-1].Error(); n > 100 && last != fmt.Sprintf("%d elements more", n-100) {
			t.Errorf("%d bad elements: the last error is %q", n, last)
		}
	}
}

func TestListThatIsNoneIsAnError(t *testing.T) {
	for _, text := range []string{`{}`, `"x"`, `7`, `true`} {
		var page protocol.ListToolsResult
		err := json.Unmarshal([]byte(`{"tools":`+text+`}`), &page)
		if err == nil || !strings.Contains(err.Error(), "where a list is due") {
			t.Errorf("tools of %s: %v", text, err)
		}
	}
	for _, text := range []string{`[`, `[nul]`, `[{"name":"a"}`, `[{"a":1,"a":2}]`, `[1 2]`, `nul`} {
		var l protocol.List[protocol.Tool]
		if err := json.Unmarshal([]byte(text), &l); err == nil {
			t.Errorf("%s reads as %v", text, l)
		}
	}
}

func TestListIsReadAnew(t *testing.T) {
	l := protocol.List[int]{Items: []int{1}, Dropped: []error{nil}}
	if err := json.Unmarshal([]byte(`[2]`), &l); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(protocol.List[int]{Items: []int{2}}, l); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := json.Unmarshal([]byte(`null`), &l); err != nil || l.Items != nil {
		t.Errorf("null reads as %v, %v", l, err)
	}
}

func TestListWrite(t *testing.T) {
	for want, l := range map[string]protocol.List[int]{
		`[]`:    {},
		`[1,2]`: {Items: []int{1, 2}},
	} {
		if got, err := json.Marshal(l); err != nil || string(got) != want {
			t.Errorf("%v is written as %s, %v", l, got, err)
		}
	}
}

// B-PAG-01, M-PAG-02.
func TestNextCursor(t *testing.T) {
	empty, next := "", "p2"
	for text, want := range map[string]*string{
		`{"tools":[]}`:                   nil,
		`{"tools":[],"nextCursor":null}`: nil,
		`{"tools":[],"nextCursor":""}`:   &empty, // a cursor like any other
		`{"tools":[],"nextCursor":"p2"}`: &next,
	} {
		var page protocol.ListToolsResult
		if err := json.Unmarshal([]byte(text), &page); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := cmp.Diff(want, page.NextCursor); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// B083, B086, B090: what is missing is empty, and what is not known is kept.
func TestCallToolResult(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want protocol.CallToolResult
		said string
	}{
		"missing content is empty": {
			`{"structuredContent":{}}`,
			protocol.CallToolResult{StructuredContent: jsontext.Value(`{}`)}, ""},
		"members that are not known are kept": {
			`{"toolResult":{"content":[]}}`,
			protocol.CallToolResult{Extra: jsontext.Value(`{"toolResult":{"content":[]}}`)}, ""},
		"content of null is empty": {
			`{"content":null,"isError":false}`, protocol.CallToolResult{}, ""},
		"structured content may be any JSON": {
			`{"content":[],"structuredContent":[1,null]}`,
			protocol.CallToolResult{StructuredContent: jsontext.Value(`[1,null]`)}, ""},
		"a tool's own failure is a result": {
			`{"content":[{"type":"text","text":"no such row"}],"isError":true}`,
			protocol.CallToolResult{Content: protocol.Contents{&protocol.TextContent{Text: "no such row"}}, IsError: true}, "no such row"},
		"content in another spelling is not content": {
			`{"content":[],"Content":[{"type":"text","text":"evil"}]}`,
			protocol.CallToolResult{Extra: jsontext.Value(`{"Content":[{"type":"text","text":"evil"}]}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got protocol.CallToolResult
			if err := json.Unmarshal([]byte(tc.text), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Text() != tc.said {
				t.Errorf("Text() is %q, want %q", got.Text(), tc.said)
			}
		})
	}
}

// B093.
func TestSamplingMessageTakesOneBlock(t *testing.T) {
	for _, content := range []string{`{"type":"text","text":"x"}`, `[{"type":"text","text":"x"}]`} {
		var m protocol.SamplingMessage
		if err := json.Unmarshal([]byte(`{"role":"user","content":`+content+`}`), &m); err != nil {
			t.Errorf("%s: %v", content, err)
		} else if m.Content.Text() != "x" || len(m.Content) != 1 {
			t.Errorf("%s reads as %v", content, m.Content)
		}
	}
}
