package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of what a report says about failures.
const (
	maxComplaints = 30
	maxComplaint  = 600 // bytes of one
)

// A report is how one run of the suite went.
type report struct {
	title   string
	results []result
	fault   error // why the run does not count, although all of its checks passed
}

// tally counts the checks of all scenarios, and a fault as a failed one.
func (r report) tally() tally {
	var t tally
	for _, result := range r.results {
		t = t.plus(tallyOf(result.checks))
		if result.fault != nil {
			t.failed++
		}
	}
	if r.fault != nil {
		t.failed++
	}
	return t
}

// ok reports whether something was checked and nothing was found wrong.
func (r report) ok() bool {
	t := r.tally()
	return t.passed > 0 && t.clean()
}

// String is the report in one line.
func (r report) String() string {
	t := r.tally()
	return fmt.Sprintf("%s: %d scenarios, %d passed, %d failed, %d skipped, %d warnings",
		r.title, len(r.results), t.passed, t.failed, t.skipped, t.warnings)
}

// print writes the line and, below it, what is wrong.
func (r report) print(out io.Writer) {
	fmt.Fprintln(out, r)
	complaints := r.complaints()
	for _, c := range complaints[:min(len(complaints), maxComplaints)] {
		fmt.Fprintln(out, "  "+c)
	}
	if more := len(complaints) - maxComplaints; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

// complaints says what is wrong, a line for each thing.
func (r report) complaints() []string {
	var all []string
	for _, result := range r.results {
		for _, c := range result.checks {
			switch c.Status {
			case success, skipped, info:
				continue
			}
			why := c.Error
			if why == "" {
				why = c.Description
			}
			all = append(all, oneLine(fmt.Sprintf("%s: %s %s: %s", result.scenario, c.Status, c.ID, why)))
		}
		if result.fault != nil {
			all = append(all, oneLine(fmt.Sprintf("%s: %v", result.scenario, result.fault)))
		}
	}
	if r.fault != nil {
		all = append(all, oneLine(fmt.Sprintf("the suite: %v", r.fault)))
	}
	if len(all) == 0 && !r.ok() {
		all = append(all, "nothing was checked")
	}
	return all
}

// oneLine takes out line breaks and cuts out the middle of what is too long:
// the beginning says what it is about, the end how it ended.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxComplaint {
		return text
	}
	head, tail := text[:maxComplaint/2], text[len(text)-maxComplaint/2:]
	for !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	for !utf8.ValidString(tail) {
		tail = tail[1:]
	}
	return head + " … " + tail
}
