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

// canonical sorts members and drops blanks, but keeps every number as it is
// written.
func canonical(t testing.TB, text []byte) string {
	t.Helper()
	v := jsontext.Value(text).Clone()
	if err := v.Format(jsontext.CanonicalizeRawInts(false), jsontext.ReorderRawObjects(true), jsontext.PreserveRawStrings(false)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(v)
}

func priority(p float64) *protocol.Annotations { return &protocol.Annotations{Priority: &p} }

// B082, B085, B088.
func TestContents(t *testing.T) {
	text := &protocol.TextContent{Text: "x"}
	for name, tc := range map[string]struct {
		text string
		want protocol.Contents
		back string // "" when it comes back as it was
	}{
		"text": {
			`[{"type":"text","text":"hi","annotations":{"priority":0.5},"_meta":{"a":1},"later":[1]}]`,
			protocol.Contents{&protocol.TextContent{Text: "hi", Annotations: priority(0.5), Meta: protocol.Meta(`{"a":1}`), Extra: jsontext.Value(`{"later":[1]}`)}}, ""},
		"image": {
			`[{"type":"image","data":"AQID","mimeType":"image/png"}]`,
			protocol.Contents{&protocol.ImageContent{Data: []byte{1, 2, 3}, MIMEType: "image/png"}}, ""},
		"audio": {
			`[{"type":"audio","data":"AQID","mimeType":"audio/wav"}]`,
			protocol.Contents{&protocol.AudioContent{Data: []byte{1, 2, 3}, MIMEType: "audio/wav"}}, ""},
		"resource link": {
			`[{"type":"resource_link","uri":"file:///a","name":"a","size":9007199254740993,"icons":[{"src":"https://x.test/i.png"}]}]`,
			protocol.Contents{&protocol.ResourceLink{URI: "file:///a", Name: "a", Size: 9007199254740993, Icons: []protocol.Icon{{Src: "https://x.test/i.png"}}}}, ""},
		"embedded resource": {
			`[{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"hi"}},{"type":"resource","resource":{"uri":"file:///b","blob":"AQID"}}]`,
			protocol.Contents{
				&protocol.EmbeddedResource{Resource: protocol.ResourceContents{URI: "file:///a", MIMEType: "text/plain", Text: "hi"}},
				&protocol.EmbeddedResource{Resource: protocol.ResourceContents{URI: "file:///b", Blob: []byte{1, 2, 3}}},
			}, ""},
		"tool use": {
			`[{"type":"tool_use","id":"u1","name":"add","input":{"a":9007199254740993}}]`,
			protocol.Contents{&protocol.ToolUseContent{ID: "u1", Name: "add", Input: jsontext.Value(`{"a":9007199254740993}`)}}, ""},
		"tool result": {
			`[{"type":"tool_result","toolUseId":"u1","content":[{"type":"text","text":"x"}],"isError":true}]`,
			protocol.Contents{&protocol.ToolResultContent{ToolUseID: "u1", Content: protocol.Contents{text}, IsError: true}}, ""},
		"a block of an unknown type is kept beside the known": {
			`[{"type":"json","json":{"a":1}},{"type":"text","text":"x"}]`,
			protocol.Contents{&protocol.UnknownContent{Type: "json", Raw: jsontext.Value(`{"type":"json","json":{"a":1}}`)}, text}, ""},
		"a type in another case is unknown": {
			`[{"type":"Text","text":"x"}]`,
			protocol.Contents{&protocol.UnknownContent{Type: "Text", Raw: jsontext.Value(`{"type":"Text","text":"x"}`)}}, ""},
		"a block without a type is kept": {
			`[{"text":"x"}]`,
			protocol.Contents{&protocol.UnknownContent{Raw: jsontext.Value(`{"text":"x"}`)}}, ""},
		"a block whose type is no string is kept": {
			`[{"type":7}]`,
			protocol.Contents{&protocol.UnknownContent{Raw: jsontext.Value(`{"type":7}`)}}, ""},
		"a block that is no object is kept": {
			`["x",7,[1]]`,
			protocol.Contents{
				&protocol.UnknownContent{Raw: jsontext.Value(`"x"`)},
				&protocol.UnknownContent{Raw: jsontext.Value(`7`)},
				&protocol.UnknownContent{Raw: jsontext.Value(`[1]`)},
			}, ""},
		"a block that does not fit its type is kept": {
			`[{"type":"text","text":{"a":1}},{"type":"image","data":"not base64!","mimeType":"image/png"},{"type":"text","text":"x"}]`,
			protocol.Contents{
				&protocol.UnknownContent{Type: "text", Raw: jsontext.Value(`{"type":"text","text":{"a":1}}`)},
				&protocol.UnknownContent{Type: "image", Raw: jsontext.Value(`{"type":"image","data":"not base64!","mimeType":"image/png"}`)},
				text,
			}, ""},
		"null elements are dropped": {
			`[null,{"type":"text","text":"x"},null]`, protocol.Contents{text}, `[{"type":"text","text":"x"}]`},
		"one block is a list of one": {
			`{"type":"text","text":"x"}`, protocol.Contents{text}, `[{"type":"text","text":"x"}]`},
		"null is an empty list":       {`null`, nil, `[]`},
		"an empty list is empty":      {`[]`, nil, ""},
		"a list of null alone is too": {`[null]`, nil, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte(tc.text)
			got := protocol.Contents{text} // what was there before goes
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			clear(data) // nothing of the input is kept
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			back, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			want := tc.back
			if want == "" {
				want = tc.text
			}
			if diff := cmp.Diff(canonical(t, []byte(want)), canonical(t, back)); diff != "" {
				t.Errorf("written again (-want +got):\n%s", diff)
			}
		})
	}
}

