package fleet_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/fleet"
	"github.com/mcpera/mcpera/internal/memhttp"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// inMemory returns a fleet of one server, s, whose time is the bubble's.
func inMemory(t *testing.T, opts ...fleet.Option) (*fleet.Fleet, *conformance.Server) {
	t.Helper()
	srv := conformance.New()
	t.Cleanup(srv.Close)
	web := memhttp.Serve(t, srv)
	return newFleet(t, []fleet.Server{{Name: "s", URL: "http://s.example"}}, append([]fleet.Option{
		fleet.WithDial(func(s fleet.Server) (transport.Transport, error) {
			return mcphttp.New(s.URL, mcphttp.WithClient(&http.Client{Transport: web}))
		}),
	}, opts...)...), srv
}

func TestIdleServersAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const idle = time.Minute
		f, _ := inMemory(t, fleet.WithIdleTimeout(idle))
		expect := func(when string, want fleet.Status) {
			t.Helper()
			synctest.Wait()
			if got := status(t, f, "s"); got.Status != want || got.Err != nil {
				t.Errorf("%s the server is %s, %v, want %s", when, got.Status, got.Err, want)
			}
		}
		expect("before any call", fleet.Idle)
		if err := f.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(idle - 1)
		expect("just before its time", fleet.Connected)
		time.Sleep(time.Nanosecond)
		expect("in its time", fleet.Idle)

		// A call connects it again, and a use under way keeps it.
		err := f.With(t.Context(), "s", func(*client.Client) error {
			time.Sleep(3 * idle)
			expect("during a use", fleet.Connected)
			return f.With(t.Context(), "s", func(*client.Client) error { return nil }) // beside another
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(idle - 1)
		if _, err := f.CallTool(t.Context(), "s__echo", map[string]any{"message": "x"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(idle - 1)
		expect("after a use in between", fleet.Connected)
		if since := status(t, f, "s").Since; time.Since(since) < 5*idle-3 {
			t.Errorf("the connection is %s old: it was closed in between", time.Since(since))
		}
		time.Sleep(time.Nanosecond)
		expect("in its time again", fleet.Idle)
	})
}

// The timer of a connection that was replaced does nothing to the next.
func TestADisconnectedServerIsNotClosedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, _ := inMemory(t, fleet.WithIdleTimeout(time.Minute))
		if err := f.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(40 * time.Second)
		if err := f.Disconnect("s"); err != nil {
			t.Fatal(err)
		}
		if err := f.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Second)
		if got := status(t, f, "s").Status; got != fleet.Connected {
			t.Errorf("the server is %s", got)
		}
	})
}

func TestAServerThatIsListenedToIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, srv := inMemory(t, fleet.WithIdleTimeout(time.Minute))
		for change := range f.Changes(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}) {
			if change.Kind != client.Acknowledged {
				break
			}
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if got := status(t, f, "s").Status; got != fleet.Connected {
				t.Errorf("the server is %s", got)
			}
			srv.NotifyToolsChanged()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := status(t, f, "s").Status; got != fleet.Idle {
			t.Errorf("after the loop the server is %s", got)
		}
	})
}
