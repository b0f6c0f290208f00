package mcpera_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/transport"
)

// The README prints what stands between the two markers; a test compares them.
func addNumbers(ctx context.Context, url string) error {
	// readme:start
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
	// readme:end
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

// A refusal is told as one: it never makes the client try the other era.
func ExampleDial_refused() {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="example"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer web.Close()

	_, err := mcpera.Dial(context.Background(), web.URL)
	var refused *transport.AuthError
	if errors.As(err, &refused) {
		fmt.Println(refused.Status, refused.Challenge)
	}
	// Output: 401 Bearer realm="example"
}
