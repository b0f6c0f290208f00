package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

var everyList = protocol.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}

// granted acknowledges a subscription; changed tells of a change to the one
// with an id.
func granted(filter string) fault.Step {
	return fault.Message(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":${id}},"notifications":` + filter + `}}`)
}

func changed(what, id, more string) fault.Step {
	return fault.Message(`{"jsonrpc":"2.0","method":"notifications/` + what + `","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}` + more + `}}`)
}

// listening is a modern server that answers one subscriptions/listen after
// another.
func listening(answers ...fault.Answer) fault.Script {
	for i := range answers {
		answers[i] = append(fault.Answer{fault.Stream()}, answers[i]...)
	}
	return fault.Modern().With(fault.Script{protocol.MethodListen: answers})
}

// follow reads a subscription up to n changes, or its end.
func follow(t *testing.T, c *client.Client, filter protocol.SubscriptionFilter, n int) (kinds []string, err error) {
	t.Helper()
	for change, err := range c.Subscribe(t.Context(), filter) {
		if err != nil {
			return kinds, err
		}
		kinds = append(kinds, strings.TrimSpace(string(change.Kind)+" "+change.URI))
		if len(kinds) == n {
			break
		}
	}
	return kinds, nil
}

// M-SUB-01: what is asked for is named, and nothing else.
func TestAListenNamesWhatIsWanted(t *testing.T) {
	overBoth(t, listening(fault.Answer{granted(`{"toolsListChanged":true}`), fault.Silence()}), func(t *testing.T, s *scripted) {
		filter := protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:b"}}
		if _, err := follow(t, s.connected(t), filter, 1); err != nil {
			t.Fatal(err)
		}
		got := member(t, s.await(t, protocol.MethodListen, 1).Body, "params", "notifications")
		if got != `{"toolsListChanged":true,"resourceSubscriptions":["a:b"]}` {
			t.Errorf("asked for %s", got)
		}
	})
}

// M-STD-04, M-SUB-03: on a stream that all share, a notification goes to the
// subscription whose id it carries, in either spelling, and to no other. The
// listens of a connection that was opened by one request have the ids 2 and 3.
func TestSubscriptionsAreToldApartByTheirIDs(t *testing.T) {
	s := overStdio(t, listening(
		fault.Answer{granted(`{"toolsListChanged":true}`), fault.Silence()},
		fault.Answer{
			granted(`{"promptsListChanged":true}`),
			changed("resources/list_changed", `99`, ""), changed("resources/list_changed", `"x"`, ""),
			fault.Message(`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`),
			changed("tools/list_changed", `"2"`, ""), changed("prompts/list_changed", `3`, ""),
			fault.Silence(),
		},
	))
	c := s.connected(t)
	var first []string
	for change, err := range c.Subscribe(t.Context(), everyList) {
		if err != nil {
			t.Fatal(err)
		}
		if first = append(first, string(change.Kind)); change.Kind != client.Acknowledged {
			break
		}
		second, err := follow(t, c, everyList, 2)
		if diff := cmp.Diff([]string{"acknowledged", "prompts"}, second); err != nil || diff != "" {
			t.Errorf("the second: %v (-want +got):\n%s", err, diff)
		}
	}
	if diff := cmp.Diff([]string{"acknowledged", "tools"}, first); diff != "" {
		t.Errorf("the first (-want +got):\n%s", diff)
	}
}

// Changes that come while the reader is busy are one of each.
func TestChangesThatWaitAreOne(t *testing.T) {
	const many = 500
	steps := fault.Answer{granted(`{"toolsListChanged":true,"resourceSubscriptions":["a:1","a:2"]}`), fault.Hold("acknowledged")}
	for range many {
		steps = append(steps, changed("tools/list_changed", `${id}`, ""),
			changed("resources/updated", `${id}`, `,"uri":"a:1"`), changed("resources/updated", `${id}`, `,"uri":"a:2"`))
	}
	steps = append(steps, changed("prompts/list_changed", `${id}`, ""), fault.Silence())
	overBoth(t, listening(steps), func(t *testing.T, s *scripted) {
		all := make(chan struct{})
		c := s.connected(t, client.WithIncoming(func(m *protocol.Message) {
			if m.Method == protocol.MethodPromptsListChanged {
				close(all)
			}
		}))
		var got []string
		for change, err := range c.Subscribe(t.Context(), everyList) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimSpace(string(change.Kind)+" "+change.URI))
			switch change.Kind {
			case client.Acknowledged:
				s.Release("acknowledged")
				<-all
			case client.PromptsChanged:
				want := []string{"acknowledged", "tools", "resource a:1", "resource a:2", "prompts"}
				if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
					t.Errorf("changes (-want +got):\n%s", diff)
				}
				return
			}
		}
	})
}