func TestContentType(t *testing.T) {
	for want, block := range map[string]protocol.Content{
		"text":          &protocol.TextContent{},
		"image":         &protocol.ImageContent{},
		"audio":         &protocol.AudioContent{},
		"resource_link": &protocol.ResourceLink{},
		"resource":      &protocol.EmbeddedResource{},
		"tool_use":      &protocol.ToolUseContent{Input: jsontext.Value(`{}`)},
		"tool_result":   &protocol.ToolResultContent{},
		"vendor":        &protocol.UnknownContent{Type: "vendor", Raw: jsontext.Value(`{"type":"vendor"}`)},
	} {
		if got := block.ContentType(); got != want {
			t.Errorf("%T is %q, want %q", block, got, want)
		}
		// An empty block of a known type reads back as one of that type.
		text, err := json.Marshal(protocol.Contents{block})
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		var back protocol.Contents
		if err := json.Unmarshal(text, &back); err != nil || len(back) != 1 || fmt.Sprintf("%T", back[0]) != fmt.Sprintf("%T", block) {
			t.Errorf("%s reads back as %v, %v", text, back, err)
		}
	}
}

// B038.
func TestContentsThatAreNoListAreAnError(t *testing.T) {
	for _, text := range []string{`"not-a-list"`, `7`, `true`, `false`} {
		var r protocol.CallToolResult
		err := json.Unmarshal([]byte(`{"content":`+text+`}`), &r)
		if err == nil || !strings.Contains(err.Error(), "not a list of blocks") {
			t.Errorf("content of %s: %v", text, err)
		}
	}
	for _, text := range []string{`[`, `[nul]`, `[{"type":"text"`, `{"type"`, `{"a":1,"a":2}`, `[{"a":1,"a":2}]`, `[{} {}]`, `nul`} {
		var c protocol.Contents
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s reads as %v", text, c)
		}
		for i, block := range c {
			if block == nil {
				t.Errorf("%s leaves block %d nil", text, i)
			}
		}
	}
}

// vendorContent is a block of a program's own.
type vendorContent struct {
	Type string `json:"type"`
	N    int    `json:"n"`
}

func (*vendorContent) ContentType() string { return "vendor" }

func TestContentsWrite(t *testing.T) {
	got, err := json.Marshal(protocol.Contents{&vendorContent{Type: "vendor", N: 1}})
	if want := `[{"type":"vendor","n":1}]`; err != nil || string(got) != want {
		t.Errorf("a block of one's own is written as %s, %v; want %s", got, err, want)
	}
	if _, err := json.Marshal(protocol.Contents{nil}); err == nil || !strings.Contains(err.Error(), "content block is nil") {
		t.Errorf("a nil block: %v", err)
	}
	if _, err := json.Marshal(protocol.Contents{&protocol.UnknownContent{Type: "x"}}); err == nil {
		t.Error("a block without its text is written")
	}
	if _, err := json.Marshal(protocol.Contents{&protocol.UnknownContent{Raw: jsontext.Value(`{"a":`)}}); err == nil {
		t.Error("a block that is no JSON is written")
	}
}

func TestContentsText(t *testing.T) {
	c := protocol.Contents{
		&protocol.TextContent{Text: "a"},
		&protocol.ImageContent{},
		&protocol.TextContent{Text: "b\n"},
		&protocol.UnknownContent{Type: "text", Raw: jsontext.Value(`{"type":"text","text":7}`)},
		&protocol.TextContent{Text: ""},
	}
	if got, want := c.Text(), "a\nb\n\n"; got != want {
		t.Errorf("Text() is %q, want %q", got, want)
	}
	if got := protocol.Contents(nil).Text(); got != "" {
		t.Errorf("Text() of nothing is %q", got)
	}
}
