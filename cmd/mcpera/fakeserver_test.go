package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	scripted "github.com/mcpera/mcpera/conformance/fault"
)

// readReplies reads a file of a script: a line for each method, or * for all
// others, with the reply after a blank. In a reply $ID stands for the request's
// id and $PARAMS for its params.
func readReplies(text string) map[string]string {
	replies := make(map[string]string)
	for line := range strings.Lines(text) {
		if method, reply, ok := strings.Cut(strings.TrimSpace(line), " "); ok && method != "#" {
			replies[method] = strings.NewReplacer("$ID", "${id}", "$PARAMS", "${params}").Replace(reply)
		}
	}
	return replies
}

// fakeServer is the program "fakeserver FILE": a stdio server that says what
// FILE says; "exit CODE" ends it, "silence" is no answer. It tells its process
// id on standard error.
func fakeServer() {
	fmt.Fprintf(os.Stderr, "pid %d\n", os.Getpid())
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(100)
	}
	script := scripted.Script{scripted.Any: {{}}}
	for method, reply := range readReplies(string(text)) {
		script[method] = []scripted.Answer{stdioAnswer(reply)}
	}
	scripted.Main(script)
}

func stdioAnswer(reply string) scripted.Answer {
	if code, ok := strings.CutPrefix(reply, "exit "); ok {
		n, _ := strconv.Atoi(code)
		return scripted.Answer{scripted.Exit(n)}
	}
	if reply == "silence" {
		return scripted.Answer{}
	}
	return scripted.Answer{scripted.Message(reply)}
}