// M-SUB-04, B111: an orderly end is told, and not answered by asking again.
func TestAnOrderlyEndIsTheEnd(t *testing.T) {
	for name, end := range map[string]fault.Step{
		"a result (M-SUB-04)":           fault.Result(`{"resultType":"complete"}`),
		"a cancellation (M-CAN-07)":     fault.Message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`),
		"a cancellation by a string id": fault.Message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"${id}"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, listening(fault.Answer{
				granted(`{"toolsListChanged":true}`), changed("tools/list_changed", `${id}`, ""), fault.Hold("seen"), end, fault.Silence(),
			}), func(t *testing.T, s *scripted) {
				c := s.connected(t)
				var got []string
				for change, err := range c.Subscribe(t.Context(), everyList) {
					if err != nil {
						if !errors.Is(err, client.ErrSubscriptionEnded) {
							t.Errorf("the end is %v", err)
						}
						break
					}
					if got = append(got, string(change.Kind)); change.Kind == client.ToolsChanged {
						s.Release("seen")
					}
				}
				if diff := cmp.Diff([]string{"acknowledged", "tools"}, got); diff != "" {
					t.Errorf("changes (-want +got):\n%s", diff)
				}
				if _, err := c.ListTools(t.Context()); err != nil {
					t.Error(err)
				}
				if listens, told := s.Count(protocol.MethodListen), s.Count(protocol.MethodCancelled); listens != 1 || told != 0 {
					t.Errorf("%d listens, told of a cancellation %d times", listens, told)
				}
			})
		})
	}
}

// What a subscription waits for is lost, and it is opened again: a Gap says so.
func TestALostStreamIsOpenedAgainWithAGap(t *testing.T) {
	for name, lost := range map[string]fault.Step{
		"reset": fault.Reset(), "ended without a result": fault.Raw(": bye\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			s := overHTTP(t, listening(
				fault.Answer{granted(`{"toolsListChanged":true}`), lost},
				fault.Answer{fault.Status(503)},
				fault.Answer{granted(`{"promptsListChanged":true}`), changed("prompts/list_changed", `${id}`, ""), fault.Silence()},
			))
			c := s.connected(t)
			var kinds []string
			for change, err := range c.Subscribe(t.Context(), everyList) {
				if err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, string(change.Kind))
				if change.Kind == client.Gap && (!change.Granted.PromptsListChanged || change.Granted.ToolsListChanged) {
					t.Errorf("after the gap %+v is granted", change.Granted)
				}
				if len(kinds) == 3 {
					break
				}
			}
			if diff := cmp.Diff([]string{"acknowledged", "gap", "prompts"}, kinds); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			first, last := s.await(t, protocol.MethodListen, 1), s.await(t, protocol.MethodListen, 3)
			if first.ID == last.ID { // M-HTTP-22
				t.Errorf("both listens have id %s", first.ID)
			}
		})
	}
}

// B111: a server that grants and hangs up, or is down, is asked again a bounded
// number of times, with growing pauses.
func TestASubscriptionIsNotOpenedForEver(t *testing.T) {
	for name, play := range map[string]func(*puppet, *transport.Request) (string, error){
		"granted and lost at once": func(p *puppet, req *transport.Request) (string, error) {
			p.say("", protocol.MethodAcknowledged, `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+req.ID.String()+`},"notifications":{"toolsListChanged":true}}`)
			return "", errors.New("connection reset")
		},
		"never granted": func(*puppet, *transport.Request) (string, error) { return "", errors.New("connection refused") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				p := newPuppet(negotiation.HTTP, func(_ context.Context, p *puppet, req *transport.Request) (string, error) {
					at = append(at, time.Now())
					return play(p, req)
				})
				c := p.connect(t, negotiation.EraModern)
				defer c.Close()
				_, err := follow(t, c, everyList, -1)
				if !errors.Is(err, transport.ErrUnavailable) || len(at) != 11 {
					t.Fatalf("%v after %d listens", err, len(at))
				}
				if first, last := at[1].Sub(at[0]), at[10].Sub(at[9]); first < 100*time.Millisecond || last < 2500*time.Millisecond {
					t.Errorf("pauses from %v to %v", first, last)
				}
			})
		})
	}
}

