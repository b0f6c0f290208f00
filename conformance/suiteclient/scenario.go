package main

import (
	"context"

	"github.com/mcpera/mcpera/client"
)

// A visit is what the program does once it is connected.
type visit func(ctx context.Context, c *client.Client, given data) error

// A plan is how the program goes about a scenario.
type plan struct {
	options []client.Option
	visit   visit
}

// plans are the scenarios that ask for something else than usual.
var plans = map[string]plan{
	"http-custom-headers":              {visit: callAsTold},
	"json-schema-2020-12-preservation": {visit: echoSchema},
	"json-schema-ref-no-deref":         {visit: listTools}, // the server has nothing but the list

	// The suite's server takes every GET for the one that resumes the call, and
	// answers the call there. No specification has it so: the stream that a client
	// opens to listen must not carry answers.
	"sse-retry": {visit: useEverything, options: []client.Option{client.WithoutServerStream()}},
}

func planFor(scenario string) plan {
	if p, ok := plans[scenario]; ok {
		return p
	}
	return plan{visit: useEverything}
}

// arguments are those of the tools that need some.
var arguments = map[string]map[string]any{
	"add_numbers": {"a": 5, "b": 3},
	"valid_tool":  {"region": "us-west1"},
}
