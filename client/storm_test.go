package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// silentPlay is a server that answers nothing.
func silentPlay(ctx context.Context, _ *puppet, _ *transport.Request) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// An id stands for one request at a time, so that a flood under one id is as
// bounded as any other, and gets one answer.
func TestRequestsUnderOneIDAreServedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPuppet(negotiation.Stdio, silentPlay)
		working := 0
		leave := make(chan struct{})
		c := p.connect(t, negotiation.EraLegacy, client.WithHandler(rooter(func(context.Context) ([]protocol.Root, error) {
			working++ // one at a time, or the race detector says so
			<-leave
			return nil, nil
		})))
		defer c.Close()
		for range 1000 {
			p.say("a", protocol.MethodListRoots, `{}`)
		}
		synctest.Wait()
		if working != 1 {
			t.Errorf("%d handlers at work", working)
		}
		close(leave)
		synctest.Wait()
		p.say("a", protocol.MethodListRoots, `{}`) // the id is free again
		synctest.Wait()
		if n := p.count(`"id":"a"`); n != 2 || working != 2 {
			t.Errorf("%d answers of %d handlers, want 2", n, working)
		}
	})
}

// A server fills no log: the first notes of a kind are logged, and one in a while.
func TestAServerFillsNoLog(t *testing.T) {
	for name, tc := range map[string]struct {
		era     negotiation.Era
		handler any
		method  string
	}{
		"by requests that it may not send": {negotiation.EraModern, nil, protocol.MethodListRoots},
		"by requests that nobody serves":   {negotiation.EraLegacy, nil, "riddle"},
		"by what makes the program panic":  {negotiation.EraLegacy, noticer(func() { panic("no") }), "notifications/riddle"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPuppet(negotiation.Stdio, silentPlay)
				var log bytes.Buffer
				c := p.connect(t, tc.era, client.WithHandler(tc.handler), client.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
				defer c.Close()
				storm := func() int {
					log.Reset()
					for i := range 100 {
						id := fmt.Sprint(i)
						if strings.HasPrefix(tc.method, "notifications/") {
							id = ""
						}
						p.say(id, tc.method, `{}`)
						synctest.Wait()
					}
					return strings.Count(log.String(), "level=")
				}
				first, later := storm(), storm()
				time.Sleep(time.Minute) // of the bubble
				last := storm()
				if first != 10 || later != 0 || last != 1 {
					t.Errorf("%d, %d and %d lines", first, later, last)
				}
			})
		})
	}
}

// A handler that ends its goroutine has not answered: the server hears so, and the
// time of calls goes on.
func TestAHandlerThatLeavesHasNotAnswered(t *testing.T) {
	leaves := rooter(func(context.Context) ([]protocol.Root, error) {
		runtime.Goexit()
		return nil, nil
	})
	t.Run("legacy", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPuppet(negotiation.Stdio, silentPlay)
			c := p.connect(t, negotiation.EraLegacy, client.WithHandler(leaves), client.WithCallTimeout(time.Second))
			defer c.Close()
			for n := range 2 { // under one id
				p.say("a", protocol.MethodListRoots, `{}`)
				synctest.Wait()
				if p.count(`"id":"a"`, `"code":-32603`) != n+1 {
					t.Error("the server got no answer")
				}
			}
			began := time.Now()
			if _, err := c.CallTool(t.Context(), "echo", nil); !errors.As(err, new(*transport.TimeoutError)) {
				t.Error(err)
			}
			if took := time.Since(began); took != time.Second { // of the bubble
				t.Errorf("a call took %v", took)
			}
		})
	})
	t.Run("modern", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newPuppet(negotiation.HTTP, func(context.Context, *puppet, *transport.Request) (string, error) {
				return `{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list"}}}`, nil
			})
			c := p.connect(t, negotiation.EraModern, client.WithHandler(leaves))
			defer c.Close()
			if _, err := c.CallTool(t.Context(), "echo", nil); !errors.As(err, new(*client.HandlerError)) {
				t.Error(err)
			}
		})
	})
}

// A noticer hears notifications.
type noticer func()

func (n noticer) Notification(context.Context, string, jsontext.Value) { n() }

