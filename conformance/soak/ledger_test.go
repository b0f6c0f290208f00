package soak_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/internal/kind"
	"github.com/mcpera/mcpera/protocol"
)

// A ledger counts calls, and how often each was carried out.
type ledger struct {
	mu    sync.Mutex
	begun int
	ends  map[kind.Kind]int
	tools map[uint64]int // runs of the tool, by the number of the call
	next  uint64
}

// call counts a call and how it ends.
func (l *ledger) call(f func() error) {
	l.mu.Lock()
	l.begun++
	l.mu.Unlock()
	k := kind.Of(f())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ends == nil {
		l.ends = make(map[kind.Kind]int)
	}
	l.ends[k]++
}

// number returns the number of a tool call.
func (l *ledger) number() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	return l.next
}

// settled forgets the tool calls that are over, and returns those that ran more
// than once. No call may be under way.
func (l *ledger) settled() (twice []uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n, runs := range l.tools {
		if runs > 1 {
			twice = append(twice, n)
		}
	}
	clear(l.tools)
	return twice
}

// tool is one that must not run twice for one call.
func (l *ledger) tool() conformance.Tool {
	return conformance.Tool{
		Definition: protocol.Tool{Name: "count", InputSchema: jsontext.Value(`{"type":"object"}`)},
		Run: func(_ context.Context, c *conformance.Call) (*protocol.CallToolResult, error) {
			var args struct {
				N uint64 `json:"n"`
			}
			if err := c.Bind(&args); err != nil {
				return nil, err
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.tools == nil {
				l.tools = make(map[uint64]int)
			}
			l.tools[args.N]++
			return conformance.Text("counted"), nil
		},
	}
}

// check reports what is not accounted for, and what all of it was.
func (l *ledger) check(t *testing.T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := 0
	var lines []string
	for _, k := range slices.Sorted(maps.Keys(l.ends)) {
		sum += l.ends[k]
		lines = append(lines, fmt.Sprintf("%d %s", l.ends[k], k))
		if !k.Typed() {
			t.Errorf("%d calls ended in %s", l.ends[k], k)
		}
	}
	if sum != l.begun {
		t.Errorf("%d calls began, %d ended", l.begun, sum)
	}
	if l.ends[kind.OK] == 0 {
		t.Error("no call succeeded")
	}
	t.Logf("%d calls: %s", l.begun, strings.Join(lines, ", "))
}
