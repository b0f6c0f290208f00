package fleet_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/fleet"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// referenceVariable makes a process of a test the reference server over its
// standard streams.
const referenceVariable = "MCPERA_TEST_FLEET_SERVER"

func TestMain(m *testing.M) {
	fault.RunIfChild()
	if os.Getenv(referenceVariable) != "" {
		srv := conformance.New()
		err := srv.ServeStdio(context.Background(), os.Stdin, os.Stdout)
		srv.Close()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// soon is a backoff that takes no time worth speaking of.
var soon = transport.Backoff{Max: time.Millisecond, MaxAfter: time.Millisecond}

// overHTTP describes a server at a real socket, which ends with the test.
func overHTTP(t *testing.T, name string, opts ...conformance.Option) (fleet.Server, *conformance.Server) {
	t.Helper()
	srv := conformance.New(opts...)
	web := httptest.NewServer(srv)
	t.Cleanup(func() {
		srv.Close()
		web.Close()
	})
	return fleet.Server{Name: name, URL: web.URL}, srv
}

// overStdio describes the reference server as a child process.
func overStdio(name string) fleet.Server {
	return fleet.Server{
		Name: name, Command: os.Args[0],
		Env: map[string]string{referenceVariable: "1", "GORACE": "atexit_sleep_ms=0"},
	}
}

// scripted describes a scripted server over HTTP.
func scripted(t *testing.T, name string, script fault.Script) (fleet.Server, *fault.HTTP) {
	t.Helper()
	srv := fault.NewHTTP(script)
	t.Cleanup(srv.Close)
	return fleet.Server{Name: name, URL: srv.URL}, srv
}

// scriptedChild describes a scripted server as a child process.
func scriptedChild(t *testing.T, name string, script fault.Script) (fleet.Server, *fault.Stdio) {
	t.Helper()
	srv := fault.NewStdio(script)
	t.Cleanup(srv.Close)
	cmd := srv.Command()
	s := fleet.Server{Name: name, Command: cmd.Path, Args: cmd.Args, Env: map[string]string{}}
	for _, variable := range cmd.Env[len(os.Environ()):] {
		name, value, _ := strings.Cut(variable, "=")
		s.Env[name] = value
	}
	return s, srv
}

// broken describes a server that answers all with 500.
func broken(t *testing.T, name string) fleet.Server {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(web.Close)
	return fleet.Server{Name: name, URL: web.URL}
}

// newFleet returns a fleet that does not wait between retries, remembers eras by
// itself, and is closed with the test.
func newFleet(t *testing.T, servers []fleet.Server, opts ...fleet.Option) *fleet.Fleet {
	t.Helper()
	f, err := fleet.New(&fleet.Config{Servers: servers}, append([]fleet.Option{
		fleet.WithClientOptions(client.WithRetries(1, soon), client.WithEraCache(erecache.New(time.Now))),
		fleet.WithHTTPOptions(mcphttp.WithBackoff(soon)),
		fleet.WithResubscribe(soon),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// status returns what a server of the fleet is doing.
func status(t *testing.T, f *fleet.Fleet, server string) fleet.State {
	t.Helper()
	for _, s := range f.States() {
		if s.Server == server {
			return s
		}
	}
	t.Fatalf("States has no server %s", server)
	return fleet.State{}
}

// await waits for a record, and gives up long after it should have come.
func await(t *testing.T, srv *fault.Server, key string, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := srv.Await(ctx, key, n); err != nil {
		t.Fatal(err)
	}
}

// waitFor yields until a state is reached that nothing tells of.
func waitFor(t *testing.T, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !reached(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the state was never reached")
		}
	}
}
