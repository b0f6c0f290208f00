package fleet

import (
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/mcpera/mcpera/erecache"
)

// String returns what may be shown of a server: its name, its program or origin,
// and the names of its variables and headers.
func (s Server) String() string {
	text := fmt.Sprintf("%q", s.Name)
	if s.Command != "" {
		text += " " + filepath.Base(s.Command)
	}
	if s.URL != "" {
		if u, err := url.Parse(s.URL); err == nil {
			text += " " + erecache.Origin(u)
		}
	}
	if len(s.Env) > 0 {
		text += fmt.Sprintf(" env:%q", slices.Sorted(maps.Keys(s.Env)))
	}
	if len(s.Headers) > 0 {
		text += fmt.Sprintf(" headers:%q", slices.Sorted(maps.Keys(s.Headers)))
	}
	if s.Disabled {
		text += " (disabled)"
	}
	return text
}

// GoString returns String in the form of a Go value.
func (s Server) GoString() string { return "fleet.Server{" + s.String() + "}" }

// LogValue returns String.
func (s Server) LogValue() slog.Value { return slog.StringValue(s.String()) }

// String returns the servers, as Server.String shows them.
func (c Config) String() string { return fmt.Sprint(c.Servers) }

// GoString returns String in the form of a Go value.
func (c Config) GoString() string { return "fleet.Config{" + c.String() + "}" }

// LogValue returns String.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
