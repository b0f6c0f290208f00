package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

// A bar shows on a terminal how far a call is, on one line, without colour.
type bar struct {
	w     io.Writer
	width int // the terminal's; 0 for no bar
	last  string
}

// newBar returns a bar on w, which shows nothing when that is no terminal.
func newBar(w io.Writer) *bar {
	if os.Getenv("TERM") == "dumb" {
		return &bar{}
	}
	return &bar{w: w, width: terminalWidth(w)}
}

// options ask the server for progress if there is a bar to show it.
func (b *bar) options() []client.CallOption {
	if b.width == 0 {
		return nil
	}
	return []client.CallOption{client.OnProgress(b.show)}
}

// show is called by one goroutine at a time, and never after the call.
func (b *bar) show(p protocol.Progress) {
	if line := barLine(p, b.width-1); line != b.last {
		fmt.Fprint(b.w, "\r\x1b[K"+line)
		b.last = line
	}
}

// clear takes the bar away.
func (b *bar) clear() {
	if b.last != "" {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.last = ""
	}
}

// barCells is the length of a bar.
const barCells = 20

// barLine is a progress on one line: a bar when the end is known, else how much
// was done.
func barLine(p protocol.Progress, width int) string {
	s := fmt.Sprintf("%g", p.Progress)
	if p.Total != nil && *p.Total > 0 {
		part := min(max(p.Progress / *p.Total, 0), 1)
		cells := int(part * barCells)
		s = fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("#", cells), strings.Repeat(".", barCells-cells), part*100)
	}
	return cut(strings.TrimSpace(s+" "+clean(p.Message)), width)
}
