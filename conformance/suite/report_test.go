package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	for name, tc := range map[string]struct {
		report report
		ok     bool
		want   string // what it prints
	}{
		"passed and skipped checks are fine, notes do not count": {
			report: report{title: "client 2026-07-28", results: []result{
				{scenario: "tools_call", checks: []check{{Status: success}, {Status: info}}},
				{scenario: "tasks", checks: []check{{Status: skipped}}},
			}},
			ok:   true,
			want: "client 2026-07-28: 2 scenarios, 1 passed, 0 failed, 1 skipped, 0 warnings\n",
		},
		"a failed check fails the run": {
			report: report{title: "server", results: []result{
				{scenario: "ping", checks: []check{{Status: success}, {ID: "pong", Status: failure, Description: "answers", Error: "said\n nothing"}}},
			}},
			want: "server: 1 scenarios, 1 passed, 1 failed, 0 skipped, 0 warnings\n" +
				"  ping: FAILURE pong: said nothing\n",
		},
		"a warning fails the run": {
			report: report{title: "server", results: []result{
				{scenario: "ping", checks: []check{{Status: success}, {ID: "pong", Status: warning, Description: "answers soon"}}},
			}},
			want: "server: 1 scenarios, 1 passed, 0 failed, 0 skipped, 1 warnings\n" +
				"  ping: WARNING pong: answers soon\n",
		},
		"a status that nobody knows is a failure": {
			report: report{title: "server", results: []result{
				{scenario: "ping", checks: []check{{Status: success}, {ID: "pong", Status: "ERROR", Description: "answers"}}},
			}},
			want: "server: 1 scenarios, 1 passed, 1 failed, 0 skipped, 0 warnings\n" +
				"  ping: ERROR pong: answers\n",
		},
		"a fault of a scenario fails the run, whatever its checks say": {
			report: report{title: "client", results: []result{
				{scenario: "sse-retry", checks: []check{{Status: success}}, fault: errors.New("exit status 1")},
			}},
			want: "client: 1 scenarios, 1 passed, 1 failed, 0 skipped, 0 warnings\n" +
				"  sse-retry: exit status 1\n",
		},
		"a fault of the suite fails the run": {
			report: report{title: "server", fault: errors.New("killed"), results: []result{
				{scenario: "ping", checks: []check{{Status: success}}},
			}},
			want: "server: 1 scenarios, 1 passed, 1 failed, 0 skipped, 0 warnings\n" +
				"  the suite: killed\n",
		},
		"a run that checked nothing has not passed": {
			report: report{title: "server", results: []result{{scenario: "ping", checks: []check{{Status: skipped}}}}},
			want: "server: 1 scenarios, 0 passed, 0 failed, 1 skipped, 0 warnings\n" +
				"  nothing was checked\n",
		},
		"a run without scenarios has not passed": {
			report: report{title: "server"},
			want: "server: 0 scenarios, 0 passed, 0 failed, 0 skipped, 0 warnings\n" +
				"  nothing was checked\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			tc.report.print(&out)
			if diff := cmp.Diff(tc.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := tc.report.ok(); got != tc.ok {
				t.Errorf("ok is %v", got)
			}
		})
	}
}

func TestReportIsBounded(t *testing.T) {
	long := strings.Repeat("é", maxComplaint)
	var checks []check
	for i := range maxComplaints + 2 {
		checks = append(checks, check{ID: fmt.Sprint(i), Status: failure, Error: long + " the end"})
	}
	var out strings.Builder
	report{title: "server", results: []result{{scenario: "ping", checks: checks}}}.print(&out)

	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if want := 1 + maxComplaints + 1; len(lines) != want {
		t.Fatalf("%d lines, want %d", len(lines), want)
	}
	if last := lines[len(lines)-1]; last != "  and 2 more" {
		t.Errorf("the last line is %q", last)
	}
	for _, line := range lines[1 : len(lines)-1] {
		if len(line) > maxComplaint+len("   … ") || !utf8.ValidString(line) {
			t.Fatalf("%d bytes: %q", len(line), line)
		}
		if !strings.HasPrefix(line, "  ping: FAILURE") || !strings.HasSuffix(line, " the end") {
			t.Fatalf("lost its beginning or its end: %q", line)
		}
	}
}
