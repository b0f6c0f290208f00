package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// soon is a backoff that takes no time worth speaking of.
var soon = transport.Backoff{Max: time.Millisecond, MaxAfter: time.Millisecond}

// never is longer than any test takes. Where it passes, something hangs.
const never = time.Minute

// A scripted server and what a client needs to connect to it.
type scripted struct {
	*fault.Server
	eras *erecache.Cache
	key  erecache.Key
	// transport returns a new connection to the server, not opened yet.
	transport func(t *testing.T) transport.Transport
	url       string // "" over stdio
	close     func() // ends the server, before the test is over
}

// transportAs is transport with credentials, over HTTP.
func (s *scripted) transportAs(t *testing.T, principal mcphttp.Option) transport.Transport {
	t.Helper()
	return httpTransport(t, s.url, principal)
}

func overHTTP(t *testing.T, s fault.Script, opts ...mcphttp.Option) *scripted {
	t.Helper()
	srv := fault.NewHTTP(s)
	t.Cleanup(srv.Close)
	u, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	return &scripted{
		Server: srv.Server, eras: erecache.New(time.Now), key: erecache.KeyOf(u), url: srv.URL, close: srv.Close,
		transport: func(t *testing.T) transport.Transport {
			return httpTransport(t, srv.URL, opts...)
		},
	}
}

func httpTransport(t *testing.T, url string, opts ...mcphttp.Option) transport.Transport {
	t.Helper()
	tr, err := mcphttp.New(url, append([]mcphttp.Option{mcphttp.WithBackoff(soon)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func overStdio(t *testing.T, s fault.Script, opts ...stdio.Option) *scripted {
	t.Helper()
	srv := fault.NewStdio(s)
	t.Cleanup(srv.Close)
	return &scripted{
		Server: srv.Server, eras: erecache.New(time.Now), key: erecache.CommandKey(srv.Command().Args...), close: srv.Close,
		transport: func(t *testing.T) transport.Transport {
			t.Helper()
			tr, err := stdio.New(srv.Command(), opts...)
			if err != nil {
				t.Fatal(err)
			}
			return tr
		},
	}
}

// overBoth runs f with the script on either transport.
func overBoth(t *testing.T, s fault.Script, f func(*testing.T, *scripted)) {
	t.Helper()
	t.Run("over HTTP", func(t *testing.T) { f(t, overHTTP(t, s)) })
	t.Run("over stdio", func(t *testing.T) { f(t, overStdio(t, s)) })
}

// options are those of every test: caches of the server's own, no waiting.
func (s *scripted) options(more []client.Option) []client.Option {
	return append([]client.Option{
		client.WithEraCache(s.eras),
		client.WithResponseCache(nil),
		client.WithRetries(2, soon),
		client.WithProbeTimeout(never), // unless a test is about it
	}, more...)
}

// connect connects, and closes the client with the test.
func (s *scripted) connect(t *testing.T, opts ...client.Option) (*client.Client, error) {
	t.Helper()
	c, err := client.Connect(t.Context(), s.transport(t), s.options(opts)...)
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

// connected is connect for a server that must be reached.
func (s *scripted) connected(t *testing.T, opts ...client.Option) *client.Client {
	t.Helper()
	c, err := s.connect(t, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// remembered returns what the era cache holds on the server.
func (s *scripted) remembered(t *testing.T) string {
	t.Helper()
	entry, ok, err := s.eras.Verdict(t.Context(), s.key)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return "nothing"
	}
	return entry.Era.String() + " " + entry.Version
}

// remember puts a verdict into the era cache.
func (s *scripted) remember(t *testing.T, era negotiation.Era, version string) {
	t.Helper()
	if err := s.eras.Remember(t.Context(), s.key, era, version); err != nil {
		t.Fatal(err)
	}
}

// await waits for a record, and gives up long after it should have come.
func (s *scripted) await(t *testing.T, key string, n int) fault.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), never)
	defer cancel()
	r, err := s.Await(ctx, key, n)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An opening is all that a Connect left behind.
type opening struct {
	Methods    string // that the server saw, in order
	Opened     string // era and version; "" when Connect failed
	Failed     string // what the error is, see kindOf
	Remembered string // what the era cache holds
}

// open connects, closes, and tells what happened.
func (s *scripted) open(t *testing.T, opts ...client.Option) opening {
	t.Helper()
	before := len(s.Methods())
	c, err := s.connect(t, opts...)
	var o opening
	if err == nil {
		o.Opened = c.Era().String() + " " + c.ProtocolVersion()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	} else if !errors.As(err, new(*client.ConnectError)) {
		t.Errorf("Connect failed with %T, want a *ConnectError", err)
	}
	o.Failed = kindOf(err)
	o.Methods = strings.Join(s.Methods()[before:], " ")
	o.Remembered = s.remembered(t)
	return o
}

// kindOf names an error by its type and the fields that tell it apart.
func kindOf(err error) string {
	if err == nil {
		return ""
	}
	if both, ok := errors.AsType[*client.ConnectError](err); ok && both.Other != nil {
		return kindOf(both.Err) + ", also " + kindOf(both.Other)
	}
	if e, ok := errors.AsType[*negotiation.Error](err); ok {
		return fmt.Sprintf("verdict %s", e.Reason)
	}
	if e, ok := errors.AsType[*transport.AuthError](err); ok {
		return fmt.Sprintf("auth %d", e.Status)
	}
	if e, ok := errors.AsType[*transport.UnavailableError](err); ok {
		return fmt.Sprintf("unavailable %d after %d", e.Status, e.Attempts)
	}
	if e, ok := errors.AsType[*client.VersionError](err); ok {
		return fmt.Sprintf("version %s", e.Answered)
	}
	if e, ok := errors.AsType[*transport.ServerError](err); ok {
		return fmt.Sprintf("%s server error %d", e.Method, e.Err.Code)
	}
	if e, ok := errors.AsType[*transport.StatusError](err); ok {
		return fmt.Sprintf("%s status %d", e.Method, e.Status)
	}
	if e, ok := errors.AsType[*transport.MessageError](err); ok {
		return fmt.Sprintf("%s unusable", e.Method)
	}
	if e, ok := errors.AsType[*stdio.ExitError](err); ok {
		return fmt.Sprintf("exit %v", e.State)
	}
	if errors.As(err, new(*transport.TimeoutError)) {
		return "timeout"
	}
	return err.Error()
}

// Methods of an opening, as opening.Methods has them.
const (
	probeOnly     = "server/discover"
	probeThenInit = "server/discover initialize notifications/initialized"
	initOnly      = "initialize notifications/initialized"
)

// containsAll reports whether text has all the parts.
func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
