package fleet_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/fleet"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// era returns the era of a server's connection.
func era(t *testing.T, f *fleet.Fleet, server string) (era negotiation.Era) {
	t.Helper()
	err := f.With(t.Context(), server, func(c *client.Client) error {
		era = c.Era()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return era
}

func TestServersOfBothErasAndTransportsAreOneListOfTools(t *testing.T) {
	modern, _ := overHTTP(t, "modern", conformance.WithEra(conformance.Modern))
	legacy, _ := overHTTP(t, "legacy", conformance.WithEra(conformance.Legacy))
	f := newFleet(t, []fleet.Server{modern, overStdio("local"), legacy})

	tools, failed := f.Tools(t.Context())
	if len(failed) > 0 {
		t.Fatal(failed)
	}
	var servers, names []string
	for _, tool := range tools {
		servers = append(servers, tool.Server)
		names = append(names, tool.Name)
		if want := fleet.ToolName(tool.Server, tool.Definition.Name); tool.Name != want {
			t.Errorf("a tool is called %s, want %s", tool.Name, want)
		}
	}
	if diff := cmp.Diff([]string{"modern", "local", "legacy"}, slices.Compact(servers)); diff != "" {
		t.Errorf("servers, in order (-want +got):\n%s", diff)
	}
	if slices.Sort(names); len(slices.Compact(names)) != len(tools) {
		t.Error("two tools have the same name")
	}
	for server, want := range map[string]negotiation.Era{
		"modern": negotiation.EraModern, "legacy": negotiation.EraLegacy, "local": negotiation.EraModern,
	} {
		if got := era(t, f, server); got != want {
			t.Errorf("server %s is %s, want %s", server, got, want)
		}
		r, err := f.CallTool(t.Context(), server+"__echo", map[string]any{"message": "to " + server})
		if err != nil || r.Text() != "to "+server {
			t.Errorf("the call to %s gave %v, %v", server, r, err)
		}
	}
}

func TestOneFailingServerNeverFailsTheRest(t *testing.T) {
	good, _ := overHTTP(t, "good")
	exits, _ := scriptedChild(t, "exits", fault.Script{fault.Start: {{fault.Stderr("no such file\n"), fault.Exit(1)}}})
	halfway, _ := scripted(t, "halfway", fault.Modern().With(fault.Script{"tools/list": {
		{fault.Result(`{"resultType":"complete","tools":[{"name":"first","inputSchema":{"type":"object"}}],"nextCursor":"2"}`)},
		{fault.Error(-32603, "broken")},
	}}))
	f := newFleet(t, []fleet.Server{
		{Name: "undescribed"},
		{Name: "disabled", URL: "http://127.0.0.1:1", Disabled: true},
		broken(t, "down"), exits, halfway,
		{Name: "missing", Command: "no-such-program-anywhere"},
		good,
	})

	if err := f.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	tools, failed := f.Tools(t.Context())
	if !slices.ContainsFunc(tools, func(tool fleet.Tool) bool { return tool.Name == "good__echo" }) {
		t.Error("the tools of the good server are not listed")
	}
	if !slices.ContainsFunc(tools, func(tool fleet.Tool) bool { return tool.Name == "halfway__first" }) {
		t.Error("the tools that came before an error are not listed")
	}
	if err := failed["good"]; err != nil {
		t.Errorf("the good server failed: %v", err)
	}
	statuses := make(map[string]fleet.Status)
	for _, s := range f.States() {
		statuses[s.Server] = s.Status
		if (s.Err != nil) != (s.Status == fleet.Failed) {
			t.Errorf("server %s is %s with the error %v", s.Server, s.Status, s.Err)
		}
	}
	want := map[string]fleet.Status{
		"undescribed": fleet.Failed, "disabled": fleet.Disabled, "down": fleet.Failed, "exits": fleet.Failed,
		"halfway": fleet.Connected, "missing": fleet.Failed, "good": fleet.Connected,
	}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	var exit *stdio.ExitError
	if err := failed["exits"]; !errors.As(err, &exit) || !strings.HasPrefix(exit.Stderr, "no such file\n") {
		t.Errorf("the server that exits failed with %v, want what it wrote", err)
	}
	if err := status(t, f, "down").Err; !errors.Is(err, transport.ErrUnavailable) {
		t.Errorf("the server that is down has the error %v", err)
	}
	if _, ok := failed["disabled"]; ok {
		t.Error("a disabled server counts as failed")
	}
}

func TestAFailedServerIsTriedAgain(t *testing.T) {
	server, srv := scripted(t, "s", fault.Modern().With(fault.Script{"server/discover": {
		{fault.Status(401)}, {fault.Discover("2026-07-28")},
	}}))
	f := newFleet(t, []fleet.Server{server})
	_, err := f.CallTool(t.Context(), "s__echo", nil)
	var unknown *fleet.UnknownToolError
	if !errors.As(err, &unknown) || unknown.Failed["s"] == nil || !errors.Is(err, transport.ErrUnauthorized) {
		t.Fatalf("CallTool failed with %v, want an *UnknownToolError because of the 401", err)
	}
	if _, err := f.CallTool(t.Context(), "s__echo", nil); err != nil {
		t.Fatal(err)
	}
	if got := status(t, f, "s"); got.Status != fleet.Connected || got.Err != nil {
		t.Errorf("the server is %s, %v", got.Status, got.Err)
	}
	want := []string{"server/discover", "server/discover", "tools/list", "tools/call"}
	if diff := cmp.Diff(want, srv.Methods()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// A name that a model makes up costs nothing where no server can have it, and
// starts no server but the one that might.
func TestOnlyServersThatMayHaveAToolAreAsked(t *testing.T) {
	a, atA := scripted(t, "a", fault.Modern())
	b, atB := scripted(t, "b.c", fault.Modern().With(fault.Script{"tools/list": {{fault.Tools("echo.all")}}}))
	f := newFleet(t, []fleet.Server{a, b})
	for _, name := range []string{"c__echo", "echo", "", "a_echo"} {
		var unknown *fleet.UnknownToolError
		if _, err := f.CallTool(t.Context(), name, nil); !errors.As(err, &unknown) || len(unknown.Failed) > 0 {
			t.Errorf("a call of %q gave %v", name, err)
		}
	}
	if _, err := f.CallTool(t.Context(), fleet.ToolName("b.c", "echo.all"), nil); err != nil {
		t.Fatal(err)
	}
	if got := atA.Methods(); len(got) > 0 {
		t.Errorf("the other server was asked: %v", got)
	}
	if diff := cmp.Diff([]string{"server/discover", "tools/list", "tools/call"}, atB.Methods()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// A tool that its server no longer lists is not called, one that it lists twice
// is there once.
func TestTheLastListCounts(t *testing.T) {
	server, srv := scripted(t, "s", fault.Modern().With(fault.Script{"tools/list": {
		{fault.Tools("echo", "old", "echo")}, {fault.Tools("echo")},
	}}))
	f := newFleet(t, []fleet.Server{server})
	if tools, failed := f.Tools(t.Context()); len(tools) != 2 || len(failed) > 0 {
		t.Fatalf("Tools = %v, %v, want two", tools, failed)
	}
	if _, err := f.CallTool(t.Context(), "s__old", nil); err != nil {
		t.Fatal(err)
	}
	if tools, failed := f.Tools(t.Context()); len(tools) != 1 || len(failed) > 0 {
		t.Fatalf("Tools = %v, %v, want one", tools, failed)
	}
	var unknown *fleet.UnknownToolError
	if _, err := f.CallTool(t.Context(), "s__old", nil); !errors.As(err, &unknown) {
		t.Errorf("a tool that is gone gave %v", err)
	}
	if got := srv.Count("tools/call"); got != 1 {
		t.Errorf("%d calls, want 1", got)
	}
}

func TestConnectIsBounded(t *testing.T) {
	var now, most, all atomic.Int64
	full := make(chan struct{})
	srv := conformance.New()
	defer srv.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n) // a lost update would make it less, not more
		}
		defer now.Add(-1)
		if all.Add(1) == 3 {
			close(full)
		}
		<-full // until three are under way at once
		srv.ServeHTTP(w, r)
	}))
	defer web.Close()
	var servers []fleet.Server
	for _, name := range strings.Split("abcdefghijkl", "") {
		servers = append(servers, fleet.Server{Name: name, URL: web.URL + "/" + name})
	}
	f := newFleet(t, servers, fleet.WithParallel(3))
	if err := f.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range f.States() {
		if s.Status != fleet.Connected {
			t.Errorf("server %s is %s: %v", s.Server, s.Status, s.Err)
		}
	}
	if most.Load() != 3 {
		t.Errorf("at most %d servers were connected at a time, want 3", most.Load())
	}
}

// All who need a server share one attempt, and one who leaves disturbs nobody.
func TestOneAttemptForAll(t *testing.T) {
	server, srv := scripted(t, "s", fault.Modern().With(fault.Script{"server/discover": {
		{fault.Hold("go"), fault.Discover("2026-07-28")},
	}}))
	f := newFleet(t, []fleet.Server{server})
	first, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- f.With(first, "s", func(*client.Client) error { return nil }) }()
	await(t, srv.Server, "server/discover", 1)
	if got := status(t, f, "s").Status; got != fleet.Connecting {
		t.Errorf("the server is %s, want connecting", got)
	}
	var rest sync.WaitGroup
	for range 4 {
		rest.Go(func() {
			if err := f.Connect(t.Context()); err != nil {
				t.Error(err)
			}
			if err := f.With(t.Context(), "s", func(*client.Client) error { return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, func() bool { return fleet.Waiting(f, "s") == 5 })
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who left got %v", err)
	}
	srv.Release("go")
	rest.Wait()
	if got := srv.Count("server/discover"); got != 1 {
		t.Errorf("%d attempts, want 1", got)
	}
}

// An attempt that nobody waits for is ended, and says nothing about the server.
func TestAnAttemptEndsWithThoseWhoWaitForIt(t *testing.T) {
	server, srv := scripted(t, "s", fault.Modern().With(fault.Script{"server/discover": {
		{fault.Silence()}, {fault.Discover("2026-07-28")},
	}}))
	f := newFleet(t, []fleet.Server{server})
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- f.Connect(ctx) }()
	await(t, srv.Server, "server/discover", 1)
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("Connect gave %v", err)
	}
	await(t, srv.Server, fault.Left, 1)
	if _, err := f.CallTool(t.Context(), "s__echo", nil); err != nil { // beside the attempt that ends
		t.Error(err)
	}
	if err := f.Connect(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Connect under a context that is over gave %v", err)
	}
}

// The era cache is one for all: a server that is connected again is not probed.
func TestErasAreRemembered(t *testing.T) {
	server, srv := scripted(t, "s", fault.Legacy("2025-11-25"))
	twin := server
	twin.Name = "twin"
	f := newFleet(t, []fleet.Server{server, twin}, fleet.WithParallel(1))
	if err := f.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Disconnect("s"); err != nil {
		t.Fatal(err)
	}
	if got := status(t, f, "s").Status; got != fleet.Idle {
		t.Errorf("a server that was disconnected is %s", got)
	}
	if err := f.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if probes, opened := srv.Count("server/discover"), srv.Count("initialize"); probes != 1 || opened != 3 {
		t.Errorf("%d probes for %d connections, want 1 for 3", probes, opened)
	}
}

// A process that left is started again by its client, at the next call.
func TestAProcessThatLeftIsStartedAgain(t *testing.T) {
	server, srv := scriptedChild(t, "s", fault.Modern().With(fault.Script{"tools/call": {
		{fault.Exit(3)}, {fault.Content("back")},
	}}))
	f := newFleet(t, []fleet.Server{server})
	var exit *stdio.ExitError
	if _, err := f.CallTool(t.Context(), "s__echo", nil); !errors.As(err, &exit) {
		t.Fatalf("the call that the process left on gave %v", err)
	}
	r, err := f.CallTool(t.Context(), "s__echo", nil)
	if err != nil || r.Text() != "back" {
		t.Fatalf("the next call gave %v, %v", r, err)
	}
	if got := srv.Count(fault.Start); got != 2 {
		t.Errorf("%d processes, want 2", got)
	}
}

// A lossy transport says after n exchanges that its connection is over, for good.
type lossy struct {
	transport.Transport
	left atomic.Int64
}

func (l *lossy) Exchange(ctx context.Context, req *transport.Request) negotiation.Outcome {
	if l.left.Add(-1) < 0 {
		return negotiation.Outcome{RequestID: req.ID, Failure: negotiation.Closed, Err: transport.ErrClosed}
	}
	return l.Transport.Exchange(ctx, req)
}

// A connection that its client can't mend is replaced, by the next call.
func TestALostConnectionIsReplaced(t *testing.T) {
	_, srv := scripted(t, "s", fault.Modern())
	f := newFleet(t, []fleet.Server{{Name: "s", URL: srv.URL}}, fleet.WithDial(func(s fleet.Server) (transport.Transport, error) {
		t, err := mcphttp.New(s.URL)
		if err != nil {
			return nil, err
		}
		l := &lossy{Transport: t}
		l.left.Store(3)
		return l, nil
	}))
	for i, lost := range []bool{false, true, false} {
		_, err := f.CallTool(t.Context(), "s__echo", nil)
		if errors.Is(err, transport.ErrClosed) != lost || (err != nil) != lost {
			t.Fatalf("call %d gave %v", i+1, err)
		}
		want := fleet.Connected
		if lost {
			want = fleet.Failed
		}
		if got := status(t, f, "s"); got.Status != want || errors.Is(got.Err, transport.ErrClosed) != lost {
			t.Errorf("after call %d the server is %s, %v", i+1, got.Status, got.Err)
		}
	}
}

func TestACloseUnderWay(t *testing.T) {
	held := fault.Modern().With(fault.Script{"tools/call": {{fault.Stream(), fault.Silence()}}})
	calling, atCalling := scripted(t, "calling", held)
	child, atChild := scriptedChild(t, "child", held)
	connecting, atConnecting := scripted(t, "connecting", fault.Script{fault.Any: {{fault.Silence()}}})
	f := newFleet(t, []fleet.Server{calling, child, connecting})
	errs := make(chan error)
	for _, name := range []string{"calling__echo", "child__echo", "connecting__echo"} {
		go func() {
			_, err := f.CallTool(t.Context(), name, nil)
			errs <- err
		}()
	}
	await(t, atCalling.Server, "tools/call", 1)
	await(t, atChild.Server, "tools/call", 1)
	await(t, atConnecting.Server, "server/discover", 1)
	if err := f.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	for range 3 {
		if err := <-errs; !errors.Is(err, fleet.ErrClosed) && !errors.Is(err, client.ErrClosed) {
			t.Errorf("a call under way gave %v", err)
		}
	}
	await(t, atChild.Server, fault.Gone, 1) // Close has waited for the process

	if err := f.Close(); err != nil {
		t.Errorf("the second Close: %v", err)
	}
	if err := f.Connect(t.Context()); !errors.Is(err, fleet.ErrClosed) {
		t.Errorf("Connect after Close gave %v", err)
	}
	if err := f.With(t.Context(), "calling", nil); !errors.Is(err, fleet.ErrClosed) {
		t.Errorf("With after Close gave %v", err)
	}
	for range f.Changes(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}) {
		t.Error("a change after Close")
	}
	if got := status(t, f, "connecting").Status; got != fleet.Idle {
		t.Errorf("a server of a closed fleet is %s", got)
	}
}

