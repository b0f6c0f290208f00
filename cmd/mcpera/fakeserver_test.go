package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/mcpera/mcpera/protocol"
)

// A replies is what a scripted server says: the reply to each method. Its file
// has a line for each: the method, or * for all others, a blank, and the reply.
// In a reply $ID stands for the request's id and $PARAMS for its params.
type replies map[string]string

func readReplies(text string) replies {
	r := make(replies)
	for line := range strings.Lines(text) {
		if method, reply, ok := strings.Cut(strings.TrimSpace(line), " "); ok && method != "#" {
			r[method] = reply
		}
	}
	return r
}

func (r replies) to(m *protocol.Message) string {
	reply, ok := r[m.Method]
	if !ok {
		reply = r["*"]
	}
	params := string(m.Params)
	if params == "" {
		params = "null"
	}
	return strings.NewReplacer("$ID", m.ID.String(), "$PARAMS", params).Replace(reply)
}

// fakeServer is the program "fakeserver FILE": a stdio server that says what
// FILE says, "exit CODE" ends it, "silence" is no answer. It tells its process
// id on standard error.
func fakeServer() {
	fmt.Fprintf(os.Stderr, "pid %d\n", os.Getpid())
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(100)
	}
	replies := readReplies(string(text))
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m, err := protocol.Decode(lines.Bytes())
		if err != nil {
			os.Exit(101)
		}
		reply := replies.to(m)
		if code, ok := strings.CutPrefix(reply, "exit "); ok {
			n, _ := strconv.Atoi(code)
			os.Exit(n)
		}
		if reply != "" && reply != "silence" {
			fmt.Println(reply)
		}
	}
}
