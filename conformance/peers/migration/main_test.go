package migration_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
)

// serveArg as the first argument makes the test binary a stdio server.
const serveArg = "serve"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveArg {
		srv := conformance.New(conformance.WithTools(environment, silent))
		err := srv.ServeStdio(context.Background(), os.Stdin, os.Stdout)
		srv.Close()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // mcp-go logs there
	os.Exit(m.Run())
}

// secretVariable is one that a program has for itself.
const secretVariable = "MIGRATION_TOKEN"

// environment tells what the server has of the program's secrets.
var environment = conformance.Tool{
	Definition: protocol.Tool{Name: "environment"},
	Run: func(context.Context, *conformance.Call) (*protocol.CallToolResult, error) {
		return conformance.Text("the secret is: " + os.Getenv(secretVariable)), nil
	},
}

// silent never answers.
var silent = conformance.Tool{
	Definition: protocol.Tool{Name: "silent"},
	Run: func(ctx context.Context, _ *conformance.Call) (*protocol.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	},
}
