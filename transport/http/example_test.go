package http_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A program that has a token already, such as one from its configuration.
func ExampleWithHeader() {
	ctx := context.Background()
	server := conformance.New(conformance.WithBearerTokens(map[string]conformance.Principal{"t0ken": {Name: "ada"}}))
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()
	url, token := web.URL, "t0ken"

	t, err := mcphttp.New(url, mcphttp.WithHeader("Authorization", "Bearer "+token))
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.Connect(ctx, t)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	fmt.Println(c.Era())
	// Output: modern
}

// A program that takes URLs from others lets public servers pass only.
func ExampleWithTargetPolicy() {
	for _, url := range []string{
		"https://api.example.com/mcp",
		"http://api.example.com/mcp",
		"https://169.254.169.254/latest?token=x",
	} {
		t, err := mcphttp.New(url, mcphttp.WithTargetPolicy(mcphttp.PublicTargets()))
		if refused, ok := errors.AsType[*mcphttp.TargetError](err); ok {
			fmt.Println(refused)
			continue
		}
		fmt.Println("ready for", t)
		_ = t.Close()
	}
	// Output:
	// ready for https://api.example.com
	// the target policy refuses http://api.example.com: only https is allowed
	// the target policy refuses https://169.254.169.254: 169.254.169.254 is a cloud's metadata service
}

// Many transports to one server share a breaker and a limit, which go by origin.
func ExampleWithBreaker() {
	breaker := mcphttp.NewBreaker(mcphttp.BreakerConfig{Failures: 5, Open: 30 * time.Second})
	limit := mcphttp.NewRateLimit(10, 20) // 10 requests a second, 20 at once

	t, err := mcphttp.New("https://api.example.com/mcp", mcphttp.WithBreaker(breaker), mcphttp.WithRateLimit(limit))
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	fmt.Println(t)
	// Output: https://api.example.com
}
