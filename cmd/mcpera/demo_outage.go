package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
)

// An outage is what came of connecting to a server that is down.
type outage struct {
	Kind    string         `json:"kind"` // of the error
	Status  int            `json:"status"`
	Methods map[string]int `json:"methods"` // what the server received, and how often
	Error   string         `json:"error,omitempty"`
}

// visitOutage connects to a server that answers 503 to everything.
func (d *demo) visitOutage(ctx context.Context) (outage, error) {
	server := &downServer{methods: make(map[string]int)}
	l, err := listen("127.0.0.1:0", &http.Server{Handler: server})
	if err != nil {
		return outage{}, err
	}
	defer l.close()
	t, err := mcphttp.New(l.url)
	if err != nil {
		return outage{}, err
	}
	// Fewer and shorter waits than by default: nobody will mend this server.
	opts := append(d.options("down/http"), client.WithRetries(2, transport.Backoff{Min: 10 * time.Millisecond, Max: 50 * time.Millisecond}))
	c, err := client.Connect(ctx, t, opts...)
	if err == nil {
		_ = c.Close()
		return outage{Methods: server.received(), Error: "the client connected"}, nil
	}
	o := outage{Methods: server.received()}
	f := diagnose(err)
	o.Kind, o.Status = f.Kind, f.Status
	if !errors.Is(err, transport.ErrUnavailable) || o.Methods[protocol.MethodInitialize] > 0 || o.Methods[protocol.MethodDiscover] == 0 {
		o.Error = clean(f.Message)
	}
	return o, nil
}

func (o outage) write(p *page) {
	fmt.Fprintf(p, "A server that answers 503 to everything:\n")
	fmt.Fprintf(p, "  the client says  %s (HTTP %d)\n", o.Kind, o.Status)
	fmt.Fprintf(p, "  the server saw   %s; %s %s\n", o.received(), protocol.MethodInitialize, times(o.Methods[protocol.MethodInitialize]))
	if o.Error != "" {
		fmt.Fprintf(p, "  FAILED: %s\n", o.Error)
	}
}

// received lists what the server got but initialize, which has a place of its
// own even when there was none.
func (o outage) received() string {
	var parts []string
	for _, method := range slices.Sorted(maps.Keys(o.Methods)) {
		if method != protocol.MethodInitialize {
			parts = append(parts, method+" "+times(o.Methods[method]))
		}
	}
	return strings.Join(parts, ", ")
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	default:
		return fmt.Sprintf("%d times", n)
	}
}

// A downServer answers 503 and counts the methods that it was asked for.
type downServer struct {
	mu      sync.Mutex
	methods map[string]int
}

func (s *downServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method + " without a message"
	if body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20)); err == nil {
		if m, err := protocol.Decode(body); err == nil {
			method = m.Method
		}
	}
	s.mu.Lock()
	s.methods[method]++
	s.mu.Unlock()
	http.Error(w, "down for maintenance", http.StatusServiceUnavailable)
}

func (s *downServer) received() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.methods)
}
