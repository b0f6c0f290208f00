package soak_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance"
)

func TestMain(m *testing.M) {
	serveIfChild()
	goleak.VerifyTestMain(m)
}

// childVariable makes this program a server: an era and a seed.
const childVariable = "MCPERA_SOAK_SERVER"

// serveIfChild serves one client over the standard streams, with the faults
// that follow from the seed, and then ends the process.
func serveIfChild() {
	name, seed, ok := strings.Cut(os.Getenv(childVariable), " ")
	if !ok {
		return
	}
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	out := &faultyOutput{w: os.Stdout, fault: lineFault(rand.New(rand.NewPCG(n, 0)))}
	srv := conformance.New(conformance.WithEra(eraNamed(name)), conformance.WithTools(new(ledger).tool()))
	err = srv.ServeStdio(context.Background(), os.Stdin, out)
	if out.fault.stays {
		select {} // it ignores the end of its input, and waits for a signal
	}
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// command runs this program as a server with faults.
func command(era conformance.Era, seed uint64) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{"soak-" + era.String()} // the eras of processes are remembered too
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", childVariable, era, seed),
		// Under the race detector a process would take a second to exit.
		"GORACE="+os.Getenv("GORACE")+" atexit_sleep_ms=0")
	return cmd
}

func eraNamed(name string) conformance.Era {
	for _, era := range []conformance.Era{conformance.Modern, conformance.Legacy} {
		if era.String() == name {
			return era
		}
	}
	return conformance.Both
}
