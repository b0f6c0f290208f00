package peers_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance/interop"
)

// serveArg as the first argument makes the test binary the stdio server that
// the second one names.
const serveArg = "serve"

// stdioServers serve over standard input and output until the input ends.
var stdioServers = map[string]func() error{
	"go-sdk":             serveGoSDK,
	"go-sdk-legacy-only": serveGoSDKLegacyOnly,
	"mcp-go":             serveMCPGo,
}

func TestMain(m *testing.M) {
	interop.Recorder()
	if len(os.Args) == 3 && os.Args[1] == serveArg {
		if err := stdioServers[os.Args[2]](); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// stdioCommand returns the command that runs one of stdioServers.
func stdioCommand(t *testing.T, name string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, serveArg, name}
}

// overStdio returns one of stdioServers, in a process of its own.
func overStdio(t *testing.T, name string) *interop.Server {
	t.Helper()
	return interop.OverStdio(t, stdioCommand(t, name)...)
}
