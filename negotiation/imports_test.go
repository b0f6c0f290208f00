package negotiation_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mcpera/mcpera/"

// The packages that decide and describe do no I/O, and each imports only those
// below it.
func TestImports(t *testing.T) {
	for pkg, below := range map[string][]string{
		"negotiation": {"handler", "protocol"},
		"handler":     {"protocol"},
		"protocol":    nil,
	} {
		deps := goList(t, "-deps", module+pkg)
		for _, forbidden := range []string{"net", "net/http", "os/exec"} {
			if slices.Contains(deps, forbidden) {
				t.Errorf("%s depends on %s", pkg, forbidden)
			}
		}
		for _, dep := range deps {
			first, _, _ := strings.Cut(dep, "/")
			name, ours := strings.CutPrefix(dep, module)
			switch {
			case !strings.Contains(first, "."): // the standard library
			case strings.HasPrefix(dep, "github.com/go-json-experiment/json"):
			case ours && (name == pkg || slices.Contains(below, name)):
			default:
				t.Errorf("%s depends on %s", pkg, dep)
			}
		}
	}
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, stderr.String())
	}
	list := strings.Fields(string(out))
	if len(list) == 0 {
		t.Fatal("go list found nothing")
	}
	return list
}
