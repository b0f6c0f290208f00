package erecache_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpera/mcpera/erecache"
	"github.com/mcpera/mcpera/negotiation"
)

func Example() {
	ctx := context.Background()
	cache := erecache.New(time.Now)
	server, _ := url.Parse("https://api.example.com/mcp")
	key := erecache.KeyOf(server)

	probe := func(context.Context) (erecache.Finding, error) {
		fmt.Println("asking the server")
		return erecache.Finding{Era: negotiation.EraModern, Version: "2026-07-28", Proven: true}, nil
	}
	for range 2 {
		found, err := cache.Resolve(ctx, key, probe)
		if err != nil {
			fmt.Println("no answer:", err)
			return
		}
		fmt.Println(found.Era, found.Version, "from", found.Source)
	}
	// Output:
	// asking the server
	// modern 2026-07-28 from probe
	// modern 2026-07-28 from cache
}

// A legacy finding is remembered only after the server has accepted
// initialize.
func ExampleCache_Remember() {
	ctx := context.Background()
	cache := erecache.New(time.Now)
	key := erecache.CommandKey("npx", "-y", "some-server")

	found, err := cache.Resolve(ctx, key, func(context.Context) (erecache.Finding, error) {
		return erecache.Finding{Era: negotiation.EraLegacy}, nil // no proof yet
	})
	fmt.Println(found.Era, err)
	_, ok, _ := cache.Verdict(ctx, key)
	fmt.Println("remembered:", ok)

	// Here the program sends initialize; the server answers with 2025-11-25.
	if err := cache.Remember(ctx, key, negotiation.EraLegacy, "2025-11-25"); err != nil {
		fmt.Println("remembered for nobody:", err)
	}
	_, ok, _ = cache.Verdict(ctx, key)
	fmt.Println("remembered:", ok)
	// Output:
	// legacy <nil>
	// remembered: false
	// remembered: true
}

// A server that contradicts its verdict ends it.
func ExampleCache_Refute() {
	ctx := context.Background()
	cache := erecache.New(time.Now)
	key := erecache.Key{Origin: "https://api.example.com", Path: "/mcp"}
	_ = cache.Remember(ctx, key, negotiation.EraLegacy, "2025-11-25")

	verdict, ok, _ := cache.Verdict(ctx, key)
	fmt.Println(verdict.Era, ok)
	_ = cache.Refute(ctx, key, verdict)
	_, ok, _ = cache.Verdict(ctx, key)
	fmt.Println(ok)
	// Output:
	// legacy true
	// false
}

// An outage is the same for every call that waited; a refused token is not.
func ExampleShareError() {
	errDown := errors.New("503 Service Unavailable")
	cache := erecache.New(time.Now)
	key := erecache.Key{Origin: "https://api.example.com", Path: "/mcp"}

	_, err := cache.Resolve(context.Background(), key, func(context.Context) (erecache.Finding, error) {
		return erecache.Finding{}, erecache.ShareError(errDown)
	})
	fmt.Println(errors.Is(err, errDown))
	// Output: true
}

// Verdicts in a file serve the next run of the program.
func ExampleNewFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "mcpera", "eras.json")
	ctx := context.Background()
	key := erecache.Key{Origin: "https://api.example.com", Path: "/mcp"}

	thisRun := erecache.New(time.Now, erecache.WithStore(erecache.NewFile(path)))
	if err := thisRun.Remember(ctx, key, negotiation.EraModern, "2026-07-28"); err != nil {
		fmt.Println(err)
	}

	nextRun := erecache.New(time.Now, erecache.WithStore(erecache.NewFile(path)), erecache.WithTTL(time.Hour))
	verdict, ok, err := nextRun.Verdict(ctx, key)
	fmt.Println(verdict.Era, ok, err)
	// Output: modern true <nil>
}

func ExampleKeyOf() {
	a, _ := url.Parse("https://user:password@API.example.com:443/mcp?account=7")
	b, _ := url.Parse("https://api.example.com/mcp")
	fmt.Println(erecache.KeyOf(a) == erecache.KeyOf(b))
	// Output: true
}
