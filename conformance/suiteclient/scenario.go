package main

import (
	"context"

	"github.com/mcpera/mcpera/client"
)

// A visit is what the program does once it is connected.
type visit func(ctx context.Context, c *client.Client, given data) error

// visits are the scenarios that ask for something else than useEverything.
var visits = map[string]visit{
	"http-custom-headers":              callAsTold,
	"json-schema-2020-12-preservation": echoSchema,
	"json-schema-ref-no-deref":         listTools, // the server has nothing but the list
}

func visitFor(scenario string) visit {
	if v, ok := visits[scenario]; ok {
		return v
	}
	return useEverything
}

// arguments are those of the tools that need some.
var arguments = map[string]map[string]any{
	"add_numbers": {"a": 5, "b": 3},
	"valid_tool":  {"region": "us-west1"},
}
