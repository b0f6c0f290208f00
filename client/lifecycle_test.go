package client_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport/stdio"
)

// running reports whether a process with this id exists, dead and not reaped
// ones included.
func running(pid int) bool {
	process, err := os.FindProcess(pid)
	return err == nil && !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// pids returns the process ids of all starts of a server.
func (s *scripted) pids() []int {
	var pids []int
	for _, r := range s.Records() {
		if r.Key == fault.Start {
			pids = append(pids, r.PID)
		}
	}
	return pids
}

// B077.
func TestAFailedConnectOverHTTPLeavesNothing(t *testing.T) {
	for name, script := range map[string]fault.Script{
		"after a refusal":             answering(fault.Answer{fault.Status(401)}),
		"after a modern error":        answering(fault.Answer{fault.Status(400), fault.Error(-32020, "no")}),
		"after half a body":           answering(fault.Answer{fault.Cut(10), fault.Discover("2026-07-28")}),
		"after a stream without end":  {fault.Any: {{fault.Stream(), fault.Raw("data: {}\n\n"), fault.Silence()}}},
		"after a failed initialize":   fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodInitialize: {{fault.Status(500)}}}),
		"after a failed initialized":  fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodInitialized: {{fault.Status(500)}}}),
		"after an unknown version":    fault.Legacy("1900-01-01"),
		"when nothing is ever said":   {fault.Any: {{fault.Silence()}}},
		"when an endless stream runs": {fault.Any: {{fault.Stream(), fault.Forever(": hello\n\n")}}},
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			s := overHTTP(t, script)
			_, err := client.Connect(t.Context(), s.transport(t), s.options([]client.Option{
				client.WithRetries(0, soon), client.WithProbeTimeout(100 * time.Millisecond),
			})...)
			if err == nil {
				t.Fatal("Connect succeeded")
			}
			s.close()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	}
}

// B077.
func TestAFailedConnectOverStdioLeavesNoProcess(t *testing.T) {
	for name, script := range map[string]fault.Script{
		"after a modern error":         {protocol.MethodDiscover: {{fault.Error(-32020, "no")}}},
		"after a failed initialize":    fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodInitialize: {{fault.Error(-32603, "no")}}}),
		"after an exit and a refusal":  {protocol.MethodDiscover: {{fault.Exit(1)}}},
		"after two exits":              {fault.Any: {{fault.Exit(1)}}},
		"when it ignores its input":    {fault.Any: {{}}, fault.EOF: {{fault.Silence()}}},
		"when it ignores everything":   {fault.Any: {{}}, fault.EOF: {{fault.Silence()}}, fault.Signal: {{fault.Silence()}}},
		"when it closed its output":    {fault.Any: {{fault.Reset()}}, fault.EOF: {{fault.Silence()}}},
		"when it writes without end":   {fault.Start: {{fault.Forever("x")}}, fault.EOF: {{fault.Silence()}}},
		"when it never reads anything": {fault.Start: {{fault.Silence()}}, fault.EOF: {{fault.Silence()}}},
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			s := overStdio(t, script, stdio.WithShutdown(50*time.Millisecond, 50*time.Millisecond), stdio.WithMaxMessage(1<<20))
			_, err := client.Connect(t.Context(), s.transport(t), s.options([]client.Option{
				soonLate, client.WithConnectTimeout(300 * time.Millisecond),
			})...)
			if err == nil {
				t.Fatal("Connect succeeded")
			}
			for _, pid := range s.pids() {
				if running(pid) {
					t.Errorf("process %d still runs", pid)
				}
			}
			s.close()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	for name, script := range map[string]fault.Script{
		"of a modern server": fault.Modern(),
		"of a legacy server": withSession(nil),
		"of a legacy server that streams": withSession(fault.Script{
			fault.GET: {{fault.Stream(), fault.Silence()}},
		}),
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, script, func(t *testing.T, s *scripted) {
				before := goleak.IgnoreCurrent()
				c, err := client.Connect(t.Context(), s.transport(t), s.options(nil)...)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
					t.Fatal(err)
				}
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				for _, pid := range s.pids() {
					if running(pid) {
						t.Errorf("process %d still runs", pid)
					}
				}
				s.close()
				if err := goleak.Find(before); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// B056, M-MSG-11: one connection, and one process, serves whatever comes until it
// is closed.
func TestTheContextOfConnectDoesNotEndTheConnection(t *testing.T) {
	for name, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": withSession(nil)} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, script, func(t *testing.T, s *scripted) {
				ctx, cancel := context.WithCancel(t.Context())
				c, err := client.Connect(ctx, s.transport(t), s.options(nil)...)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				cancel()
				for range 2 {
					if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
						t.Errorf("a call after the context's end: %v", err)
					}
				}
				if n := s.Count(fault.Start); n > 1 {
					t.Errorf("%d processes", n)
				}
			})
		})
	}
}

func TestAContextThatIsOverConnectsToNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	overBoth(t, fault.Dual(), func(t *testing.T, s *scripted) {
		_, err := client.Connect(ctx, s.transport(t), s.options(nil)...)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Connect: %v", err)
		}
		if len(s.Records()) != 0 || s.remembered(t) != "nothing" {
			t.Errorf("the server saw %v, remembered is %s", s.Records(), s.remembered(t))
		}
	})
}

func TestACallerWhoGivesUpGetsTheContextsError(t *testing.T) {
	overBoth(t, fault.Script{fault.Any: {{fault.Silence()}}}, func(t *testing.T, s *scripted) {
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := client.Connect(ctx, s.transport(t), s.options(nil)...)
			failed <- err
		}()
		s.await(t, protocol.MethodDiscover, 1)
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("Connect: %v", err)
		}
		if diff := cmp.Diff([]string{"server/discover"}, s.Methods()); diff != "" {
			t.Errorf("methods (-want +got):\n%s", diff)
		}
		if got := s.remembered(t); got != "nothing" {
			t.Errorf("remembered %s", got)
		}
	})
}

// B076: there is nothing to say about a visit where nothing went wrong.
func TestAnOrdinaryVisitLogsNothing(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			log := new(output)
			c, err := client.Connect(t.Context(), p.open(t, p.era), client.WithEraCache(erecache.New(time.Now)), client.WithResponseCache(nil),
				client.WithProbeTimeout(never), client.WithLogger(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.CallTool(t.Context(), "test_simple_text", nil); err != nil {
				t.Error(err)
			}
			for _, err := range c.Subscribe(t.Context(), everyList) {
				if err != nil {
					t.Error(err)
				}
				break
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if log.text.Len() > 0 {
				t.Errorf("the log has\n%s", log.text.String())
			}
		})
	}
}

func TestAfterCloseCallsAreErrClosed(t *testing.T) {
	for name, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": withSession(nil)} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, script, func(t *testing.T, s *scripted) {
				c := s.connected(t)
				for range 2 {
					if err := c.Close(); err != nil {
						t.Errorf("Close: %v", err)
					}
				}
				seen := len(s.Methods())
				if _, err := c.CallTool(t.Context(), "echo", nil); !errors.Is(err, client.ErrClosed) {
					t.Errorf("CallTool: %v", err)
				}
				for _, err := range c.Tools(t.Context()) {
					if !errors.Is(err, client.ErrClosed) {
						t.Errorf("Tools: %v", err)
					}
				}
				if got := s.Methods(); len(got) != seen {
					t.Errorf("the server saw %v after Close", got[seen:])
				}
				if got := c.Era().String(); got != name { // what was found out stays readable
					t.Errorf("the era is %s", got)
				}
			})
		})
	}
}

// B068.
func TestAProcessThatDiesFailsAllThatWait(t *testing.T) {
	s := overStdio(t, fault.Modern().With(fault.Script{
		protocol.MethodCallTool: {{}, {fault.Stderr("out of memory\n"), fault.Exit(137)}},
	}))
	c := s.connected(t, client.WithRestarts(0))
	failed := make(chan error, 2)
	call := func() {
		_, err := c.CallTool(t.Context(), "echo", nil)
		failed <- err
	}
	go call()
	s.await(t, protocol.MethodCallTool, 1)
	go call()
	for range 2 {
		err := <-failed
		exit, ok := errors.AsType[*stdio.ExitError](err)
		if !ok || exit.State.ExitCode() != 137 || exit.Stderr != "out of memory\n" || !errors.Is(err, client.ErrClosed) {
			t.Errorf("CallTool: %v", err)
		}
	}
	if _, err := c.CallTool(t.Context(), "echo", nil); !errors.As(err, new(*stdio.ExitError)) {
		t.Errorf("a later call: %v", err)
	}
	if n := s.Count(fault.Start); n != 1 {
		t.Errorf("%d starts, want 1", n)
	}
}

// B067, B-STD-06.
func TestAProcessIsEndedByItsInputThenSignalsThenForce(t *testing.T) {
	for name, tc := range map[string]struct {
		script fault.Script
		want   string // what the process saw of its end
	}{
		"the end of its input is enough": {nil, "EOF GONE"},
		"then comes a signal":            {fault.Script{fault.EOF: {{fault.Silence()}}}, "EOF SIGNAL GONE"},
		"and then nothing asks any more": {fault.Script{fault.EOF: {{fault.Silence()}}, fault.Signal: {{fault.Silence()}}}, "EOF SIGNAL GONE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			grace := 50 * time.Millisecond
			if tc.script == nil {
				grace = never
			}
			s := overStdio(t, fault.Modern().With(tc.script), stdio.WithShutdown(grace, max(grace, time.Second)))
			if err := s.connected(t).Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			s.await(t, fault.Gone, 1)
			var end []string
			for _, r := range s.Records() {
				switch r.Key {
				case fault.EOF, fault.Signal, fault.Gone:
					end = append(end, r.Key)
				}
			}
			if got := strings.Join(end, " "); got != tc.want {
				t.Errorf("the process saw %s, want %s", got, tc.want)
			}
		})
	}
}
