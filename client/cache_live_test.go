package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// live starts the reference server on a socket.
func live(t *testing.T, opts ...conformance.Option) (*conformance.Server, string) {
	t.Helper()
	srv := conformance.New(opts...)
	web := httptest.NewServer(srv)
	t.Cleanup(func() {
		srv.Close()
		web.Close()
	})
	return srv, web.URL
}

func dial(t *testing.T, url string, header mcphttp.Option, opts ...client.Option) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), httpTransport(t, url, header), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// hasTool reports whether the server lists a tool.
func hasTool(t *testing.T, c *client.Client, name string) bool {
	t.Helper()
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Name == name {
			return true
		}
	}
	return false
}

// The same program in both eras: it subscribes, and sees each change at once.
// Only a modern server lets it keep what it has.
func TestAProgramThatSubscribesIsNeverOutOfDate(t *testing.T) {
	for era, offered := range map[negotiation.Era]conformance.Era{
		negotiation.EraModern: conformance.Modern,
		negotiation.EraLegacy: conformance.Legacy,
	} {
		t.Run(era.String(), func(t *testing.T) {
			srv, url := live(t, conformance.WithEra(offered), conformance.WithCacheHint(conformance.CacheHint{TTL: time.Hour}))
			var lists atomic.Int64
			c := dial(t, url, mcphttp.WithRetries(0), client.WithEraCache(nil),
				client.WithResponseCache(responsecache.New(time.Now)),
				client.WithTrace(func(e client.Event) {
					if e.Kind == client.Sent && e.Method == protocol.MethodListTools {
						lists.Add(1)
					}
				}))
			if c.Era() != era {
				t.Fatalf("the era is %s", c.Era())
			}
			changes := 0
			for change, err := range c.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}) {
				if err != nil {
					t.Fatal(err)
				}
				if change.Kind == client.ToolsChanged {
					changes++
				}
				newest := fmt.Sprint("tool", changes)
				for range 3 {
					if changes > 0 && !hasTool(t, c, newest) {
						t.Errorf("%s is not listed after the change was told", newest)
					}
				}
				if changes == 3 {
					break
				}
				srv.SetTool(conformance.Tool{Definition: protocol.Tool{Name: fmt.Sprint("tool", changes+1)}, Run: func(context.Context, *conformance.Call) (*protocol.CallToolResult, error) {
					return conformance.Text(""), nil
				}})
			}
			if want := map[negotiation.Era]int64{negotiation.EraModern: 3, negotiation.EraLegacy: 9}[era]; lists.Load() != want {
				t.Errorf("tools/list was sent %d times, want %d", lists.Load(), want)
			}
		})
	}
}

// Run with -race. Two users of one process never see each other's answers.
func TestConcurrentUsersKeepToThemselves(t *testing.T) {
	srv, url := live(t, conformance.WithoutFixtures(), conformance.WithCacheHint(conformance.CacheHint{TTL: time.Hour}),
		conformance.WithBearerTokens(map[string]conformance.Principal{"a": {Name: "alice"}, "b": {Name: "bob"}}),
		conformance.WithResources(conformance.Resource{
			URI: "user:me", Name: "me",
			Read: func(_ context.Context, c *conformance.Call) ([]protocol.ResourceContents, error) {
				return []protocol.ResourceContents{{URI: "user:me", Text: c.Principal.Name}}, nil
			},
		}))
	caches := []client.Option{
		client.WithEraCache(erecache.New(time.Now)), client.WithResponseCache(responsecache.New(time.Now)),
	}
	var wg sync.WaitGroup
	for token, name := range map[string]string{"a": "alice", "b": "bob"} {
		for range 2 {
			c := dial(t, url, mcphttp.WithHeader("Authorization", "Bearer "+token), caches...)
			for worker := range 4 {
				wg.Go(func() {
					for round := range 25 {
						mode := client.CacheMode((worker + round) % 3)
						got, err := read(t.Context(), c, "user:me", client.Cache(mode))
						if err != nil || got != name {
							t.Errorf("%s got %q, %v", name, got, err)
						}
						if round%5 == 0 {
							srv.NotifyResourceUpdated("user:me")
						}
					}
				})
			}
			wg.Go(func() {
				filter := protocol.SubscriptionFilter{ResourceSubscriptions: []string{"user:me"}}
				seen := 0
				for _, err := range c.Subscribe(t.Context(), filter) {
					if err != nil {
						t.Error(err)
					}
					if seen++; seen == 2 {
						break
					}
					srv.NotifyResourceUpdated("user:me")
				}
			})
		}
	}
	wg.Wait()
}

func TestAGapMakesAnswersStale(t *testing.T) {
	granted := func(more ...fault.Step) fault.Answer {
		return append(fault.Answer{fault.Stream(), fault.Message(
			`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},` +
				`"_meta":{"io.modelcontextprotocol/subscriptionId":${id}}}}`)}, more...)
	}
	s := overHTTP(t, kept(aMinute).With(fault.Script{
		protocol.MethodListen: {granted(fault.Hold("lost"), fault.Reset()), granted(fault.Silence())},
	}))
	c := s.connected(t, caching(newStill()))
	ask := func(why, method, n string) {
		got, err := asking[method](t.Context(), c)
		want(t, why, n, got, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), never)
	defer cancel()
	for change, err := range c.Subscribe(ctx, protocol.SubscriptionFilter{ToolsListChanged: true}) {
		if err != nil {
			t.Fatal(err)
		}
		switch change.Kind {
		case client.Acknowledged:
			ask("before the gap", protocol.MethodListTools, "1")
			ask("before the gap", protocol.MethodListPrompts, "1")
			ask("before the gap", protocol.MethodListTools, "1")
			s.Release("lost")
			continue
		case client.Gap:
			ask("after the gap", protocol.MethodListTools, "2")
			ask("what was not subscribed to", protocol.MethodListPrompts, "1")
		default:
			t.Errorf("a change of kind %s", change.Kind)
		}
		break
	}
}
