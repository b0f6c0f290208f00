package http_test

import (
	"errors"
	"fmt"
	"time"

	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// A program that takes URLs from others lets public servers pass only, and asks
// none of them too often.
func Example() {
	breaker := mcphttp.NewBreaker(mcphttp.BreakerConfig{Failures: 5, Open: 30 * time.Second})
	limit := mcphttp.NewRateLimit(10, 20)
	for _, url := range []string{"https://api.example.com/mcp", "http://api.example.com/mcp", "https://169.254.169.254/latest?token=x"} {
		t, err := mcphttp.New(url,
			mcphttp.WithTargetPolicy(mcphttp.PublicTargets()),
			mcphttp.WithBreaker(breaker), mcphttp.WithRateLimit(limit))
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
