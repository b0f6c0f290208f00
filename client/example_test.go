package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// exampleServer runs a server for one example. close ends it.
func exampleServer() (url string, close func()) {
	srv := conformance.New()
	ts := httptest.NewServer(srv)
	return ts.URL, func() {
		srv.Close()
		ts.Close()
	}
}

// exampleConnect connects to the server at url.
func exampleConnect(ctx context.Context, url string, opts ...client.Option) *client.Client {
	t, err := mcphttp.New(url)
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.Connect(ctx, t, opts...)
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// A dialogue is what a program shows to its user.
type dialogue struct{}

// Elicit fills in the form that a server asks for. A real one would show which
// server asks, and let the user decline.
func (dialogue) Elicit(_ context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	fmt.Println("asked:", req.Message)
	return &protocol.ElicitResult{
		Action:  protocol.ElicitAccept,
		Content: map[string]any{"username": "ada", "email": "ada@example.com"},
	}, nil
}

// A handler serves what it implements: here, forms. The same one serves both
// eras.
func ExampleWithHandler() {
	ctx := context.Background()
	url, end := exampleServer()
	defer end()
	c := exampleConnect(ctx, url, client.WithHandler(dialogue{}))
	defer c.Close()

	r, err := c.CallTool(ctx, "test_elicitation", map[string]any{"message": "Who are you?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Text())
	// Output:
	// asked: Who are you?
	// User response: action=accept, content={"email":"ada@example.com","username":"ada"}
}

func ExampleOnProgress() {
	ctx := context.Background()
	url, end := exampleServer()
	defer end()
	c := exampleConnect(ctx, url)
	defer c.Close()

	r, err := c.CallTool(ctx, "test_tool_with_progress", nil, client.OnProgress(func(p protocol.Progress) {
		if p.Total != nil { // else nobody knows how much there is to do
			fmt.Printf("%v of %v\n", p.Progress, *p.Total)
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Text())
	// Output:
	// 0 of 100
	// 50 of 100
	// 100 of 100
	// Reported progress.
}

func ExampleCallToolAs() {
	ctx := context.Background()
	url, end := exampleServer()
	defer end()
	c := exampleConnect(ctx, url)
	defer c.Close()

	type terms struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	type sum struct {
		Sum float64 `json:"sum"`
	}
	got, err := client.CallToolAs[sum](ctx, c, "add_numbers", terms{A: 2, B: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Sum)
	// Output:
	// 5
}

// A task goes on at the server. Its id is enough to wait for it elsewhere.
func ExampleClient_StartTool() {
	ctx := context.Background()
	url, end := exampleServer()
	defer end()
	c := exampleConnect(ctx, url, client.WithTasks())
	defer c.Close()

	task, err := c.StartTool(ctx, "slow_compute", map[string]any{"seconds": 0.01})
	if err != nil {
		log.Fatal(err)
	}
	id := task.ID() // keep it where a crash does not reach

	r, err := c.ResumeTask(id, "slow_compute").Wait(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Text())
	// Output:
	// Computed for 10ms.
}

func ExampleWithMiddleware() {
	ctx := context.Background()
	url, end := exampleServer()
	defer end()
	c := exampleConnect(ctx, url, client.WithMiddleware(func(next client.Invoker) client.Invoker {
		return func(ctx context.Context, call client.Invocation) (jsontext.Value, error) {
			result, err := next(ctx, call)
			fmt.Println(call.Method, call.Name, "failed:", err != nil)
			return result, err
		}
	}))
	defer c.Close()

	if _, err := c.CallTool(ctx, "echo", map[string]any{"message": "hi"}); err != nil {
		log.Fatal(err)
	}
	_, err := c.ReadResource(ctx, "test://missing")
	fmt.Println(err != nil)
	// Output:
	// tools/call echo failed: false
	// resources/read test://missing failed: true
	// true
}

func ExampleExpandTemplate() {
	uri, err := client.ExpandTemplate(&protocol.ResourceTemplate{
		Name: "issues", URITemplate: "tracker://{project}/issues{?state,label*}",
	}, map[string]any{"project": "core", "label": []string{"bug", "p1"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(uri)
	// Output:
	// tracker://core/issues?label=bug&label=p1
}
