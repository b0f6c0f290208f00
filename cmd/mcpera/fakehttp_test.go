package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpera/mcpera/protocol"
)

// A fakeHTTP is a scripted HTTP server: each reply is a status, a blank and a
// body, which may be missing. It records what it gets.
type fakeHTTP struct {
	replies replies
	server  *httptest.Server

	mu      sync.Mutex
	methods map[string]int
	header  http.Header // of the first request
}

func (f *fakeHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, err := protocol.Decode(body)
	if err != nil {
		http.Error(w, "no message", http.StatusMethodNotAllowed)
		return
	}
	f.mu.Lock()
	f.methods[m.Method]++
	if f.header == nil {
		f.header = r.Header
	}
	f.mu.Unlock()
	status, reply, _ := strings.Cut(f.replies.to(m), " ")
	code, err := strconv.Atoi(status)
	if err != nil {
		code = http.StatusNotFound
	}
	switch {
	case code == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="scripted"`)
	case code/100 == 3:
		w.Header().Set("Location", "https://elsewhere.example/mcp?secret=1")
	}
	w.Header().Set("Content-Type", "text/plain")
	if strings.HasPrefix(reply, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, reply)
}

func httpServerCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: httpserver NAME FILE")
	}
	f := &fakeHTTP{replies: readReplies(ts.ReadFile(args[1])), methods: make(map[string]int)}
	f.server = httptest.NewServer(f)
	ts.Defer(f.server.Close)
	ts.Setenv(args[0], f.server.URL+"/mcp")
	runningIn(ts).faked[args[0]] = f
}

func sawCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || runningIn(ts).faked[args[0]] == nil {
		ts.Fatalf("usage: saw NAME METHOD COUNT")
	}
	f := runningIn(ts).faked[args[0]]
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := strconv.Itoa(f.methods[args[1]]); got != args[2] {
		ts.Fatalf("%s came %s times, not %s; in all: %v", args[1], got, args[2], f.methods)
	}
}

func sawHeaderCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || runningIn(ts).faked[args[0]] == nil {
		ts.Fatalf("usage: sawheader NAME HEADER VALUES")
	}
	f := runningIn(ts).faked[args[0]]
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := strings.Join(f.header.Values(args[1]), "|"); got != args[2] {
		ts.Fatalf("%s was %q, not %q", args[1], got, args[2])
	}
}
