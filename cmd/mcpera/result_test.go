package main

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// Text goes into a pipe as it came; a terminal gets it without what could
// steer it.
func TestWriteResult(t *testing.T) {
	text := &protocol.CallToolResult{Content: protocol.Contents{
		&protocol.TextContent{Text: "a\x1b[2J\tb\n"}, &protocol.TextContent{Text: "c"},
	}}
	structured := &protocol.CallToolResult{StructuredContent: jsontext.Value(`{"b":1.0,"a":[]}`)}
	for name, tc := range map[string]struct {
		result *protocol.CallToolResult
		width  int
		want   string
	}{
		"text, piped":          {text, 0, "a\x1b[2J\tb\n\nc\n"},
		"text, on a terminal":  {text, 80, "a [2J\tb\n\nc\n"},
		"structured":           {structured, 0, "{\n  \"b\": 1.0,\n  \"a\": []\n}\n"},
		"nothing that is text": {&protocol.CallToolResult{}, 0, ""},
	} {
		p := page{width: tc.width}
		writeResult(&p, tc.result)
		if got := p.String(); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	if got := string(structured.StructuredContent); got != `{"b":1.0,"a":[]}` {
		t.Errorf("the result was changed to %s", got)
	}
}

func TestNoteRest(t *testing.T) {
	var out bytes.Buffer
	noteRest(&out, &protocol.CallToolResult{IsError: true, Content: protocol.Contents{
		&protocol.TextContent{Text: "t"}, &protocol.UnknownContent{Type: "holo\x1bgram"},
	}})
	const want = "mcpera: not shown: content of type holo gram (--json has it)\nmcpera: the tool says that it failed\n"
	if got := out.String(); got != want {
		t.Errorf("noteRest: %q, want %q", got, want)
	}
}
