package stdio_test

import (
	"context"
	"log"
	"os"
	"os/exec"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/transport/stdio"
)

// A server gets none of the program's secrets but those that are meant for it.
func ExampleWithEnv() {
	ctx := context.Background()
	token := os.Getenv("GITHUB_TOKEN")

	t, err := stdio.New(exec.Command("npx", "-y", "@modelcontextprotocol/server-github"),
		stdio.WithEnv("GITHUB_TOKEN="+token))
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.Connect(ctx, t)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
}
