package main

import "strings"

// A table is rows of cells under a head, all of the same length. Cells are
// single lines: see clean.
type table struct {
	head []string // nil for none
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write sets the columns side by side. On a terminal lines are cut to its
// width, which costs the last columns first.
func (t *table) write(p *page) {
	rows := t.rows
	if t.head != nil {
		rows = append([][]string{t.head}, rows...)
	}
	widths := columnWidths(rows)
	for _, row := range rows {
		p.WriteString(cut(line(row, widths), p.width))
		p.WriteByte('\n')
	}
}

// facts are labels with a value each.
type facts struct{ rows [][]string }

func (f *facts) add(label, value string) { f.rows = append(f.rows, []string{label, value}) }

// write sets the values side by side. On a terminal, long ones go on below.
func (f *facts) write(p *page) {
	indent := columnWidths(f.rows)[0] + 2
	for _, row := range f.rows {
		value := row[1]
		if p.width > 2*indent {
			value = strings.ReplaceAll(wrap(value, p.width-indent), "\n", "\n"+strings.Repeat(" ", indent))
		}
		p.WriteString(row[0] + strings.Repeat(" ", indent-columns(row[0])) + value + "\n")
	}
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], columns(cell))
		}
	}
	return widths
}

// line pads all cells but the last, with two blanks between them.
func line(row []string, widths []int) string {
	var b strings.Builder
	for i, cell := range row {
		b.WriteString(cell)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-columns(cell)+2))
		}
	}
	return strings.TrimRight(b.String(), " ")
}
