package responsecache_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"time"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/conformance"
)

// Clients that share a cache share what their server allows: the second list
// costs no request.
func Example() {
	ctx := context.Background()
	server := conformance.New()
	defer server.Close()
	web := httptest.NewServer(server)
	defer web.Close()

	store := responsecache.NewMemory(1_000, 8<<20) // answers, bytes
	cache := responsecache.New(time.Now, responsecache.WithStore(store))
	for range 2 {
		c, err := mcpera.Dial(ctx, web.URL, client.WithResponseCache(cache), client.WithTrace(func(e client.Event) {
			if e.Kind == client.Received || e.Kind == client.Cached {
				fmt.Println(e.Method, e.Kind)
			}
		}))
		if err != nil {
			log.Fatal(err)
		}
		if _, err := c.ListTools(ctx); err != nil {
			log.Fatal(err)
		}
		c.Close()
	}
	// Output:
	// server/discover received
	// tools/list received
	// server/discover cached
	// tools/list cached
}
