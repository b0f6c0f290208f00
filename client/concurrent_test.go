package client_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/client/responsecache"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// many is how many clients connect at once.
const many = 20

// A watchedStore tells of each look-up: whoever waits for another's probe has
// looked before.
type watchedStore struct {
	*erecache.Memory
	looked chan struct{}
}

func (w *watchedStore) Load(ctx context.Context, key erecache.Key) (erecache.Entry, bool, error) {
	w.looked <- struct{}{}
	return w.Memory.Load(ctx, key)
}

// watched makes s use a watchedStore, and returns it.
func (s *scripted) watched() *watchedStore {
	w := &watchedStore{Memory: erecache.NewMemory(0), looked: make(chan struct{}, 1000)}
	s.eras = erecache.New(time.Now, erecache.WithStore(w))
	return w
}

// await waits until n look-ups have been made.
func (w *watchedStore) await(t *testing.T, n int) {
	t.Helper()
	for range n {
		select {
		case <-w.looked:
		case <-time.After(never):
			t.Fatal("nobody looked into the store")
		}
	}
}

// looksToLead is how often a client looks that probes, 1 one that waits.
const looksToLead = 2

// connectMany connects n clients at once, closes them and returns their errors.
func (s *scripted) connectMany(t *testing.T, n int, opts ...client.Option) []error {
	t.Helper()
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			c, err := client.Connect(t.Context(), s.transport(t), s.options(opts)...)
			if err == nil {
				err = c.Close()
			}
			errs[i] = err
		})
	}
	all.Wait()
	return errs
}

func TestConcurrentConnectsShareOneProbe(t *testing.T) {
	for name, tc := range map[string]struct {
		script fault.Script
		want   map[string]int // how often each method came
	}{
		"of a modern server": {
			fault.Dual().With(fault.Script{protocol.MethodDiscover: {{fault.Hold("all"), publicly()}}}),
			map[string]int{"server/discover": 1},
		},
		"of a legacy server": {
			fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodDiscover: {{fault.Hold("all"), fault.Error(-32601, "no")}}}),
			map[string]int{"server/discover": 1, "initialize": many, "notifications/initialized": many},
		},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, tc.script, func(t *testing.T, s *scripted) {
				store := s.watched()
				errs := make(chan []error, 1)
				answers := client.WithResponseCache(responsecache.New(time.Now))
				go func() { errs <- s.connectMany(t, many, answers) }()
				store.await(t, looksToLead+many-1)
				s.Release("all")
				for i, err := range <-errs {
					if err != nil {
						t.Errorf("client %d: %v", i, err)
					}
				}
				got := make(map[string]int)
				for _, method := range s.Methods() {
					got[method]++
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("methods (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestConcurrentConnectsShareAnOutage(t *testing.T) {
	s := overHTTP(t, answering(fault.Answer{fault.Hold("all"), fault.Status(503)}))
	store := s.watched()
	errs := make(chan []error, 1)
	go func() { errs <- s.connectMany(t, many, client.WithRetries(0, soon)) }()
	store.await(t, looksToLead+many-1)
	s.Release("all")
	for i, err := range <-errs {
		if !errors.Is(err, transport.ErrUnavailable) {
			t.Errorf("client %d: %v", i, err)
		}
	}
	for _, method := range s.Methods() {
		if method != protocol.MethodDiscover {
			t.Errorf("the server saw %s", method)
		}
	}
	if n := s.Count(protocol.MethodDiscover); n == many {
		t.Errorf("each of %d clients probed", n)
	}
}

func TestACallerWhoLeavesDoesNotFailTheRest(t *testing.T) {
	s := overHTTP(t, answering(fault.Answer{fault.Silence()}, fault.Answer{fault.Discover("2026-07-28")}))
	store := s.watched()
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := client.Connect(ctx, s.transport(t), s.options(nil)...)
		left <- err
	}()
	store.await(t, looksToLead)
	s.await(t, protocol.MethodDiscover, 1)
	rest := make(chan []error, 1)
	go func() { rest <- s.connectMany(t, many) }()
	store.await(t, many)
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left got %v", err)
	}
	for i, err := range <-rest {
		if err != nil {
			t.Errorf("client %d: %v", i, err)
		}
	}
	s.await(t, fault.Left, 1)
}

func TestAWaitingCallerMayLeave(t *testing.T) {
	s := overHTTP(t, answering(fault.Answer{fault.Hold("go"), fault.Discover("2026-07-28")}))
	store := s.watched()
	first := make(chan error, 1)
	go func() { first <- s.connectMany(t, 1)[0] }()
	store.await(t, looksToLead)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		_, err := client.Connect(ctx, s.transport(t), s.options(nil)...)
		left <- err
	}()
	store.await(t, 1)
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left got %v", err)
	}
	s.Release("go")
	if err := <-first; err != nil {
		t.Errorf("the one who probed got %v", err)
	}
}

// Each principal is refused, or not, by itself.
func TestARefusalIsNotSharedBetweenPrincipals(t *testing.T) {
	s := overHTTP(t, answering(fault.Answer{fault.Hold("both"), fault.Status(401)}, fault.Answer{fault.Discover("2026-07-28")}))
	store := s.watched()
	connect := func(token string) <-chan error {
		done := make(chan error, 1)
		go func() {
			tr := s.transportAs(t, mcphttp.WithHeader("Authorization", "Bearer "+token))
			c, err := client.Connect(t.Context(), tr, s.options(nil)...)
			if err == nil {
				err = c.Close()
			}
			done <- err
		}()
		return done
	}
	refused := connect("stale")
	store.await(t, looksToLead)
	admitted := connect("good")
	store.await(t, 1)
	s.Release("both")
	if got := kindOf(<-refused); got != "auth 401" {
		t.Errorf("the one with a stale token: %s", got)
	}
	if err := <-admitted; err != nil {
		t.Errorf("the one with a good token: %v", err)
	}
	if n := s.Count(protocol.MethodDiscover); n != 2 {
		t.Errorf("%d probes, want 2", n)
	}
}
