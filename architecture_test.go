package mcpera_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mcpera/mcpera"

// layers are the arrows of imports: a package imports only what stands in its
// row, and what those may import.
var layers = map[string][]string{
	"protocol":              {},
	"handler":               {"protocol"},
	"negotiation":           {"handler", "protocol"},
	"internal/origin":       {},
	"erecache":              {"negotiation", "internal/origin"},
	"transport":             {"negotiation", "protocol", "internal/origin", "transport/challenge"},
	"transport/challenge":   {},
	"transport/headervalue": {},
	"transport/target":      {"internal/origin"},
	"internal/pending":      {"transport", "negotiation", "protocol"},
	"internal/lines":        {"transport", "negotiation", "protocol", "internal/pending"},
	"transport/stdio":       {"transport", "negotiation", "protocol", "internal/lines"},
	"transport/inmemory":    {"transport", "negotiation", "internal/lines"},
	"transport/http": {
		"transport", "transport/challenge", "transport/headervalue", "transport/target",
		"negotiation", "protocol", "internal/origin", "internal/pending",
	},
	"auth": {
		"transport", "transport/challenge", "transport/http", "transport/target", "protocol", "internal/origin",
	},
	"client/responsecache": {"protocol"},
	"client": {
		"client/responsecache", "handler", "erecache", "negotiation",
		"transport", "transport/headervalue", "protocol",
	},
	"toolcall": {"protocol"},
	"fleet":    {"client", "transport", "transport/http", "transport/stdio", "erecache", "protocol"},
	"":         {"client", "transport/http", "transport/stdio"},

	// Examples import what a program of a user's does.
	"examples/agent":      {"fleet", "toolcall", "protocol"},
	"examples/handlers":   {"", "client", "protocol"},
	"examples/gateway":    {"client", "client/responsecache", "erecache", "transport", "transport/http"},
	"examples/subscriber": {"", "client", "protocol"},
	"examples/login":      {"auth", "client", "transport/http"},
}

// pure are the packages that do no I/O of their own.
var pure = []string{"protocol", "handler", "negotiation"}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func list(t *testing.T, pkg string) listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", strings.TrimSuffix(module+"/"+pkg, "/")).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pkg, err)
	}
	var l listed
	if err := json.Unmarshal(out, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestImportsPointOneWay(t *testing.T) {
	for pkg, allowed := range layers {
		t.Run(module+"/"+pkg, func(t *testing.T) {
			for _, imported := range list(t, pkg).Imports {
				name, ours := strings.CutPrefix(imported+"/", module+"/")
				name = strings.TrimSuffix(name, "/")
				if ours && !slices.Contains(allowed, name) {
					t.Errorf("imports %s, which is not below it", name)
				}
			}
		})
	}
}

func TestEveryExampleStandsInTheLayers(t *testing.T) {
	out, err := exec.Command("go", "list", "./examples/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.FieldsSeq(string(out)) {
		if name := strings.TrimPrefix(pkg, module+"/"); layers[name] == nil {
			t.Errorf("%s has no row", name)
		}
	}
}

// An example is read in one go, says what it shows and how to run it, and is
// run by a test.
func TestExamplesAreShort(t *testing.T) {
	files, err := filepath.Glob("examples/*/main.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no examples: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(text), "\n"); lines >= 150 {
			t.Errorf("%s has %d lines, 149 at most", file, lines)
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		if comment, _, _ := strings.Cut(string(text), "package main"); !strings.Contains(comment, "go run ./"+dir) {
			t.Errorf("%s does not say how to run it", file)
		}
		if _, err := os.Stat(strings.TrimSuffix(file, ".go") + "_test.go"); err != nil {
			t.Errorf("%s is run by no test", file)
		}
	}
}

func TestPurePackagesKnowNoNetworkAndNoProcesses(t *testing.T) {
	for _, pkg := range pure {
		for _, dep := range list(t, pkg).Deps {
			if dep == "net/http" || dep == "os/exec" || dep == "net" {
				t.Errorf("%s depends on %s", pkg, dep)
			}
		}
	}
	for _, pkg := range []string{"erecache", "client/responsecache"} {
		if deps := list(t, pkg).Deps; slices.Contains(deps, "net/http") || slices.Contains(deps, "os/exec") {
			t.Errorf("%s depends on net/http or os/exec", pkg)
		}
	}
}
