package mcpera_test

import (
	"encoding/json"
	"os/exec"
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
	"transport/stdio":       {"transport", "negotiation", "protocol", "internal/pending"},
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
				name, ours := strings.CutPrefix(imported, module+"/")
				if ours && !slices.Contains(allowed, name) {
					t.Errorf("imports %s, which is not below it", name)
				}
			}
		})
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
