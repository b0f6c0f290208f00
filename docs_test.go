package mcpera_test

import (
	"os"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/negotiation"
)

func TestEraPageHasEveryRowOfTheTable(t *testing.T) {
	page, err := os.ReadFile("docs/eras.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range negotiation.Rows() {
		if !strings.Contains(string(page), "| "+row.String()+" |") {
			t.Errorf("docs/eras.md lacks the row %q", row)
		}
	}
}

func TestReadmeShowsTheCodeOfTheExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(example), "// readme:start\n")
	code, _, found := strings.Cut(code, "\t// readme:end\n")
	if !found {
		t.Fatal("example_test.go has lost its markers")
	}
	code = strings.ReplaceAll("\n"+code, "\n\t", "\n")
	if !strings.Contains(string(readme), "```go"+code+"```") {
		t.Errorf("README.md does not show the example's code:\n%s", code)
	}
}
