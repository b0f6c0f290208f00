package fleet_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/fleet"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

var toolLists = protocol.SubscriptionFilter{ToolsListChanged: true}

func TestChangesOfAllServersAreOneStream(t *testing.T) {
	a, atA := overHTTP(t, "a", conformance.WithEra(conformance.Modern))
	b, atB := overHTTP(t, "b", conformance.WithEra(conformance.Legacy))
	f := newFleet(t, []fleet.Server{a, b, broken(t, "down"), {Name: "off", URL: "http://127.0.0.1:1", Disabled: true}})
	notify := map[string]func(){"a": atA.NotifyToolsChanged, "b": atB.NotifyToolsChanged}
	var got []string
	heard := make(map[string]error)
	acknowledged := 0
	for change := range f.Changes(t.Context(), toolLists) {
		switch {
		case change.Err != nil:
			heard[change.Server] = change.Err
		case change.Kind == client.Acknowledged:
			if acknowledged++; acknowledged == 2 {
				notify["b"]()
			}
		default:
			got = append(got, change.Server+" "+string(change.Kind))
			if change.Server == "b" && len(got) == 1 {
				notify["a"]()
			}
		}
		if len(got) >= 2 && heard["down"] != nil {
			break
		}
	}
	if diff := cmp.Diff([]string{"b tools", "a tools"}, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if len(heard) != 1 || !errors.Is(heard["down"], transport.ErrUnavailable) {
		t.Errorf("errors: %v", heard)
	}
}

// A server that ends the subscription is told of, and listened to again: then
// changes may have been missed.
func TestAServerIsListenedToAgain(t *testing.T) {
	server, srv := overHTTP(t, "s", conformance.WithEra(conformance.Modern))
	f := newFleet(t, []fleet.Server{server})
	var got []string
	for change := range f.Changes(t.Context(), toolLists) {
		switch {
		case errors.Is(change.Err, client.ErrSubscriptionEnded):
			got = append(got, "ended")
		default:
			got = append(got, string(change.Kind))
		}
		if len(got) == 5 {
			break
		}
		if len(got)%2 == 1 {
			srv.EndSubscriptions()
		}
	}
	if diff := cmp.Diff([]string{"acknowledged", "ended", "gap", "ended", "gap"}, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// Waits grow while a server can't be heard, and begin anew when it was.
func TestWaitsToListenAgainGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, srv := inMemory(t, fleet.WithResubscribe(transport.Backoff{Min: time.Second, Max: time.Minute}))
		began := time.Now()
		for change := range f.Changes(t.Context(), toolLists) {
			if change.Err == nil {
				srv.Close() // answers 503 from now on
				began = time.Now()
				continue
			}
			if took := time.Since(began); took > time.Minute {
				return
			}
		}
		t.Error("the loop ended by itself")
	})
}

func TestAServerThatTellsOfNothingIsPassedOver(t *testing.T) {
	silent, _ := overHTTP(t, "silent", conformance.WithEra(conformance.Legacy), conformance.WithStateless())
	f := newFleet(t, []fleet.Server{silent})
	for change := range f.Changes(t.Context(), protocol.SubscriptionFilter{}) {
		t.Errorf("a change: %v", change)
	}
}

func TestTheLoopOverChangesEnds(t *testing.T) {
	for name, end := range map[string]func(*fleet.Fleet, context.CancelFunc){
		"with its context": func(_ *fleet.Fleet, cancel context.CancelFunc) { cancel() },
		"with the fleet":   func(f *fleet.Fleet, _ context.CancelFunc) { _ = f.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			server, _ := overHTTP(t, "s")
			f := newFleet(t, []fleet.Server{server, broken(t, "down")})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for change := range f.Changes(ctx, toolLists) {
				if change.Kind == client.Acknowledged {
					end(f, cancel)
				}
			}
		})
	}
	t.Run("with a panic in it", func(t *testing.T) {
		server, _ := overHTTP(t, "s")
		f := newFleet(t, []fleet.Server{server, broken(t, "down")})
		defer func() {
			if recover() == nil {
				t.Error("the panic did not come through")
			}
		}()
		for range f.Changes(t.Context(), toolLists) {
			panic("in the loop")
		}
	})
}

// A refused is an authorizer that is told of each refusal, and has no way out.
type refused func(context.Context)

func (refused) Authorize(context.Context, *mcphttp.Attempt) error { return nil }

func (r refused) Refused(ctx context.Context, _ *mcphttp.Attempt, _ mcphttp.Refusal) (bool, error) {
	r(ctx)
	return false, nil
}

// Nothing that happens in the background asks the user for a login, but for the
// first attempt.
func TestTheUserIsAskedOnce(t *testing.T) {
	var attempts, attended atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }))
	defer web.Close()
	f := newFleet(t, []fleet.Server{{Name: "s", URL: web.URL}},
		fleet.WithHTTPOptions(mcphttp.WithAuthorizer(refused(func(ctx context.Context) {
			attempts.Add(1)
			if !transport.IsUnattended(ctx) {
				attended.Add(1)
			}
		}))))
	for change := range f.Changes(t.Context(), toolLists) {
		if !errors.Is(change.Err, transport.ErrUnauthorized) {
			t.Errorf("a change %v", change)
		}
		if attempts.Load() >= 3 {
			break
		}
	}
	if attended.Load() != 1 {
		t.Errorf("the user was asked %d times in %d attempts, want once", attended.Load(), attempts.Load())
	}
}
