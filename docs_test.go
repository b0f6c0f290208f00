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
