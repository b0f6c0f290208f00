package fleet

import (
	"errors"
	"log/slog"
	"time"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/transport"
	"github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// An Option adjusts a Fleet.
type Option func(*Fleet) error

// WithClientOptions adjusts every server's client: a handler, an era cache of
// your own, timeouts. By default all share the era cache of the process.
func WithClientOptions(opts ...client.Option) Option {
	return func(f *Fleet) error {
		f.clientOptions = append(f.clientOptions, opts...)
		return nil
	}
}

// WithHTTPOptions adjusts the transport of every server with a URL.
func WithHTTPOptions(opts ...http.Option) Option {
	return func(f *Fleet) error {
		f.httpOptions = append(f.httpOptions, opts...)
		return nil
	}
}

// WithStdioOptions adjusts the transport of every server with a command.
func WithStdioOptions(opts ...stdio.Option) Option {
	return func(f *Fleet) error {
		f.stdioOptions = append(f.stdioOptions, opts...)
		return nil
	}
}

// WithDial replaces how a server is reached: dial returns the transport for it,
// not opened.
func WithDial(dial func(Server) (transport.Transport, error)) Option {
	return func(f *Fleet) error {
		if dial == nil {
			return errors.New("fleet: the dial function must not be nil")
		}
		f.dial = dial
		return nil
	}
}

// WithParallel bounds how many servers Connect and Tools work on at a time: by
// default 8.
func WithParallel(n int) Option {
	return func(f *Fleet) error {
		if n <= 0 {
			return errors.New("fleet: servers in parallel must be above zero")
		}
		f.parallel = n
		return nil
	}
}

// WithIdleTimeout closes a server that no call has used for d; the next call
// connects it again. By default none is closed.
func WithIdleTimeout(d time.Duration) Option {
	return func(f *Fleet) error {
		if d <= 0 {
			return errors.New("fleet: the idle timeout must be above zero")
		}
		f.idle = d
		return nil
	}
}

// WithLogger sets where the fleet notes what a program need not act on: by
// default nowhere.
func WithLogger(log *slog.Logger) Option {
	return func(f *Fleet) error {
		if log == nil {
			return errors.New("fleet: the logger must not be nil")
		}
		f.log = log
		return nil
	}
}
