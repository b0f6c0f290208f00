package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminalWidth is the width of the terminal that w is, in columns; 0 when it
// is none.
func terminalWidth(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}
