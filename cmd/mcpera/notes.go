package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/mcpera/mcpera/client"
)

// notes are lines on standard error beside the output: what -v asks for, and
// the client's warnings. They may be written concurrently. Notes are also a
// slog.Handler.
type notes struct {
	mu sync.Mutex
	w  io.Writer
}

func (n *notes) printf(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fmt.Fprintf(n.w, format+"\n", args...)
}

// Write takes a server's standard error.
func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.w.Write(p)
}

// serverErr is where a server's standard error is copied to.
func (n *notes) serverErr(verbose bool) io.Writer {
	if verbose {
		return n
	}
	return nil
}

// trace notes one step of the client.
func (n *notes) trace(e client.Event) { n.printf("* %s", clean(e.String())) }

// Enabled lets warnings through.
func (n *notes) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle prints a warning on one line.
func (n *notes) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%s", a.Key, a.Value)
		return true
	})
	n.printf("mcpera: warning: %s%s", clean(r.Message), strings.TrimRight(" "+clean(b.String()), " "))
	return nil
}

// WithAttrs and WithGroup are not used by the client.
func (n *notes) WithAttrs([]slog.Attr) slog.Handler { return n }

// WithGroup: see WithAttrs.
func (n *notes) WithGroup(string) slog.Handler { return n }
