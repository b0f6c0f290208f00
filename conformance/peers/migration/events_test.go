package migration_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpera/mcpera/conformance"
)

// watched is the resource that the snippets subscribe to.
const watched = "test://watched-resource"

// heard is which changes a program heard of.
type heard map[string]bool

func (h heard) tools()              { h["the tools"] = true }
func (h heard) resource(uri string) { h[uri] = true }
func (h heard) all() bool           { return len(h) == 2 }
func (h heard) String() string      { return strings.Join(slices.Sorted(maps.Keys(h)), ", ") }

func hear(ctx context.Context, tools <-chan bool, resources <-chan string) (string, error) {
	heard := make(heard)
	for !heard.all() {
		select {
		case <-tools:
			heard.tools()
		case uri := <-resources:
			heard.resource(uri)
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return heard.String(), nil
}

// offer puts v into c, if there is room.
func offer[T any](c chan<- T, v T) {
	select {
	case c <- v:
	default:
	}
}

// asked calls the tools that ask the program for something.
func asked(call func(tool string, args map[string]any) (string, error)) (string, error) {
	var all []string
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"test_sampling", map[string]any{"prompt": "hello"}},
		{"test_elicitation", map[string]any{"message": "Who are you?"}},
		{"test_list_roots", nil},
	} {
		text, err := call(c.tool, c.args)
		if err != nil {
			return "", err
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n"), nil
}

func TestChangesAreHeardOfOnBothSides(t *testing.T) {
	for _, tc := range []struct {
		era   conformance.Era
		sides []side
	}{
		{conformance.Modern, []side{{"mcpera", oursChanges}, {"go-sdk", goSDKChanges}, {"mcp-go", withMCPGo(mcpGoChanges)}}},
		{conformance.Legacy, []side{{"mcpera", oursChanges}, {"go-sdk", goSDKChanges}, {"mcp-go", mcpGoLegacyChanges}}},
	} {
		for _, s := range tc.sides {
			t.Run(tc.era.String()+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				srv, url := serve(t, conformance.WithEra(tc.era))
				done := make(chan struct{})
				go func() { // peers do not tell when they listen, so until they do
					defer close(done)
					same(t, url, "test://watched-resource, the tools", []side{s})
				}()
				again := time.NewTicker(10 * time.Millisecond)
				defer again.Stop()
				for {
					select {
					case <-done:
						return
					case <-again.C:
						srv.NotifyToolsChanged()
						srv.NotifyResourceUpdated(watched)
					}
				}
			})
		}
	}
}
