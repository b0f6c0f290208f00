package mcpera_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os/exec"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// What docs/getting-started.md shows, in its order.

// serve runs a server for one example. end ends it.
func serve() (url string, end func()) {
	server := conformance.New()
	web := httptest.NewServer(server)
	return web.URL, func() {
		server.Close()
		web.Close()
	}
}

func ExampleDial() {
	ctx := context.Background()
	url, end := serve() // a real one: "https://api.example.com/mcp"
	defer end()

	c, err := mcpera.Dial(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	fmt.Println(c.Era(), c.ProtocolVersion())
	// Output: modern 2026-07-28
}

// The server is a child process of the program and ends with Close. npx may
// have to download it first: that is waited for.
func ExampleCommand() {
	ctx := context.Background()

	cmd := exec.Command("npx", "-y", "@modelcontextprotocol/server-filesystem", "/home/ada/project")
	c, err := mcpera.Command(ctx, cmd)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
}

// A server lists its tools, and they are called by name.
func Example_tools() {
	ctx := context.Background()
	url, end := serve()
	defer end()
	c, err := mcpera.Dial(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	for tool, err := range c.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if tool.Name == "greet" {
			fmt.Println(tool.Name, "-", tool.Description)
		}
	}
	result, err := c.CallTool(ctx, "greet", map[string]any{"name": "Ada"})
	if err != nil {
		log.Fatal(err) // the call failed
	}
	if result.IsError {
		fmt.Println("the tool failed:", result.Text()) // for the model to read
	} else {
		fmt.Println(result.Text())
	}
	// Output:
	// greet - Greets someone.
	// Hello, Ada!
}

// A tool with structured content answers in a type of yours.
func Example_structured() {
	ctx := context.Background()
	url, end := serve()
	defer end()
	c, err := mcpera.Dial(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	type terms struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	type sum struct {
		Sum float64 `json:"sum"`
	}
	got, err := client.CallToolAs[sum](ctx, c, "add_numbers", terms{A: 2, B: 3})
	var failed *client.ToolError
	switch {
	case errors.As(err, &failed): // the tool says why, for the model to read
		fmt.Println(failed.Result.Text())
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println(got.Sum)
	}
	// Output: 5
}

// An assistant is what a server may ask of the program. Each method is declared
// as a capability, in either era; leave out what you can't serve.
type assistant struct {
	folder string
}

// Elicit shows a form to the user.
func (a assistant) Elicit(ctx context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	fmt.Println("the server asks:", req.Message)
	return &protocol.ElicitResult{Action: protocol.ElicitDecline}, nil // the user said no
}

// CreateMessage lets the program's model answer.
func (a assistant) CreateMessage(ctx context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
	return &protocol.CreateMessageResult{
		Role: "assistant", Model: "example",
		Content: protocol.Contents{&protocol.TextContent{Text: "Paris."}},
	}, nil
}

// ListRoots says which folders the server may work in.
func (a assistant) ListRoots(ctx context.Context) ([]protocol.Root, error) {
	return []protocol.Root{{URI: "file://" + a.folder}}, nil
}

// A handler serves what servers ask for during a call.
func Example_handler() {
	ctx := context.Background()
	url, end := serve()
	defer end()

	c, err := mcpera.Dial(ctx, url, client.WithHandler(assistant{folder: "/home/ada/project"}))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	result, err := c.CallTool(ctx, "test_sampling", map[string]any{"prompt": "The capital of France?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())

	result, err = c.CallTool(ctx, "test_elicitation", map[string]any{"message": "Who are you?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())
	// Output:
	// LLM response: Paris.
	// the server asks: Who are you?
	// User response: action=decline, content={}
}

// The type of an error says what can be done.
func Example_errors() {
	ctx := context.Background()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="example"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer web.Close()
	url := web.URL

	_, err := mcpera.Dial(ctx, url)
	var refused *transport.AuthError
	var down *transport.UnavailableError
	switch {
	case errors.As(err, &refused): // 401 or 403
		fmt.Println("log in:", refused.Status, refused.Challenge)
	case errors.As(err, &down): // not reached, or 429, 5xx: retried already
		fmt.Println("try again later:", down.Status, down.RetryAfter)
	case errors.Is(err, context.DeadlineExceeded): // a tool may have run all the same
		fmt.Println("no answer in time:", err)
	case err != nil:
		fmt.Println(err)
	}
	// Output: log in: 401 Bearer realm="example"
}
