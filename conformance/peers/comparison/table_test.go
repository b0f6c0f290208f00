package comparison_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A row is one line of the table: what happens, and what a contender makes of
// it in the words of its cell.
type row struct {
	what string
	try  func(*testing.T, context.Context, contender) string
}

// limit bounds what a contender may take for a row: more than any needs, for
// one that would wait for ever.
const limit = time.Minute

// The table of README.md is what this test sees, row by row and word by word.
func TestTheTableOfTheReadmeIsTrue(t *testing.T) {
	head, lines := readTable(t, "../../../README.md")
	columns := []string{"what happens"}
	versions := required(t, "../go.mod")
	for _, c := range contenders {
		columns = append(columns, strings.TrimSpace(c.name+" "+versions[c.name]))
	}
	if diff := cmp.Diff(columns, head); diff != "" {
		t.Errorf("the head of the table (-want +got):\n%s", diff)
	}
	var known []string
	for _, r := range rows {
		known = append(known, r.what)
	}
	var told []string
	for _, line := range lines {
		told = append(told, line[0])
	}
	if diff := cmp.Diff(known, told); diff != "" {
		t.Errorf("the rows of the table (-want +got):\n%s", diff)
	}
	for i, r := range rows {
		for j, c := range contenders {
			t.Run(r.what+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				got := r.try(t, ctx, c)
				t.Logf("%s", got)
				if i >= len(lines) || j+1 >= len(lines[i]) {
					t.Errorf("no cell says %q", got)
				} else if said := lines[i][j+1]; got != said {
					t.Errorf("the table says %q, but it is %q", said, got)
				}
			})
		}
	}
}

// readTable returns the cells of the table between the markers.
func readTable(t *testing.T, path string) (head []string, lines [][]string) {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "<!-- peers:start -->\n")
	table, _, ended := strings.Cut(table, "<!-- peers:end -->")
	if !found || !ended {
		t.Fatalf("%s has lost the markers of its table", path)
	}
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if head == nil {
			head = cells
		} else {
			lines = append(lines, cells)
		}
	}
	return head, lines
}

// required returns the versions that a go.mod requires, by the last element of
// the module's path.
func required(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	versions := make(map[string]string)
	for line := range strings.Lines(string(file)) {
		fields := strings.Fields(line)
		if len(fields) == 2 && strings.HasPrefix(fields[0], "github.com/") && !strings.Contains(fields[0], "mcpera") {
			versions[fields[0][strings.LastIndex(fields[0], "/")+1:]] = fields[1]
		}
	}
	return versions
}
