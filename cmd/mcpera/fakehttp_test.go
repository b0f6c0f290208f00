package main

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	scripted "github.com/mcpera/mcpera/conformance/fault"
)

// httpAnswer reads a reply over HTTP: a status, a blank and a body, which may be
// missing.
func httpAnswer(reply string) scripted.Answer {
	status, body, _ := strings.Cut(reply, " ")
	code, err := strconv.Atoi(status)
	if err != nil {
		code = http.StatusNotFound
	}
	answer := scripted.Answer{scripted.Status(code)}
	switch {
	case code == http.StatusUnauthorized:
		answer = append(answer, scripted.Header("WWW-Authenticate", `Bearer realm="scripted"`))
	case code/100 == 3:
		answer = append(answer, scripted.Header("Location", "https://elsewhere.example/mcp?secret=1"))
	}
	if strings.HasPrefix(body, "{") {
		return append(answer, scripted.Message(body))
	}
	return append(answer, scripted.Header("Content-Type", "text/plain"), scripted.Raw(body))
}

func httpServerCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: httpserver NAME FILE")
	}
	script := scripted.Script{scripted.Any: {{scripted.Status(http.StatusNotFound)}}}
	for method, reply := range readReplies(ts.ReadFile(args[1])) {
		script[method] = []scripted.Answer{httpAnswer(reply)}
	}
	server := scripted.NewHTTP(script)
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL+"/mcp")
	runningIn(ts).faulty[args[0]] = server
}

func sawCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || runningIn(ts).faulty[args[0]] == nil {
		ts.Fatalf("usage: saw NAME METHOD COUNT")
	}
	server := runningIn(ts).faulty[args[0]]
	if got := strconv.Itoa(server.Count(args[1])); got != args[2] {
		ts.Fatalf("%s came %s times, not %s; in all: %v", args[1], got, args[2], server.Methods())
	}
}

func sawHeaderCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || runningIn(ts).faulty[args[0]] == nil {
		ts.Fatalf("usage: sawheader NAME HEADER VALUES")
	}
	records := runningIn(ts).faulty[args[0]].Records()
	if len(records) == 0 {
		ts.Fatalf("%s got nothing", args[0])
	}
	if got := strings.Join(records[0].Header.Values(args[1]), "|"); got != args[2] {
		ts.Fatalf("%s was %q, not %q", args[1], got, args[2])
	}
}
