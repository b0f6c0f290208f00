package client_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/stdio"
)

// crashing is a server of an era whose tool ends the process.
func crashing(era string) fault.Script {
	base := fault.Modern()
	if era == "legacy" {
		base = fault.Legacy("2025-11-25").With(fault.Script{
			protocol.MethodInitialize: {{fault.Result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"a","version":"1"}}`)}},
			protocol.MethodSetLevel:   {{fault.Result(`{}`)}},
		})
	}
	return base.With(fault.Script{protocol.MethodCallTool: {{fault.Stderr("no disk\n"), fault.Exit(3)}}})
}

// crash calls the tool.
func crash(t *testing.T, c *client.Client) {
	t.Helper()
	_, err := c.CallTool(t.Context(), "echo", nil)
	exit, ok := errors.AsType[*stdio.ExitError](err)
	if !ok || exit.State.ExitCode() != 3 || !errors.Is(err, transport.ErrClosed) || !containsAll(err.Error(), "no disk") {
		t.Errorf("the call that was under way: %v", err)
	}
}

func inEachEra(t *testing.T, f func(t *testing.T, era string)) {
	t.Helper()
	for _, era := range []string{"modern", "legacy"} {
		t.Run(era, func(t *testing.T) { f(t, era) })
	}
}

// M-STD-07: what was under way is lost, and is not sent again; the next call
// meets a new process, which is opened in the era that is known.
func TestAProcessThatLeftIsStartedAgain(t *testing.T) {
	opening := map[string]string{"modern": probeOnly, "legacy": probeThenInit}
	reopening := map[string]string{"modern": "", "legacy": initOnly + " "}
	inEachEra(t, func(t *testing.T, era string) {
		s := overStdio(t, crashing(era))
		c := s.connected(t)
		crash(t, c)
		if n := s.Count(fault.Start); n != 1 {
			t.Errorf("%d starts before the next call, want 1", n)
		}
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Errorf("the next call: %v", err)
		}
		if n := s.Count(fault.Start); n != 2 {
			t.Errorf("%d starts, want 2", n)
		}
		want := opening[era] + " tools/call " + reopening[era] + "tools/list"
		if diff := cmp.Diff(want, strings.Join(s.Methods(), " ")); diff != "" {
			t.Errorf("methods (-want +got):\n%s", diff)
		}
		if got := c.Era().String(); got != era {
			t.Errorf("the era is %s", got)
		}
	})
}

func TestARestartIsOneHoweverManyCallsNotice(t *testing.T) {
	inEachEra(t, func(t *testing.T, era string) {
		const n = 50
		s := overStdio(t, crashing(era))
		c := s.connected(t)
		crash(t, c)
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				if _, err := c.ListTools(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if starts, inits := s.Count(fault.Start), s.Count(protocol.MethodInitialize); starts != 2 || era == "legacy" && inits != 2 {
			t.Errorf("%d starts and %d initializes, want 2", starts, inits)
		}
		if got := s.Count(protocol.MethodListTools); got != n {
			t.Errorf("%d requests for %d calls", got, n)
		}
	})
}

// Whatever a server has read it may have done.
func TestWhatWasUnderWayIsNotSentAgain(t *testing.T) {
	inEachEra(t, func(t *testing.T, era string) {
		const n = 5
		answers := make([]fault.Answer, n, n+2)
		s := overStdio(t, crashing(era).With(fault.Script{protocol.MethodCallTool: append(answers, fault.Answer{fault.Exit(3)}, fault.Answer{fault.Content("done")})}))
		c := s.connected(t)
		var all sync.WaitGroup
		call := func() {
			if _, err := c.CallTool(t.Context(), "echo", nil); !errors.As(err, new(*stdio.ExitError)) {
				t.Errorf("a call under way: %v", err)
			}
		}
		for range n {
			all.Go(call)
		}
		s.await(t, protocol.MethodCallTool, n)
		all.Go(call)
		all.Wait()
		if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
			t.Errorf("the next call: %v", err)
		}
		if got := s.Count(protocol.MethodCallTool); got != n+2 {
			t.Errorf("%d requests for %d calls", got, n+2)
		}
	})
}

func TestTheLogLevelSurvivesARestart(t *testing.T) {
	s := overStdio(t, crashing("legacy"))
	c := s.connected(t)
	if err := c.SetLogLevel(t.Context(), protocol.LogWarning); err != nil {
		t.Fatal(err)
	}
	crash(t, c)
	if err := c.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := s.await(t, protocol.MethodSetLevel, 2); r.Process != 2 || member(t, r.Body, "params", "level") != `"warning"` {
		t.Errorf("process %d got %s", r.Process, r.Body)
	}
}

func TestRestartsCanBeTurnedOff(t *testing.T) {
	inEachEra(t, func(t *testing.T, era string) {
		s := overStdio(t, crashing(era))
		c := s.connected(t, client.WithRestarts(0))
		crash(t, c)
		if _, err := c.ListTools(t.Context()); !errors.As(err, new(*stdio.ExitError)) || errors.Is(err, client.ErrRestarts) {
			t.Errorf("the next call: %v", err)
		}
		if n := s.Count(fault.Start); n != 1 {
			t.Errorf("%d starts, want 1", n)
		}
	})
	if _, err := client.Connect(t.Context(), overStdio(t, nil).transport(t), client.WithRestarts(-1)); err == nil {
		t.Error("less than no restarts are taken")
	}
}

func TestRestartsAreBounded(t *testing.T) {
	inEachEra(t, func(t *testing.T, era string) {
		s := overStdio(t, crashing(era))
		c := s.connected(t, client.WithRestarts(2))
		for range 3 {
			crash(t, c)
		}
		for range 3 {
			_, err := c.ListTools(t.Context())
			if !errors.Is(err, client.ErrRestarts) || !errors.Is(err, transport.ErrClosed) || !containsAll(err.Error(), "exit status 3", "no disk") {
				t.Errorf("a call after the last: %v", err)
			}
		}
		if n := s.Count(fault.Start); n != 3 {
			t.Errorf("%d starts, want 3", n)
		}
	})
}

// A restart that fails says so, to all who wait; another may do better.
func TestARestartMayFail(t *testing.T) {
	s := overStdio(t, crashing("legacy").With(fault.Script{
		fault.Start: {{}, {fault.Stderr("no license\n"), fault.Exit(4)}, {}},
	}))
	c := s.connected(t)
	crash(t, c)
	_, err := c.ListTools(t.Context())
	if err == nil || !containsAll(err.Error(), "no disk", "starting the server again", "no license") {
		t.Errorf("the call that met it: %v", err)
	}
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Errorf("the call after it: %v", err)
	}
	if got := s.Count(protocol.MethodListTools); got != 1 {
		t.Errorf("%d requests were sent, want that of the second call", got)
	}
	if n := s.Count(fault.Start); n != 3 {
		t.Errorf("%d starts, want 3", n)
	}
}

// M-STD-08, M-SUB-05, in either era.
func TestSubscriptionsSurviveARestart(t *testing.T) {
	t.Run("modern", func(t *testing.T) {
		s := overStdio(t, listening(
			fault.Answer{granted(`{"toolsListChanged":true}`), changed("tools/list_changed", "${id}", ""), fault.Hold("read"), fault.Exit(1)},
			fault.Answer{granted(`{"toolsListChanged":true}`), changed("tools/list_changed", "${id}", "")},
		))
		got := changes(t, s, s.connected(t), everyList, map[string]string{"tools": "read"}, 4)
		if diff := cmp.Diff([]string{"acknowledged", "tools", "gap", "tools"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if n := s.Count(fault.Start); n != 2 {
			t.Errorf("%d starts, want 2", n)
		}
	})
	t.Run("legacy", func(t *testing.T) { // nothing is asked when the process leaves
		s := overStdio(t, telling().With(fault.Script{protocol.MethodInitialized: {
			{fault.Hold("acknowledged"), fault.Exit(1)},
			{fault.Hold("gap"), fault.Message(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)},
		}}))
		filter := everyList
		filter.ResourceSubscriptions = []string{"a:1"}
		got := changes(t, s, s.connected(t), filter, map[string]string{"acknowledged": "acknowledged", "gap": "gap"}, 3)
		if diff := cmp.Diff([]string{"acknowledged", "gap", "tools"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if r := s.await(t, protocol.MethodSubscribe, 2); r.Process != 2 || member(t, r.Body, "params", "uri") != `"a:1"` {
			t.Errorf("process %d got %s", r.Process, r.Body)
		}
	})
}

// changes reads n changes, and releases what the script holds until one of a
// kind has come.
func changes(t *testing.T, s *scripted, c *client.Client, filter protocol.SubscriptionFilter, releases map[string]string, n int) (kinds []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), never)
	defer cancel()
	for change, err := range c.Subscribe(ctx, filter) {
		if err != nil {
			t.Fatalf("after %v: %v", kinds, err)
		}
		kinds = append(kinds, string(change.Kind))
		if len(kinds) == n {
			break
		}
		if name := releases[string(change.Kind)]; name != "" {
			s.Release(name)
		}
	}
	return kinds
}

// Who subscribes after the process has left hears of changes all the same.
func TestASubscriptionStartsAProcessThatLeft(t *testing.T) {
	s := overStdio(t, telling().With(fault.Script{protocol.MethodInitialized: {
		{fault.Exit(1)}, {fault.Hold("acknowledged"), fault.Message(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)},
	}}))
	c := s.connected(t)
	s.await(t, fault.Gone, 1)
	ctx, cancel := context.WithTimeout(t.Context(), never)
	defer cancel()
	for change, err := range c.Subscribe(ctx, everyList) {
		if err != nil {
			t.Fatal(err)
		}
		if change.Kind == client.Acknowledged {
			s.Release("acknowledged")
		}
		if change.Kind == client.ToolsChanged {
			break
		}
	}
	if n := s.Count(fault.Start); n != 2 {
		t.Errorf("%d starts, want 2", n)
	}
}

// A subscription to a server that leaves again and again ends.
func TestASubscriptionEndsWithTheRestarts(t *testing.T) {
	for era, script := range map[string]fault.Script{
		"modern": listening(fault.Answer{granted(`{"toolsListChanged":true}`), fault.Exit(1)}),
		"legacy": telling().With(fault.Script{protocol.MethodInitialized: {{fault.Hold("acknowledged"), fault.Exit(1)}}}),
	} {
		t.Run(era, func(t *testing.T) {
			s := overStdio(t, script)
			ctx, cancel := context.WithTimeout(t.Context(), never)
			defer cancel()
			for change, err := range s.connected(t).Subscribe(ctx, everyList) {
				if change.Kind == client.Acknowledged {
					s.Release("acknowledged")
				}
				if err != nil && !errors.Is(err, client.ErrRestarts) {
					t.Errorf("it ended with %v", err)
				}
			}
			if n := s.Count(fault.Start); n != 4 {
				t.Errorf("%d starts, want 4", n)
			}
		})
	}
}

// What a process had asked nobody waits for any more.
func TestTheEndOfAProcessEndsWhatItAsked(t *testing.T) {
	s := overStdio(t, fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodInitialized: {
		{fault.Message(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`), fault.Hold("asked"), fault.Exit(1)},
	}}))
	asked, ended := make(chan struct{}), make(chan struct{})
	s.connected(t, client.WithHandler(rooter(func(ctx context.Context) ([]protocol.Root, error) {
		close(asked)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})))
	receiveSoon(t, asked)
	s.Release("asked")
	receiveSoon(t, ended)
}

// A process that starts and says nothing holds up neither Close nor a call whose
// context ends.
func TestARestartHoldsNobodyUp(t *testing.T) {
	s := overStdio(t, crashing("legacy").With(fault.Script{fault.Start: {{}, {fault.Silence()}}}), stdio.WithShutdown(time.Millisecond, never))
	c := s.connected(t)
	crash(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left, closed := make(chan error, 1), make(chan error, 2)
	go func() {
		_, err := c.ListTools(ctx)
		left <- err
	}()
	s.await(t, fault.Start, 2)
	for range 2 {
		go func() {
			_, err := c.ListTools(t.Context())
			closed <- err
		}()
	}
	cancel()
	if err := receiveSoon(t, left); !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was left: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for range 2 {
		if err := receiveSoon(t, closed); !errors.Is(err, client.ErrClosed) {
			t.Errorf("a call that waited: %v", err)
		}
	}
	if requests, cancels := s.Count(protocol.MethodListTools), s.Count(protocol.MethodCancelled); requests != 0 || cancels != 0 {
		t.Errorf("%d requests and %d cancellations were sent", requests, cancels)
	}
	if n := s.Count(fault.Start); n != 2 {
		t.Errorf("%d starts, want 2", n)
	}
}
