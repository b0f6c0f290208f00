package main

import (
	"bytes"
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

func TestBarLine(t *testing.T) {
	total := func(n float64) *float64 { return &n }
	for name, tc := range map[string]struct {
		p     protocol.Progress
		width int
		want  string
	}{
		"half":           {protocol.Progress{Progress: 1, Total: total(2)}, 79, "[##########..........]  50%"},
		"more than all":  {protocol.Progress{Progress: 3, Total: total(2)}, 79, "[####################] 100%"},
		"less than none": {protocol.Progress{Progress: -1, Total: total(2)}, 79, "[....................]   0%"},
		"no total":       {protocol.Progress{Progress: 7.5, Message: "files"}, 79, "7.5 files"},
		"a steering one": {protocol.Progress{Progress: 1, Message: "\x1b[2J\r\n"}, 79, "1 [2J"},
		"narrow":         {protocol.Progress{Progress: 1, Total: total(1), Message: "all is done"}, 32, "[####################] 100% all…"},
	} {
		if got := barLine(tc.p, tc.width); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// A bar is drawn over itself and leaves nothing behind; without a terminal no
// progress is asked for.
func TestBar(t *testing.T) {
	var out bytes.Buffer
	b := &bar{w: &out, width: 80}
	b.show(protocol.Progress{Progress: 1})
	b.show(protocol.Progress{Progress: 1})
	b.show(protocol.Progress{Progress: 2})
	b.clear()
	b.clear()
	if got := out.String(); got != "\r\x1b[K1\r\x1b[K2\r\x1b[K" {
		t.Errorf("drew %q", got)
	}
	if opts := newBar(&out).options(); opts != nil {
		t.Error("asks for progress that nobody sees")
	}
}
