package client_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// exampleChanges runs a server that tells of two changes, and then ends the
// subscription.
func exampleChanges() *fault.HTTP {
	return fault.NewHTTP(listening(fault.Answer{
		granted(`{"toolsListChanged":true,"resourceSubscriptions":["file:///project/config.json"]}`),
		changed("tools/list_changed", "${id}", ""),
		changed("resources/updated", "${id}", `,"uri":"file:///project/config.json"`),
		fault.Result(`{"resultType":"complete"}`),
	}))
}

// The loop hears of changes until it is left, or until there are no more.
func ExampleClient_Subscribe() {
	ctx := context.Background()
	server := exampleChanges()
	defer server.Close()
	c := exampleConnect(ctx, server.URL)
	defer c.Close()

	for change, err := range c.Subscribe(ctx, protocol.SubscriptionFilter{
		ToolsListChanged:      true,
		ResourceSubscriptions: []string{"file:///project/config.json"},
	}) {
		if err != nil {
			fmt.Println("no more changes:", err)
			break
		}
		switch change.Kind {
		case client.Acknowledged:
			fmt.Println("what changes from now on is told")
		case client.ToolsChanged:
			fmt.Println("list the tools again")
		case client.ResourceUpdated:
			fmt.Println("read", change.URI, "again")
		case client.Gap:
			fmt.Println("changes may have been missed: fetch again what matters")
		}
	}
	// Output:
	// what changes from now on is told
	// list the tools again
	// read file:///project/config.json again
	// no more changes: the server ended the subscription
}

// A call says whether an answer from before will do.
func ExampleCache() {
	ctx := context.Background()
	url, end := exampleServer()
	defer end()
	c := exampleConnect(ctx, url, client.WithTrace(func(e client.Event) {
		if e.Method == protocol.MethodListTools && e.Kind != client.Sent {
			fmt.Println(e.Method, e.Kind)
		}
	}))
	defer c.Close()
	if _, err := c.ListTools(ctx); err != nil { // the server says for how long it is fresh
		log.Fatal(err)
	}

	for _, mode := range []client.CacheMode{
		client.CacheUse,     // the default: a fresh answer costs no request
		client.CacheRefresh, // ask the server, and keep its answer
		client.CacheBypass,  // ask the server, and leave the cache alone
	} {
		if _, err := c.ListTools(ctx, client.Cache(mode)); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// tools/list received
	// tools/list cached
	// tools/list received
	// tools/list received
}
