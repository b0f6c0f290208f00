package mcpera_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page on requirements leads to tests: each group of ids that a test names
// stands on it, and the files beside a group name ids of that group.
func TestRequirementsPageLeadsToTheTests(t *testing.T) {
	page, err := os.ReadFile("docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	onPage := make(map[string]bool)
	for _, row := range regexp.MustCompile("(?m)^\\| (`[A-Z]+`.*?) \\|.*\\| (`.*_test.go`) \\|$").FindAllStringSubmatch(string(page), -1) {
		for _, group := range quoted(row[1]) {
			onPage[group] = true
			id := regexp.MustCompile(`\b[BLMOSX]-` + group + `-\d+\b`)
			for _, name := range quoted(row[2]) {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Error(err)
				} else if !id.Match(text) {
					t.Errorf("the page leads from %s to %s, where no test names it", group, name)
				}
			}
		}
	}
	for _, file := range sources(t, "_test.go") {
		for _, id := range regexp.MustCompile(`\b[BLMOSX]-([A-Z]{2,4})-\d\d\b`).FindAllStringSubmatch(strings.Join(file.lines, "\n"), -1) {
			if !onPage[id[1]] {
				t.Errorf("the page lacks the group of %s", id[0])
				onPage[id[1]] = true
			}
		}
	}
}

// quoted returns what stands between backquotes.
func quoted(text string) (parts []string) {
	for _, part := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
		parts = append(parts, part[1])
	}
	return parts
}
