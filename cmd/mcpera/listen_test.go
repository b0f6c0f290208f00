package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
)

// Changes are printed as they come, in both eras, until an interrupt.
func TestListen(t *testing.T) {
	for era, version := range map[string]string{"modern": "2026-07-28", "legacy": "2025-11-25"} {
		t.Run(era, func(t *testing.T) {
			srv := conformance.New()
			defer srv.Close()
			web := httptest.NewServer(srv)
			defer web.Close()
			l := startListen(t, "--era", era, "--json", "--prompts", "--uri", "test://watched-resource", web.URL)
			line := l.next()
			for path, want := range map[string]string{
				"era": era, "version": version, "server.name": "mcpera-reference-server", "result.kind": "acknowledged",
				"result.granted": `{"promptsListChanged":true,"resourceSubscriptions":["test://watched-resource"]}`,
			} {
				wantAt(t, line, path, want)
			}
			srv.NotifyPromptsChanged()
			wantAt(t, l.next(), "result.kind", "prompts")
			srv.NotifyResourceUpdated("test://watched-resource")
			wantAt(t, l.next(), "result.uri", "test://watched-resource")
			code, rest := l.interrupt()
			if code != exitInterrupted {
				t.Errorf("exit code %d", code)
			}
			wantAt(t, rest, "error.kind", "interrupted")
		})
	}
}

func TestListenForAllLists(t *testing.T) {
	srv := conformance.New()
	defer srv.Close()
	web := httptest.NewServer(srv)
	defer web.Close()
	l := startListen(t, web.URL)
	if line := l.next(); !strings.HasSuffix(line, "  listening for changes of tools, prompts, resources\n") {
		t.Errorf("the first line is %q", line)
	}
	srv.NotifyToolsChanged()
	if line := l.next(); !strings.HasSuffix(line, "  the list of tools has changed\n") {
		t.Errorf("the second line is %q", line)
	}
	if code, rest := l.interrupt(); code != exitInterrupted || rest != "" {
		t.Errorf("it ended with %d and %q", code, rest)
	}
}

// A listenRun is a run of listen under way.
type listenRun struct {
	t      *testing.T
	out    *bufio.Reader
	cancel context.CancelFunc
	code   <-chan int
}

func startListen(t *testing.T, args ...string) *listenRun {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"listen"}, args...), nil, w, io.Discard)
		w.Close()
	}()
	return &listenRun{t, bufio.NewReader(r), cancel, code}
}

func (l *listenRun) next() string {
	l.t.Helper()
	line, err := l.out.ReadString('\n')
	if err != nil {
		l.t.Fatalf("no further line: %v", err)
	}
	return line
}

func (l *listenRun) interrupt() (int, string) {
	l.t.Helper()
	l.cancel()
	rest, err := io.ReadAll(l.out)
	if err != nil {
		l.t.Fatal(err)
	}
	return <-l.code, string(rest)
}

func wantAt(t *testing.T, line, path, want string) {
	t.Helper()
	if got, _, err := lookup([]byte(line), path); err != nil || got != want {
		t.Errorf("%s is %q (%v), not %q, in %s", path, got, err, want, line)
	}
}

// What a server calls a resource can't steer a terminal.
func TestChangeText(t *testing.T) {
	if got := changeText(client.Change{Kind: client.ResourceUpdated, URI: "a:\x1b[2J"}); got != "the resource a: [2J has changed" {
		t.Errorf("changeText: %q", got)
	}
}

func TestNoteRefused(t *testing.T) {
	asked := protocol.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourceSubscriptions: []string{"a:1", "a:2"}}
	granted := protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:2"}}
	var out bytes.Buffer
	noteRefused(&out, asked, granted)
	noteRefused(&out, asked, asked)
	if got := out.String(); got != "mcpera: warning: the server does not tell of changes of prompts, a:1\n" {
		t.Errorf("noteRefused: %q", got)
	}
}
