// Handlers serves what a server may ask of its client, in a terminal: a form for
// the user, a page to visit, and a message of the program's model, which the
// user plays here. It calls one tool, which asks.
//
//	go run ./cmd/mcpera serve --addr 127.0.0.1:8080
//	go run ./examples/handlers http://127.0.0.1:8080/mcp test_elicitation '{"message":"Who are you?"}'
//	go run ./examples/handlers http://127.0.0.1:8080/mcp test_sampling '{"prompt":"Say hello."}'
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: handlers URL TOOL ARGUMENTS")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	user := &terminal{server: os.Args[1], in: bufio.NewScanner(os.Stdin), out: os.Stdout}
	if err := run(ctx, user, os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "handlers:", err)
		os.Exit(1)
	}
}

// run calls a tool of the terminal's server, which may ask the user.
func run(ctx context.Context, user *terminal, tool, arguments string) error {
	c, err := mcpera.Dial(ctx, user.server, client.WithHandler(user))
	if err != nil {
		return err
	}
	defer c.Close()
	result, err := c.CallTool(ctx, tool, jsontext.Value(arguments))
	if err != nil {
		return err
	}
	fmt.Fprintln(user.out, result.Text())
	return nil
}

// A terminal is a user at a terminal. What it implements of package handler is
// what the client declares, in either era.
type terminal struct {
	server string
	mu     sync.Mutex // handlers run concurrently, but there is one user
	in     *bufio.Scanner
	out    io.Writer
}

// Elicit lets the user fill in a form.
func (t *terminal) Elicit(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var form struct {
		Properties map[string]struct {
			Type        string `json:"type"`
			Description string `json:"description"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(req.RequestedSchema, &form); err != nil {
		return nil, err
	}
	fmt.Fprintf(t.out, "%s asks: %s\n", t.server, req.Message)
	content := make(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
		field := form.Properties[name]
		answer, ok := t.ask("%s (%s: %s)", name, field.Type, field.Description)
		if !ok {
			return &protocol.ElicitResult{Action: protocol.ElicitCancel}, nil
		}
		if answer != "" { // else the schema's default counts
			content[name] = value(field.Type, answer)
		}
	}
	if !t.agrees("send this") {
		return &protocol.ElicitResult{Action: protocol.ElicitDecline}, nil
	}
	return &protocol.ElicitResult{Action: protocol.ElicitAccept, Content: content}, nil
}

// value reads an answer as its field wants it. The client checks it afterwards.
func value(kind, answer string) (v any) {
	if kind == "string" || json.Unmarshal([]byte(answer), &v) != nil {
		return answer
	}
	return v // a number, true or false
}

// ElicitURL shows the user the whole address, and its host apart.
func (t *terminal) ElicitURL(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u, err := url.Parse(req.URL)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(t.out, "%s asks: %s\nat %s: %s\n", t.server, req.Message, u.Host, u)
	if !t.agrees("visit it") {
		return &protocol.ElicitResult{Action: protocol.ElicitDecline}, nil
	}
	return &protocol.ElicitResult{Action: protocol.ElicitAccept}, nil // a program opens its browser here
}

// CreateMessage lets the user be the model.
func (t *terminal) CreateMessage(_ context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range req.Messages {
		fmt.Fprintf(t.out, "%s: %s\n", m.Role, m.Content.Text())
	}
	answer, ok := t.ask("assistant")
	if !ok || !t.agrees("send this to "+t.server) {
		return nil, &protocol.Error{Code: -1, Message: "the user refused"}
	}
	return &protocol.CreateMessageResult{
		Role: "assistant", Content: protocol.Contents{&protocol.TextContent{Text: answer}}, Model: "user", StopReason: "endTurn",
	}, nil
}

// ask reads a line; ok is false at the end of the input.
func (t *terminal) ask(format string, args ...any) (answer string, ok bool) {
	fmt.Fprintf(t.out, format+"> ", args...)
	ok = t.in.Scan()
	return strings.TrimSpace(t.in.Text()), ok
}

func (t *terminal) agrees(to string) bool {
	answer, _ := t.ask("%s? yes or no", to)
	return answer == "yes"
}