func TestServersThatCanNotBeUsed(t *testing.T) {
	f := newFleet(t, []fleet.Server{
		{Name: "disabled", URL: "http://127.0.0.1:1", Disabled: true},
		{Name: "described", Err: errors.New("the variable \"KEY\" is not set")},
	})
	for server, want := range map[string]string{
		"disabled":  `server "disabled": the server is disabled`,
		"described": `server "described": the variable "KEY" is not set`,
		"nowhere":   `fleet: server "nowhere": there is no such server`,
	} {
		err := f.With(t.Context(), server, func(*client.Client) error { return nil })
		if err == nil || err.Error() != want {
			t.Errorf("With(%s) gave %v, want %s", server, err, want)
		}
	}
	if err := f.Disconnect("nowhere"); !errors.Is(err, fleet.ErrUnknownServer) {
		t.Errorf("Disconnect gave %v", err)
	}
	if err := f.Disconnect("disabled"); err != nil {
		t.Errorf("Disconnect gave %v", err)
	}
}

func TestOptionsThatAreNoGood(t *testing.T) {
	for name, opt := range map[string]fleet.Option{
		"WithParallel":    fleet.WithParallel(0),
		"WithIdleTimeout": fleet.WithIdleTimeout(0),
		"WithDial":        fleet.WithDial(nil),
		"WithLogger":      fleet.WithLogger(nil),
		"WithOptionsFor":  fleet.WithOptionsFor(nil),
		"WithResubscribe": fleet.WithResubscribe(transport.Backoff{}),
	} {
		if _, err := fleet.New(&fleet.Config{}, opt); err == nil {
			t.Errorf("New took %s without a use", name)
		}
	}
	twice := []fleet.Server{{Name: "a", Command: "x"}, {Name: "a", Command: "y"}}
	if _, err := fleet.New(&fleet.Config{Servers: twice}); err == nil {
		t.Error("New took two servers of one name")
	}
}

