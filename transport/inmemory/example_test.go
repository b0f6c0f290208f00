package inmemory_test

import (
	"context"
	"fmt"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/transport/inmemory"
)

// A server of package conformance stands in for the one that a program will use.
func Example() {
	ctx := context.Background()
	t, err := inmemory.New(conformance.New(conformance.WithEra(conformance.Modern)).ServeStdio)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.Connect(ctx, t)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	result, err := c.CallTool(ctx, "add_numbers", map[string]any{"a": 2, "b": 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Era(), result.Text())
	// Output: modern 5
}