// A stream that is cut from time to time, by a proxy say, is opened again for as
// long as it takes.
func TestAStreamThatLastsAWhileIsOpenedAgainEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet(negotiation.HTTP, func(ctx context.Context, p *puppet, req *transport.Request) (string, error) {
			p.say("", protocol.MethodAcknowledged, `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+req.ID.String()+`},"notifications":{"toolsListChanged":true}}`)
			if err := pass(ctx, time.Minute); err != nil {
				return "", err
			}
			return "", errors.New("idle for too long")
		})
		c := p.connect(t, negotiation.EraModern)
		defer c.Close()
		if got, err := follow(t, c, everyList, 50); err != nil || len(got) != 50 {
			t.Errorf("%d changes, %v", len(got), err)
		}
	})
}

// The server must say what it grants within the time of a call; the stream
// itself may then last.
func TestAnAcknowledgementMustComeInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet(negotiation.Stdio, func(ctx context.Context, _ *puppet, _ *transport.Request) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		c := p.connect(t, negotiation.EraModern)
		defer c.Close()
		began := time.Now()
		_, err := follow(t, c, everyList, -1)
		if took := time.Since(began); !errors.As(err, new(*transport.TimeoutError)) || took != time.Minute {
			t.Errorf("%v after %v", err, took)
		}
		synctest.Wait()
		if !p.said(protocol.MethodCancelled) {
			t.Error("the server was not told")
		}
	})
}

// A server that tells of nothing is no reason to give up the connection.
func TestAServerWithoutSubscriptionsSaysSoSoftly(t *testing.T) {
	for name, script := range map[string]fault.Script{
		"modern, no such method":    fault.Modern(),
		"modern, nothing granted":   listening(fault.Answer{granted(`{}`), fault.Silence()}),
		"modern, all of it refused": listening(fault.Answer{granted(`{"toolsListChanged":false,"resourceSubscriptions":[]}`), fault.Silence()}),
		"legacy, nothing declared":  fault.Legacy("2025-11-25"),
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, script, func(t *testing.T, s *scripted) {
				c := s.connected(t)
				got, err := follow(t, c, everyList, -1)
				if !errors.Is(err, client.ErrNoSubscriptions) || len(got) != 0 {
					t.Errorf("%v, %v", got, err)
				}
				if _, err := c.ListTools(t.Context()); err != nil {
					t.Error(err)
				}
				if n := s.Count(protocol.MethodListen); n > 1 {
					t.Errorf("%d listens", n)
				}
			})
		})
	}
}

// M-HTTP-21, M-STD-05: leaving the loop cancels, and so does the context.
func TestLeavingASubscriptionCancelsIt(t *testing.T) {
	for name, leave := range map[string]func(cancel context.CancelFunc) bool{
		"by break":       func(context.CancelFunc) bool { return true },
		"by the context": func(cancel context.CancelFunc) bool { cancel(); return false },
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, listening(fault.Answer{granted(`{"toolsListChanged":true}`), fault.Silence()}), func(t *testing.T, s *scripted) {
				c := s.connected(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				for _, err := range c.Subscribe(ctx, everyList) {
					if err != nil {
						if !errors.Is(err, context.Canceled) {
							t.Errorf("the end is %v", err)
						}
						break
					}
					if leave(cancel) {
						break
					}
				}
				id := s.await(t, protocol.MethodListen, 1).ID
				if s.await(t, protocol.MethodListen, 1).Header != nil {
					s.await(t, fault.Left, 1)
				} else if told := s.await(t, protocol.MethodCancelled, 1).Body; member(t, told, "params", "requestId") != id {
					t.Errorf("told %s of request %s", told, id)
				}
			})
		})
	}
}

// B062: Close ends a subscription without an error of its own, whenever it
// comes.
func TestCloseEndsSubscriptions(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for range 15 {
				c, err := client.Connect(t.Context(), p.open(t, p.era), client.WithEraCache(nil), client.WithEra(eraOf(p.era)))
				if err != nil {
					t.Fatal(err)
				}
				opened := make(chan struct{})
				done := make(chan error, 1)
				go func() {
					var once sync.Once
					for _, err := range c.Subscribe(context.WithoutCancel(t.Context()), everyList) {
						if err != nil {
							done <- err
							return
						}
						once.Do(func() { close(opened) })
					}
					done <- errors.New("no error")
				}()
				<-opened
				if err := c.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				if err := <-done; !errors.Is(err, client.ErrClosed) {
					t.Errorf("the subscription: %v", err)
				}
			}
		})
	}
}

func eraOf(e conformance.Era) negotiation.Era {
	if e == conformance.Legacy {
		return negotiation.EraLegacy
	}
	return negotiation.EraModern
}

// The reference server ends all subscriptions in an orderly way.
func TestTheEndOfAllSubscriptionsIsTold(t *testing.T) {
	srv := newReference(conformance.Modern)
	c := connectTo(t, httpTransport(t, serveReference(t, srv, alwaysStreams)))
	var got []string
	for change, err := range c.Subscribe(t.Context(), everyList) {
		if err != nil {
			if !errors.Is(err, client.ErrSubscriptionEnded) {
				t.Errorf("the end is %v", err)
			}
			break
		}
		got = append(got, fmt.Sprint(change.Kind))
		srv.EndSubscriptions()
	}
	if diff := cmp.Diff([]string{"acknowledged"}, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