// A guest asks as the server that it serves.
type guest struct{ server string }

func (g guest) Elicit(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	return &protocol.ElicitResult{
		Action: protocol.ElicitAccept, Content: map[string]any{"username": g.server, "email": "a@example.com"},
	}, nil
}

// B-ELI-03: a handler can tell the user which server asks.
func TestAHandlerKnowsItsServer(t *testing.T) {
	a, _ := overHTTP(t, "a")
	b, _ := overHTTP(t, "b", conformance.WithEra(conformance.Legacy))
	f := newFleet(t, []fleet.Server{a, b}, fleet.WithOptionsFor(func(s fleet.Server) []client.Option {
		return []client.Option{client.WithHandler(guest{s.Name})}
	}))
	for _, server := range []string{"a", "b"} {
		r, err := f.CallTool(t.Context(), server+"__test_elicitation", map[string]any{"message": "Who?"})
		if err != nil || !strings.Contains(r.Text(), `"username":"`+server+`"`) {
			t.Errorf("server %s was told %v, %v", server, r, err)
		}
	}
}

func TestHeadersAndVariablesReachTheirServers(t *testing.T) {
	remote, _ := overHTTP(t, "remote", conformance.WithBearerTokens(map[string]conformance.Principal{"s3cret": {Name: "ada"}}))
	remote.Headers = map[string]string{"Authorization": "Bearer s3cret"}
	f := newFleet(t, []fleet.Server{remote, overStdio("local")}, fleet.WithStdioOptions(stdio.WithMaxMessage(1<<20)))
	r, err := f.CallTool(t.Context(), "remote__whoami", nil)
	if err != nil || !strings.Contains(r.Text(), `"principal":"ada"`) {
		t.Errorf("the server was reached by %v, %v", r, err)
	}
	if _, err := f.CallTool(t.Context(), "local__echo", map[string]string{"message": "x"}); err != nil {
		t.Error(err) // the child needs its variable
	}
}
