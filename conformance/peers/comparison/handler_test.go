package comparison_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpera/mcpera/conformance"
)

// patience is for how long a handler waits for its call to return without it.
// A client whose call waits for the handler costs as much.
const patience = 2 * time.Second

// progress holds the handler up and sees whether the call returns without it.
func progress(t *testing.T, ctx context.Context, c contender) string {
	_, url := serve(t, conformance.WithEra(conformance.Modern))
	returned, handled := make(chan struct{}), make(chan bool, 1)
	var once sync.Once
	s := dialed(t, ctx, c, server{url: url, progress: func() {
		once.Do(func() {
			select {
			case <-returned:
				handled <- false
			case <-time.After(patience):
				handled <- true
			}
		})
	}})
	_, err := s.call(ctx, "test_tool_with_progress", nil)
	close(returned)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case before := <-handled:
		if before {
			return "are done"
		}
		return "may still run"
	case <-ctx.Done():
		t.Fatal("no progress")
		return ""
	}
}

// panics lets a process of its own call a tool that asks the user, with a
// handler that panics.
func panics(t *testing.T, ctx context.Context, c contender) string {
	_, url := serve(t, conformance.WithEra(conformance.Modern))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, "panic", c.name, url)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil && strings.HasPrefix(string(out), "an error: "):
		return "an error of the call"
	case errors.As(err, &exit) && strings.Contains(string(out), "panic: the user is gone"):
		return "the program ends"
	}
	t.Fatalf("%v\n%s", err, out)
	return ""
}

// callAndPanic is the program of panics.
func callAndPanic(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for _, c := range contenders {
		if c.name != args[0] {
			continue
		}
		s, err := c.dial(ctx, server{url: args[1], elicit: func(string) { panic("the user is gone") }})
		if err != nil {
			return err
		}
		_, err = s.call(ctx, "test_elicitation", map[string]any{"message": "Who are you?"})
		if err == nil {
			return errors.New("the call succeeded")
		}
		fmt.Println("an error:", err)
		return s.close()
	}
	return errors.New("no such contender: " + args[0])
}
