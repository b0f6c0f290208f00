package client_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/erecache"
)

// A program that starts often need not probe its servers each time. The second
// connection stands for the next run.
func ExampleWithEraCache() {
	ctx := context.Background()
	url, end := exampleServer()
	defer end()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	for range 2 {
		file := erecache.NewFile(filepath.Join(dir, "eras.json")) // holds no secret
		eras := erecache.New(time.Now, erecache.WithStore(file), erecache.WithTTL(time.Hour))
		c, err := mcpera.Dial(ctx, url, client.WithEraCache(eras))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(c.Era(), "remembered:", c.Negotiation().FromCache)
		c.Close()
	}
	// Output:
	// modern remembered: false
	// modern remembered: true
}
