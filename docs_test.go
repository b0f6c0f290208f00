package mcpera_test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// What a page shows compiles, since it stands in a file of this repository that
// does. Where a block may begin or end is up to the page; how far it is indented
// does not matter.
func TestCodeOnPagesStandsInCompiledFiles(t *testing.T) {
	files := sources(t, ".go")
	blocks := 0
	for page, text := range pages(t) {
		for _, block := range regexp.MustCompile("(?ms)^[ \t]*```go\n(.*?)^[ \t]*```").FindAllStringSubmatch(text, -1) {
			blocks++
			code := dedent(strings.Split(strings.TrimSuffix(block[1], "\n"), "\n"))
			if !slices.ContainsFunc(files, func(file source) bool { return file.holds(code) }) {
				t.Errorf("%s shows code that no Go file has:\n%s", page, block[1])
			}
		}
	}
	if blocks == 0 {
		t.Error("no page shows any code: the pattern finds nothing")
	}
}

// The pages name tests that show what they say.
func TestTestsOnPagesExist(t *testing.T) {
	known := make(map[string]bool)
	for _, file := range sources(t, "_test.go") {
		for _, line := range file.lines {
			if name := regexp.MustCompile(`^func ((Test|Fuzz|Example)\w*)\(`).FindStringSubmatch(line); name != nil {
				known[name[1]] = true
			}
		}
	}
	for page, text := range pages(t) {
		for _, name := range regexp.MustCompile(`\b(Test|Fuzz|Example)[A-Z_]\w*`).FindAllString(text, -1) {
			if !known[name] {
				t.Errorf("%s names %s, which does not exist", page, name)
			}
		}
	}
}

// pages returns the text of the README and of all that stands in docs/.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, name := range append(names, "README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	return texts
}

// A source is a Go file.
type source struct {
	lines  []string
	quoted []bool // by line: it stands within a string or a comment of several lines
}

// sources returns all files whose names end in suffix, those of the modules beside
// this one too. Folders that the go command does not build from are left out.
func sources(t *testing.T, suffix string) []source {
	t.Helper()
	var files []source
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && (name == "testdata" || name == "node_modules" || strings.ContainsAny(name[:1], "._")):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, suffix):
			return nil
		}
		text, err := os.ReadFile(path)
		files = append(files, newSource([]byte(strings.ReplaceAll(string(text), "\r\n", "\n"))))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func newSource(text []byte) source {
	file := source{lines: strings.Split(string(text), "\n")}
	file.quoted = make([]bool, len(file.lines))
	at := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(at, text, nil, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return file
		}
		first := at.Line(pos)
		for i := range strings.Count(literal, "\n") {
			if tok == token.STRING || tok == token.COMMENT {
				file.quoted[first+i] = true // the line after the one where it begins, and so on
			}
		}
	}
}

// dedent takes away what all lines but empty ones begin with, as far as it is
// blank.
func dedent(lines []string) []string {
	common, found := "", false
	for _, line := range lines {
		blank := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		switch {
		case strings.TrimSpace(line) == "":
		case !found:
			common, found = blank, true
		default:
			for !strings.HasPrefix(blank, common) {
				common = common[:len(common)-1]
			}
		}
	}
	var out []string
	for _, line := range lines {
		out = append(out, strings.TrimPrefix(line, common))
	}
	return out
}

// holds reports whether code, which is dedented, stands in a file, line by line,
// with one indentation before all of it, and is more than a text there.
func (f source) holds(code []string) bool {
	for i := range len(f.lines) - len(code) + 1 {
		to := i + len(code)
		if strings.HasSuffix(f.lines[i], code[0]) && slices.Equal(dedent(f.lines[i:to]), code) && slices.Contains(f.quoted[i:to], false) {
			return true
		}
	}
	return false
}

// What a page names of a package exists there, and an option that it names
// without one exists somewhere.
func TestNamesOnPagesExist(t *testing.T) {
	exported, anywhere := exports(t)
	named := 0
	for page, text := range pages(t) {
		if strings.Contains(page, "migrate-") {
			continue // other SDKs have packages and options of the same names
		}
		for _, name := range regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`).FindAllStringSubmatch(text, -1) {
			names, ours := exported[strings.TrimPrefix(name[1], "mcp")] // mcphttp is what http is imported as
			if name[1] == "http" || !ours {
				continue // the standard library's, or a variable
			}
			named++
			if !names[name[2]] {
				t.Errorf("%s names %s, which does not exist", page, name[0])
			}
		}
		for _, name := range regexp.MustCompile(`[^.\w](With(out)?[A-Z]\w*)`).FindAllStringSubmatch(text, -1) {
			if !anywhere[name[1]] {
				t.Errorf("%s names %s, which does not exist", page, name[1])
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d names were found: the pattern misses some", named)
	}
}

// Whoever meets an error finds it on a page.
func TestEveryErrorStandsOnAPage(t *testing.T) {
	exported, _ := exports(t)
	var all strings.Builder
	for _, text := range pages(t) {
		all.WriteString(text)
	}
	for _, pkg := range []string{"client", "transport", "http", "stdio", "inmemory", "target", "auth", "fleet", "toolcall"} {
		for name := range exported[pkg] {
			if regexp.MustCompile(`^Err[A-Z]|^[A-Z]\w*Error$`).MatchString(name) && !regexp.MustCompile(`\b`+name+`\b`).MatchString(all.String()) {
				t.Errorf("no page names %s.%s", pkg, name)
			}
		}
	}
}

// exports returns what our packages export, by their names, and all together.
func exports(t *testing.T) (exported map[string]map[string]bool, anywhere map[string]bool) {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Name}} {{.Dir}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	exported, anywhere = make(map[string]map[string]bool), make(map[string]bool)
	for line := range strings.Lines(string(out)) {
		pkg, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if exported[pkg] == nil {
			exported[pkg] = make(map[string]bool)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range declared(parsed) {
				exported[pkg][name], anywhere[name] = true, true
			}
		}
	}
	return exported, anywhere
}

// declared returns the names that a file declares for its package, and those of
// methods.
func declared(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
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
