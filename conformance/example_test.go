package conformance_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
)

// A server behind a real socket, to test a client against.
func ExampleNew() {
	ctx := context.Background()

	server := conformance.New() // both eras on one endpoint
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()

	c, err := mcpera.Dial(ctx, web.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	fmt.Println(c.Era(), c.ServerInfo().Name)
	// Output: modern mcpera-reference-server
}

// One test for both eras.
func ExampleWithEra() {
	ctx := context.Background()

	for _, era := range []conformance.Era{conformance.Modern, conformance.Legacy} {
		server := conformance.New(conformance.WithEra(era))
		web := httptest.NewServer(server)
		c, err := mcpera.Dial(ctx, web.URL)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Era(), c.ProtocolVersion())
		c.Close()
		server.Close()
		web.Close()
	}
	// Output:
	// modern 2026-07-28
	// legacy 2025-11-25
}

// The tools that an agent needs, and nothing else.
func ExampleWithTools() {
	ctx := context.Background()

	weather := conformance.Tool{
		Definition: protocol.Tool{
			Name: "get_weather", Description: "Says what the weather is like.",
			InputSchema: []byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
		},
		Run: func(ctx context.Context, call *conformance.Call) (*protocol.CallToolResult, error) {
			var args struct {
				City string `json:"city"`
			}
			if err := call.Bind(&args); err != nil {
				return nil, err
			}
			return conformance.Text("It rains in " + args.City + "."), nil
		},
	}
	server := conformance.New(conformance.WithoutFixtures(), conformance.WithTools(weather))
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()

	c, err := mcpera.Dial(ctx, web.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	result, err := c.CallTool(ctx, "get_weather", map[string]any{"city": "Oslo"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())
	// Output: It rains in Oslo.
}

// A user is the program's answer to a server that asks.
type user struct{ name string }

func (u user) Elicit(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	return &protocol.ElicitResult{Action: protocol.ElicitAccept, Content: map[string]any{"name": u.name}}, nil
}

// A tool that asks the user works in both eras: it sends the client a request
// in the legacy one, and takes a second round in the modern one.
func ExampleCall_Ask() {
	ctx := context.Background()

	server := conformance.New(conformance.WithTools(conformance.Tool{
		Definition: protocol.Tool{Name: "greet_user", Description: "Greets the user."},
		Run: func(ctx context.Context, call *conformance.Call) (*protocol.CallToolResult, error) {
			answers, err := call.Ask(ctx, conformance.Elicit("user", "Who are you?",
				`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`))
			if err != nil {
				return nil, err // as it is
			}
			return conformance.Text(fmt.Sprint("Hello, ", answers.Elicitation("user").Content["name"])), nil
		},
	}))
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()

	c, err := mcpera.Dial(ctx, web.URL, client.WithHandler(user{"Ada"}))
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	result, err := c.CallTool(ctx, "greet_user", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Text())
	// Output: Hello, Ada
}

// Clients that listen are told of what changes under way.
func ExampleServer_SetTool() {
	ctx := context.Background()
	server := conformance.New(conformance.WithoutFixtures())
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()
	c, err := mcpera.Dial(ctx, web.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	for change, err := range c.Subscribe(ctx, protocol.SubscriptionFilter{ToolsListChanged: true}) {
		if err != nil {
			log.Fatal(err)
		}
		if change.Kind == client.Acknowledged { // what changes from now on is told
			server.SetTool(conformance.Tool{Definition: protocol.Tool{Name: "new"}})
			continue
		}
		fmt.Println("changed:", change.Kind)
		break
	}
	// Output: changed: tools
}

// A program that is the server of a test of yours: a command that speaks on its
// standard streams, as "mcpera serve --stdio" does.
func ExampleServer_ServeStdio() {
	ctx := context.Background()

	server := conformance.New(conformance.WithEra(conformance.Legacy))
	defer server.Close()
	if err := server.ServeStdio(ctx, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}
