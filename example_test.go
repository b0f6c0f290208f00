package mcpera_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/conformance"
)

// The README shows this.
func addNumbers(ctx context.Context, url string) error {
	c, err := mcpera.Dial(ctx, url) // or mcpera.Command(ctx, exec.Command("npx", ...))
	if err != nil {
		return err
	}
	defer c.Close()

	result, err := c.CallTool(ctx, "add_numbers", map[string]any{"a": 2, "b": 3})
	if err != nil {
		return err
	}
	fmt.Println(c.Era(), result.Text())
	return nil
}

func Example() {
	server := conformance.New()
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()

	if err := addNumbers(context.Background(), web.URL); err != nil {
		fmt.Println(err)
	}
	// Output: modern 5
}
