package main

import (
	"bytes"
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

// A pipe gets a resource byte by byte; a terminal gets text that can't steer it.
func TestWriteContents(t *testing.T) {
	r := new(protocol.ReadResourceResult)
	r.Contents.Items = []protocol.ResourceContents{
		{Text: "a\x1b[2J\tb"}, {Blob: []byte{0, 255}, MIMEType: "image/\x1bpng"}, {Text: "c\n"},
	}
	for name, tc := range map[string]struct {
		width       int
		want, notes string
	}{
		"piped":         {0, "a\x1b[2J\tb\x00\xffc\n", ""},
		"on a terminal": {80, "a [2J\tb\nc\n", "mcpera: not shown: image/ png, 2 bytes (send it to a file, or use --json)\n"},
	} {
		p, notes := page{width: tc.width}, new(bytes.Buffer)
		writeContents(&p, notes, r)
		if p.String() != tc.want || notes.String() != tc.notes {
			t.Errorf("%s: %q and %q, want %q and %q", name, p.String(), notes, tc.want, tc.notes)
		}
	}
}

func TestWriteMessages(t *testing.T) {
	messages := []protocol.PromptMessage{
		{Role: "user\x1b", Content: protocol.Contents{&protocol.TextContent{Text: "a\x1bb\n"}}},
		{Role: "assistant", Content: protocol.Contents{&protocol.EmbeddedResource{Resource: protocol.ResourceContents{URI: "u:"}}}},
	}
	for width, want := range map[int]string{
		0:  "[user]\na\x1bb\n\n[assistant]\n(the resource u:)\n",
		80: "[user]\na b\n\n[assistant]\n(the resource u:)\n",
	} {
		p := page{width: width}
		writeMessages(&p, messages)
		if got := p.String(); got != want {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
	}
}