// A function of the program that panics costs its call, and one that ends its
// goroutine itself alone.
func TestAFunctionThatPanicsCostsItsCall(t *testing.T) {
	steps := append(progressing("${id}", 1, 2), fault.Message(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`))
	for name, tc := range map[string]struct {
		opt  func(func()) client.CallOption
		what func()
		fail string
	}{
		"progress panics":         {onProgress, func() { panic("SECRET-FREE") }, "notifications/progress"},
		"progress leaves":         {onProgress, runtime.Goexit, ""},
		"a log's function panics": {onLogs, func() { panic("SECRET-FREE") }, "notifications/message"},
	} {
		t.Run(name, func(t *testing.T) {
			either(t, steps, func(t *testing.T, s *scripted) {
				c := s.connected(t)
				_, err := c.CallTool(t.Context(), "echo", nil, tc.opt(tc.what))
				failed, is := errors.AsType[*client.HandlerError](err)
				switch {
				case tc.fail == "" && err != nil:
					t.Error(err)
				case tc.fail != "" && (!is || failed.Method != tc.fail || len(failed.Stack) == 0):
					t.Errorf("%v, want a HandlerError for %s with a stack", err, tc.fail)
				}
				if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
					t.Errorf("the next call: %v", err)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func onProgress(f func()) client.CallOption {
	return client.OnProgress(func(protocol.Progress) { f() })
}

func onLogs(f func()) client.CallOption {
	return client.Logs("debug", func(protocol.LogMessage) { f() })
}

// What sees all messages runs where they are read: its panic must not end that.
func TestAPanicOfWhatSeesMessagesEndsNothing(t *testing.T) {
	either(t, progressing("${id}", 1, 2), func(t *testing.T, s *scripted) {
		seen := 0
		c := s.connected(t, client.WithIncoming(func(*protocol.Message) { seen++; panic("no") }))
		if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil || seen < 2 {
			t.Errorf("Close after %d messages: %v", seen, err)
		}
	})
}

// The natural answer to a lost stream is to connect anew.
func TestWhoHearsOfALostStreamMayClose(t *testing.T) {
	s := overHTTP(t, withSession(fault.Script{fault.GET: {{fault.Stream()}}}))
	var c *client.Client
	connected, closed := make(chan struct{}), make(chan error)
	c = s.connected(t, client.WithStreamLost(func(error) {
		<-connected
		closed <- c.Close()
	}))
	close(connected)
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// Close ends the calls that wait, whoever calls it: a function that a call waits
// for, or the reader of a subscription.
func TestCloseMayBeCalledFromWithin(t *testing.T) {
	held := append(progressing("${id}", 1), fault.Silence())
	either(t, held, func(t *testing.T, s *scripted) {
		c := s.connected(t)
		_, err := c.CallTool(t.Context(), "echo", nil, client.OnProgress(func(protocol.Progress) { _ = c.Close() }))
		if !errors.Is(err, client.ErrClosed) {
			t.Errorf("the call that closed: %v", err)
		}
	})
	t.Run("a subscription", func(t *testing.T) {
		s := overHTTP(t, listening(fault.Answer{granted(`{"toolsListChanged":true}`), fault.Silence()}))
		c := s.connected(t)
		for change, err := range c.Subscribe(t.Context(), everyList) {
			if err != nil && !errors.Is(err, client.ErrClosed) {
				t.Error(err)
			}
			if change.Kind == client.Acknowledged {
				_ = c.Close()
			}
		}
	})
}

// A task that asks for input again and again is a call that does.
func TestATaskMayAskAsOftenAsACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		polls := 0
		p := newPuppet(negotiation.HTTP, func(_ context.Context, _ *puppet, req *transport.Request) (string, error) {
			switch req.Method {
			case protocol.MethodListen:
				return "", &protocol.Error{Code: protocol.CodeMethodNotFound}
			case protocol.MethodCallTool:
				return `{"resultType":"task","taskId":"t","status":"working"}`, nil
			case protocol.MethodGetTask:
				polls++
				return fmt.Sprintf(`{"taskId":"t","status":"input_required","inputRequests":{"%d":{"method":"roots/list"}}}`, polls), nil
			default:
				return `{}`, nil
			}
		})
		c := p.connect(t, negotiation.EraModern, client.WithTasks(), client.WithMaxRounds(3),
			client.WithHandler(rooter(func(context.Context) ([]protocol.Root, error) { return nil, nil })))
		defer c.Close()
		_, err := c.CallTool(t.Context(), "a", nil)
		if rounds, ok := errors.AsType[*client.RoundsError](err); !ok || rounds.Rounds != 3 {
			t.Errorf("%v, after %d polls", err, polls)
		}
	})
}

// Whatever the waits between attempts: what may go on for ever does not go on
// without a pause, and what is lost at once is not opened for ever.
func TestNoWaitsAreNoWayToHammer(t *testing.T) {
	acknowledge := func(p *puppet, req *transport.Request) {
		p.say("", protocol.MethodAcknowledged, `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+req.ID.String()+`},"notifications":{"toolsListChanged":true}}`)
	}
	lost := errors.New("connection reset")
	for name, tc := range map[string]struct {
		changes bool  // each subscription brings one
		most    int64 // listens in a second
		ends    bool
	}{
		"lost at once":       {false, 11, true},
		"lost after changes": {true, 101, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var listens atomic.Int64
				p := newPuppet(negotiation.HTTP, func(ctx context.Context, p *puppet, req *transport.Request) (string, error) {
					listens.Add(1)
					acknowledge(p, req)
					if tc.changes {
						p.say("", protocol.MethodToolsListChanged, `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+req.ID.String()+`}}`)
					}
					return "", lost
				})
				c := p.connect(t, negotiation.EraModern, client.WithRetries(0, transport.Backoff{}))
				defer c.Close()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				var end error
				for _, err := range c.Subscribe(ctx, everyList) {
					end = err
				}
				n := listens.Load()
				if ended := errors.Is(end, transport.ErrUnavailable); n > tc.most || n < 2 || ended != tc.ends {
					t.Errorf("%d listens in a second, and then %v", n, end)
				}
			})
		})
	}
}

func TestABackoffMustMakeSense(t *testing.T) {
	for name, b := range map[string]transport.Backoff{
		"a negative wait": {Min: -1, Max: 1}, "less at the most than at first": {Min: 2, Max: 1}, "a negative limit": {MaxAfter: -1},
	} {
		p := newPuppet(negotiation.Stdio, silentPlay)
		if c, err := client.Connect(t.Context(), p, client.WithRetries(1, b)); err == nil || !strings.Contains(err.Error(), "backoff") {
			_ = c.Close()
			t.Errorf("%s: %v", name, err)
		}
	}
}
