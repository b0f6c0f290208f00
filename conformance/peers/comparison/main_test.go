package comparison_test

import (
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/mcpera/mcpera/conformance/fault"
)

// Programs that the test binary is too, by its first argument.
var programs = map[string]func(args []string) error{
	"tree":  serveWithChild,
	"leaf":  linger,
	"panic": callAndPanic,
}

func TestMain(m *testing.M) {
	fault.RunIfChild()
	if len(os.Args) > 1 {
		if run, ok := programs[os.Args[1]]; ok {
			if err := run(os.Args[2:]); err != nil {
				slog.Error(err.Error())
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // mcp-go logs there
	os.Exit(m.Run())
}
