package conformance_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
)

// A server behind a real socket, to test a client against.
func ExampleNew() {
	srv := conformance.New(conformance.WithInstructions("Add before you multiply."))
	defer srv.Close()
	ts := httptest.NewServer(srv)
	defer ts.Close()

	resp, err := ts.Client().Post(ts.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output: 200 OK
}

// A tool that asks the user works in both eras: it sends the client a request
// in the legacy one, and takes a second round in the modern one.
func ExampleCall_Ask() {
	_ = conformance.New(conformance.WithTools(conformance.Tool{
		Definition: protocol.Tool{Name: "greet_user", Description: "Greets the user.", InputSchema: []byte(`{"type":"object"}`)},
		Run: func(ctx context.Context, c *conformance.Call) (*protocol.CallToolResult, error) {
			answers, err := c.Ask(ctx, conformance.Elicit("user", "Who are you?",
				`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`))
			if err != nil {
				return nil, err
			}
			return conformance.Text(fmt.Sprint("Hello, ", answers.Elicitation("user").Content["name"])), nil
		},
	}))
}
