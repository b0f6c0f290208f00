package fault_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/mcpera/mcpera"
	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// A server that is down for its first answer says nothing about the era: the
// client asks again.
func ExampleNewHTTP() {
	srv := fault.NewHTTP(fault.Dual().With(fault.Script{
		"server/discover": {
			{fault.Status(503), fault.Raw("restarting")},
			{fault.Discover("2026-07-28")},
		},
	}))
	defer srv.Close()

	ctx := context.Background()
	c, err := mcpera.Dial(ctx, srv.URL, client.WithRetries(1, transport.Backoff{Max: time.Millisecond}))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	fmt.Println(c.Era())
	fmt.Println(srv.Methods())
	// Output:
	// modern
	// [server/discover server/discover]
}

// The first answer goes to the first request, the second to the second, and the
// last one stays. A list is read again after a fault; a call would not be.
func ExampleScript_With() {
	ctx := context.Background()

	server := fault.NewHTTP(fault.Modern().With(fault.Script{
		"tools/list": {
			{fault.Status(503), fault.Raw("restarting")},
			{fault.Reset()},
			{fault.Tools("echo", "reverse")},
		},
	}))
	defer server.Close()

	t, err := mcphttp.New(server.URL, mcphttp.WithBackoff(transport.Backoff{})) // a test need not wait
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.Connect(ctx, t)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	tools, err := c.ListTools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(tools.Tools.Items), "tools")
	fmt.Println(server.Methods()) // what the client sent
	// Output:
	// 2 tools
	// [server/discover tools/list tools/list tools/list]
}

// A process that leaves on the probe is started once more. The program has to
// call RunIfChild at its start.
func ExampleNewStdio() {
	srv := fault.NewStdio(fault.Legacy("2025-06-18").With(fault.Script{
		"server/discover": {{fault.Stderr("what is that?\n"), fault.Exit(1)}},
	}))
	defer srv.Close()

	c, err := mcpera.Command(context.Background(), srv.Command())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Era(), c.ProtocolVersion())
	_ = c.Close() // a process that has left has read everything
	fmt.Println(srv.Methods(), srv.Count(fault.Start), "starts")
	// Output:
	// legacy 2025-06-18
	// [server/discover initialize notifications/initialized] 2 starts
}

// Steps wait for events: the answer to tools/call is held back until the test
// has seen enough.
func ExampleServer_Release() {
	srv := fault.NewHTTP(fault.Modern().With(fault.Script{
		"tools/call": {{fault.Stream(), fault.Hold("go"), fault.Content("late")}},
	}))
	defer srv.Close()

	ctx := context.Background()
	c, err := mcpera.Dial(ctx, srv.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	go func() {
		call, err := srv.Await(ctx, "tools/call", 1)
		fmt.Println(call.Header.Get("Mcp-Name"), err)
		srv.Release("go")
	}()
	result, err := c.CallTool(ctx, "echo", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Text())
	// Output:
	// echo <nil>
	// late
}

// A process that dies in the middle of a message says how it ended.
func ExampleCut() {
	srv := fault.NewStdio(fault.Modern().With(fault.Script{
		"tools/call": {{fault.Cut(20), fault.Content("done"), fault.Stderr("out of memory\n"), fault.Exit(137)}},
	}))
	defer srv.Close()

	ctx := context.Background()
	c, err := mcpera.Command(ctx, srv.Command())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	_, err = c.CallTool(ctx, "echo", nil)
	if exit := new(stdio.ExitError); errors.As(err, &exit) {
		fmt.Println(exit.State)
		fmt.Print(exit.Stderr)
	}
	// Output:
	// exit status 137
	// out of memory
}
