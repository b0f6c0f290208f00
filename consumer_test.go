package mcpera_test

import (
	"archive/zip"
	"debug/buildinfo"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/conformance"
)

// consumed is the version of this module that the consumer requires. It exists
// in the test's own module proxy only.
const consumed = "v0.0.0-20260101000000-c0ffee000000"

// A module outside of this repository requires ours, builds the program that the
// README shows, and runs it. No network is needed: our module comes from a proxy
// in a folder of the test, all others from what this machine has downloaded to
// build these tests.
func TestAConsumerBuildsAndRunsTheReadmesProgram(t *testing.T) {
	dir := t.TempDir()
	proxy, consumer := filepath.Join(dir, "proxy"), filepath.Join(dir, "consumer")
	publish(t, proxy)
	write(t, filepath.Join(consumer, "go.mod"), "module example.com/consumer\n\ngo 1.26.0\n\nrequire "+module+" "+consumed+"\n")
	write(t, filepath.Join(consumer, "main.go"), readmeProgram(t))

	program := filepath.Join(dir, "program.exe")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", program, ".")
	build.Dir = consumer
	build.Env = append(os.Environ(),
		"GOPROXY="+fileURL(proxy)+","+fileURL(filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")),
		"GOMODCACHE="+filepath.Join(dir, "modcache"), // the machine's must not learn of our version
		"GOFLAGS=-mod=mod -modcacherw -buildvcs=false",
		"GOPRIVATE=", "GONOPROXY=", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOWORK=off",
	)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}

	srv := conformance.New()
	defer srv.Close()
	web := httptest.NewServer(srv)
	defer web.Close()
	out, err := exec.CommandContext(t.Context(), program, web.URL).CombinedOutput()
	if err != nil || string(out) != "modern 5\n" {
		t.Errorf("the program wrote %q, %v, want %q", out, err, "modern 5\n")
	}
	carriesNoTools(t, program)
}

// carriesNoTools checks that a consumer's program holds our module and nothing
// that only our tests and our command need.
func carriesNoTools(t *testing.T, program string) {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	ours := false
	for _, dep := range info.Deps {
		ours = ours || dep.Path == module && dep.Version == consumed
		for _, tool := range []string{"cobra", "goleak", "go-cmp", "go-internal", "golang.org/x/tools"} {
			if strings.Contains(dep.Path, tool) {
				t.Errorf("the program carries %s", dep.Path)
			}
		}
	}
	if !ours {
		t.Errorf("the program does not carry %s %s: %v", module, consumed, info.Deps)
	}
}

// readmeProgram is the README's first Go block as a program.
func readmeProgram(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(readme), "```go\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatal("README.md shows no Go")
	}
	return `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"` + module + `"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url string) error {
` + code + `
	return nil
}
`
}

// publish puts this module into a module proxy in a folder.
//
// Source: Go Modules Reference, "GOPROXY protocol" and "Module zip files".
func publish(t *testing.T, proxy string) {
	t.Helper()
	folder := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	goMod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, consumed+".mod"), string(goMod))
	write(t, filepath.Join(folder, consumed+".info"), `{"Version":"`+consumed+`","Time":"2026-01-01T00:00:00Z"}`)

	var text strings.Builder
	archive := zip.NewWriter(&text)
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return leaveOut(path, entry)
		case !entry.Type().IsRegular():
			return nil
		}
		return pack(archive, path)
	})
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, consumed+".zip"), text.String())
}

// leaveOut skips folders that are no part of the module: hidden ones, and those
// of other modules.
func leaveOut(path string, entry fs.DirEntry) error {
	if path == "." {
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || strings.HasPrefix(entry.Name(), ".") {
		return filepath.SkipDir
	}
	return nil
}

func pack(archive *zip.Writer, path string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := archive.Create(module + "@" + consumed + "/" + filepath.ToSlash(path))
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return err
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return "file://" + path
}
