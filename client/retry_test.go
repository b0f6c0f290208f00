package client_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// The waits of these tests: what a server asks for is cut to nothing worth
// speaking of, so that only whether it was read matters.

func TestAnOutageThatEndsIsRiddenOut(t *testing.T) {
	s := overHTTP(t, answering(
		fault.Answer{fault.Status(503), fault.Raw("down")},
		fault.Answer{fault.Reset()},
		fault.Answer{fault.Discover("2026-07-28")},
	))
	want := opening{
		Methods: "server/discover server/discover server/discover",
		Opened:  "modern 2026-07-28", Remembered: "modern 2026-07-28",
	}
	if diff := cmp.Diff(want, s.open(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheRetryBudgetIsTheOptions(t *testing.T) {
	for retries, want := range map[int]opening{
		0: {Methods: probeOnly, Failed: "unavailable 503 after 1", Remembered: "nothing"},
		1: {Methods: "server/discover server/discover", Failed: "unavailable 503 after 2", Remembered: "nothing"},
	} {
		s := overHTTP(t, answering(fault.Answer{fault.Status(503)}))
		if diff := cmp.Diff(want, s.open(t, client.WithRetries(retries, soon))); diff != "" {
			t.Errorf("%d retries (-want +got):\n%s", retries, diff)
		}
	}
}

// B140, B141.
func TestAnOutageReportsTheDelayAndTheWordsOfTheServer(t *testing.T) {
	for name, answer := range map[string]fault.Answer{
		"503": {fault.Status(503), fault.Header("Retry-After", "7"), fault.Raw("down for maintenance")},
		"429": {fault.Status(429), fault.Header("Retry-After", "7"), fault.Error(-32000, "down for maintenance")},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := overHTTP(t, answering(answer)).connect(t)
			down, ok := errors.AsType[*transport.UnavailableError](err)
			if !ok || down.RetryAfter != 7*time.Second || down.Attempts != 3 {
				t.Fatalf("Connect: %#v", err)
			}
			if !errors.Is(err, transport.ErrUnavailable) {
				t.Error("the error does not match ErrUnavailable")
			}
			if got := err.Error(); !containsAll(got, "down for maintenance", "7s", "client.WithEra(negotiation.EraLegacy)") {
				t.Errorf("the error says %q", got)
			}
		})
	}
}

// B140.
func TestRetryAfterIsHonoured(t *testing.T) {
	s := overHTTP(t, answering(
		fault.Answer{fault.Status(503), fault.Header("Retry-After", "3600")},
		fault.Answer{fault.Discover("2026-07-28")},
	))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	patient := transport.Backoff{Max: time.Millisecond, MaxAfter: time.Hour}
	failed := make(chan error, 1)
	go func() {
		_, err := client.Connect(ctx, s.transport(t), s.options([]client.Option{client.WithRetries(1, patient)})...)
		failed <- err
	}()
	s.await(t, "server/discover", 1)
	select { // the backoff alone would be over within a millisecond
	case err := <-failed:
		t.Fatalf("Connect did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	cancel()
	err := <-failed
	if got := kindOf(err); got != "unavailable 503 after 1" {
		t.Errorf("Connect: %s", got)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error does not say that the caller gave up: %v", err)
	}
	if n := s.Count("server/discover"); n != 1 {
		t.Errorf("%d probes, want 1", n)
	}
}

// refused is the URL of a server that is not there, and counts who tries.
func refused(t *testing.T, dials *atomic.Int64) (string, *http.Client) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String() + "/mcp"
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	var dialer net.Dialer
	return url, &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			return dialer.DialContext(ctx, network, addr)
		},
	}}
}

func TestARefusedConnectionIsTriedAsOftenAsTheOptionSays(t *testing.T) {
	var dials atomic.Int64
	url, hc := refused(t, &dials)
	_, err := client.Connect(t.Context(), httpTransport(t, url, mcphttp.WithClient(hc)),
		client.WithEraCache(erecache.New(time.Now)), client.WithRetries(2, soon))
	if got := kindOf(err); got != "unavailable 0 after 3" {
		t.Errorf("Connect: %s (%v)", got, err)
	}
	if n := dials.Load(); n != 3 {
		t.Errorf("%d connections tried, want 3", n)
	}
}

func TestAPermanentFaultIsNotRetried(t *testing.T) {
	srv := fault.NewHTTP(fault.Dual())
	defer srv.Close()
	secure := httptest.NewUnstartedServer(srv)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	for name, url := range map[string]string{
		"a certificate that does not verify": secure.URL,
		"a host that does not exist":         "http://nowhere.invalid/mcp",
		"a server that speaks no TLS":        "https" + srv.URL[len("http"):],
	} {
		t.Run(name, func(t *testing.T) {
			var dials atomic.Int64
			var dialer net.Dialer
			hc := &http.Client{Transport: &http.Transport{
				DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
					dials.Add(1)
					return dialer.DialContext(ctx, network, addr)
				},
			}}
			_, err := client.Connect(t.Context(), httpTransport(t, url, mcphttp.WithClient(hc)),
				client.WithEraCache(erecache.New(time.Now)), client.WithRetries(2, soon))
			if !errors.Is(err, transport.ErrPermanent) || !errors.Is(err, transport.ErrUnavailable) {
				t.Errorf("Connect: %v", err)
			}
			if n := dials.Load(); n != 1 {
				t.Errorf("%d connections tried, want 1", n)
			}
		})
	}
	if n := len(srv.Methods()); n != 0 {
		t.Errorf("the server saw %v", srv.Methods())
	}
}

// B004, B005.
func TestARefusalIsNotRetriedAndSaysWhatIsAsked(t *testing.T) {
	const challenge = `Bearer resource_metadata="https://auth.example.test/.well-known/oauth-protected-resource"`
	s := overHTTP(t, answering(fault.Answer{
		fault.Status(401), fault.Header("WWW-Authenticate", challenge), fault.Raw("log in"),
	}))
	_, err := s.connect(t)
	refusal, ok := errors.AsType[*transport.AuthError](err)
	if !ok || refusal.Challenge != challenge || refusal.Status != 401 || refusal.Method != "server/discover" {
		t.Fatalf("Connect: %#v", err)
	}
	if !errors.Is(err, transport.ErrUnauthorized) {
		t.Error("the error does not match ErrUnauthorized")
	}
	if !containsAll(err.Error(), "401", "log in", "client.WithEra(negotiation.EraLegacy)") {
		t.Errorf("the error says %q", err)
	}
}

// B014: a Host or Origin guard refuses every POST: the first thing to know is
// that.
func TestAForbiddenHostLeadsTheError(t *testing.T) {
	s := overHTTP(t, fault.Script{fault.Any: {{fault.Status(403), fault.Raw("host not allowed")}}})
	_, err := s.connect(t)
	if got := kindOf(err); got != "auth 403" || !containsAll(err.Error(), "HTTP 403", "host not allowed") {
		t.Errorf("Connect: %v", err)
	}
	if diff := cmp.Diff([]string{"server/discover"}, s.Methods()); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}
