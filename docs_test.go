package mcpera_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// A page of docs/ names only what exists.
func TestErrorPageNamesOnlyErrorsThatExist(t *testing.T) {
	page, err := os.ReadFile("docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile("`\\*?([a-z]+\\.[A-Z][A-Za-z]+)`").FindAllStringSubmatch(string(page), -1) {
		pkg, symbol, _ := strings.Cut(name[1], ".")
		path := map[string]string{"stdio": "transport/stdio", "mcphttp": "transport/http", "context": "", "errors": ""}[pkg]
		if path == "" {
			path = pkg
		}
		if pkg == "context" || pkg == "errors" {
			continue
		}
		if out, err := exec.Command("go", "doc", module+"/"+path, symbol).CombinedOutput(); err != nil {
			t.Errorf("docs/errors.md names %s: %s", name[1], out)
		}
	}
}

func TestLinksBetweenPagesLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, link[1])
			}
		}
	}
}
