package client_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

type roots struct{}

func (roots) ListRoots(context.Context) ([]protocol.Root, error) { return nil, nil }

// M-CCH-07, B110.
func TestWhoSharesAnAnswer(t *testing.T) {
	alice, bob := mcphttp.WithHeader("Authorization", "Bearer a"), mcphttp.WithHeader("Authorization", "Bearer b")
	type client2 struct {
		query string
		opt   mcphttp.Option
	}
	for name, tc := range map[string]struct {
		other           client2
		private, public string // which answer the second client has
	}{
		"the same token":  {client2{"", alice}, "1", "1"},
		"another token":   {client2{"", bob}, "2", "1"},
		"no token":        {client2{"", mcphttp.WithRetries(0)}, "2", "1"},
		"another query":   {client2{"?tenant=2", alice}, "2", "2"},
		"another path":    {client2{"other", alice}, "2", "2"},
		"the same server": {client2{"#fragment", alice}, "1", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			for scope, n := range map[string]string{`"private"`: tc.private, `"public"`: tc.public, `"Public"`: tc.private} {
				srv := fault.NewHTTP(kept(`"ttlMs":60000,"cacheScope":` + scope))
				defer srv.Close()
				cache := caching(newStill())
				for i, who := range []client2{{"", alice}, tc.other} {
					c, err := client.Connect(t.Context(), httpTransport(t, srv.URL+who.query, who.opt),
						client.WithEraCache(erecache.New(time.Now)), cache)
					if err != nil {
						t.Fatal(err)
					}
					defer c.Close()
					got, err := read(t.Context(), c, "a:b")
					want(t, fmt.Sprintf("scope %s, client %d", scope, i+1), []string{"1", n}[i], got, err)
				}
			}
		})
	}
	t.Run("processes with other environments are other servers", func(t *testing.T) {
		srv := fault.NewStdio(kept(`"ttlMs":60000,"cacheScope":"public"`))
		defer srv.Close()
		cache := caching(newStill())
		for _, n := range []string{"1", "2"} {
			cmd := srv.Command()
			cmd.Env = append(cmd.Environ(), "ACCOUNT="+n)
			tr, err := stdio.New(cmd)
			if err != nil {
				t.Fatal(err)
			}
			c, err := client.Connect(t.Context(), tr, client.WithEraCache(erecache.New(time.Now)), cache)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			got, err := read(t.Context(), c, "a:b")
			want(t, "environment "+n, n, got, err)
		}
	})
}

// changing is a transport whose credentials change, or that tells nothing.
type changing struct {
	transport.Transport
	target func(transport.Target) transport.Target
}

func (c changing) Target() transport.Target { return c.target(c.Transport.Target()) }

func TestAnotherTokenIsAnotherCache(t *testing.T) {
	var mu sync.Mutex
	token := "first"
	setToken := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		token = s
	}
	s := overHTTP(t, kept(aMinute))
	c, err := client.Connect(t.Context(), changing{s.transport(t), func(target transport.Target) transport.Target {
		mu.Lock()
		defer mu.Unlock()
		target.Principal = token
		return target
	}}, s.options([]client.Option{caching(newStill()), client.WithTrace(func(e client.Event) {
		if e.Kind == client.Received && e.Method == protocol.MethodListPrompts {
			setToken("renewed on the way")
		}
	})})...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, step := range []struct{ token, n string }{{"first", "1"}, {"second", "2"}, {"first", "1"}} {
		setToken(step.token)
		got, err := read(t.Context(), c, "a:b")
		want(t, step.token, step.n, got, err)
	}
	for _, n := range []string{"1", "2"} { // whose answer it is can't be said
		setToken("first")
		got, err := asking[protocol.MethodListPrompts](t.Context(), c)
		want(t, "a token renewed on the way", n, got, err)
	}
}

func TestATransportThatNamesNoServerSharesNothing(t *testing.T) {
	s := overHTTP(t, kept(aMinute))
	c, err := client.Connect(t.Context(), changing{s.transport(t), func(transport.Target) transport.Target {
		return transport.Target{}
	}}, s.options([]client.Option{caching(newStill())})...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, n := range []string{"1", "2"} {
		got, err := read(t.Context(), c, "a:b")
		want(t, "no target", n, got, err)
	}
}

func TestClientsWithEqualExtensionsShare(t *testing.T) {
	s := overHTTP(t, kept(aMinute))
	var opts []client.Option
	for i := range 8 {
		opts = append(opts, client.WithExtension(fmt.Sprintf("com.example/e%d", i), map[string]int{"a": 1}))
	}
	opts = append(opts, caching(newStill()))
	for range 8 {
		got, err := read(t.Context(), s.connected(t, opts...), "a:b")
		want(t, "an equal client", "1", got, err)
	}
}

func TestWhichCacheAClientHas(t *testing.T) {
	mine := caching(newStill())
	for name, tc := range map[string]struct {
		opts []client.Option
		n    []string // the answers of two clients that ask twice each
	}{
		"the process's":                         {nil, []string{"1", "1", "1", "1"}},
		"none beside an era cache of one's own": {[]client.Option{client.WithEraCache(nil)}, []string{"1", "2", "3", "4"}},
		"one's own beside it, before":           {[]client.Option{mine, client.WithEraCache(nil)}, []string{"1", "1", "1", "1"}},
		"one's own beside it, after":            {[]client.Option{client.WithEraCache(nil), mine}, []string{"1", "1", "1", "1"}},
		"none":                                  {[]client.Option{client.WithResponseCache(nil)}, []string{"1", "2", "3", "4"}},
	} {
		t.Run(name, func(t *testing.T) {
			srv := fault.NewHTTP(kept(aMinute))
			defer srv.Close()
			var got []string
			for range 2 {
				c, err := client.Connect(t.Context(), httpTransport(t, srv.URL), tc.opts...)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				for range 2 {
					n, err := read(t.Context(), c, "a:b")
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, n)
				}
			}
			if !slices.Equal(got, tc.n) {
				t.Errorf("answers %v, want %v", got, tc.n)
			}
		})
	}
}
