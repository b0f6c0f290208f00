package main

import (
	"strings"
	"unicode"
)

// clean makes one line that is safe to print of what a server said: control
// characters could steer the terminal, and bidirectional ones disguise a text.
func clean(s string) string { return strings.Join(strings.Fields(strip(s, "")), " ") }

// strip replaces control characters but those in keep by blanks, and drops
// bidirectional controls.
func strip(s, keep string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(keep, r):
			return r
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		default:
			return r
		}
	}, s)
}

// firstLine returns the first line of s that is not blank.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = clean(line); line != "" {
			return line
		}
	}
	return ""
}

// columns is how many columns of a terminal s takes, as well as it can be known
// without asking the terminal: East Asian characters and emoji take two.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r < 0x1100:
		return 1
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul),
		r >= 0x3000 && r <= 0x303f, // CJK punctuation
		r >= 0xff01 && r <= 0xff60, // full-width forms
		r >= 0x1f300 && r <= 0x1faff:
		return 2
	default:
		return 1
	}
}

// cut shortens s to width columns, with an ellipsis at its end. A width of 0
// leaves it whole.
func cut(s string, width int) string {
	if width <= 0 || columns(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		if n += columnsOf(r); n > width-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// wrap breaks s between words so that lines fit width columns, 0 for never.
func wrap(s string, width int) string {
	if width <= 0 {
		return s
	}
	var b strings.Builder
	used := 0
	for i, word := range strings.Fields(s) {
		n := columns(word)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}
