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

// An Option adjusts a Fleet. The order of options does not matter. New fails on a
// value that makes no sense.
type Option func(*config) error

type config struct {
	dial          func(Server) (transport.Transport, error)
	clientOptions []client.Option
	optionsFor    func(Server) []client.Option
	httpOptions   []http.Option
	stdioOptions  []stdio.Option
	parallel      int
	idle          time.Duration // 0: servers are never closed as idle
	again         transport.Backoff
	log           *slog.Logger
}

func newConfig(opts []Option) (*config, error) {
	c := &config{
		optionsFor: func(Server) []client.Option { return nil },
		parallel:   8,
		again:      transport.Backoff{Min: 5 * time.Second, Max: 5 * time.Minute},
		log:        slog.New(slog.DiscardHandler),
	}
	c.dial = c.transport
	for _, opt := range opts {
		if err := opt(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// WithClientOptions adjusts every server's client: a handler, an era cache of
// your own, timeouts. By default all share the era cache of the process.
func WithClientOptions(opts ...client.Option) Option {
	return func(c *config) error {
		c.clientOptions = append(c.clientOptions, opts...)
		return nil
	}
}

// WithOptionsFor adjusts the client of one server, after WithClientOptions: a
// handler that tells the user which server asks, the era of one that is known. f
// is called for each connection.
func WithOptionsFor(f func(Server) []client.Option) Option {
	return func(c *config) error {
		if f == nil {
			return errors.New("fleet: the function for a server's options must not be nil")
		}
		c.optionsFor = f
		return nil
	}
}

// WithHTTPOptions adjusts the transport of every server with a URL.
func WithHTTPOptions(opts ...http.Option) Option {
	return func(c *config) error {
		c.httpOptions = append(c.httpOptions, opts...)
		return nil
	}
}

// WithStdioOptions adjusts the transport of every server with a command.
func WithStdioOptions(opts ...stdio.Option) Option {
	return func(c *config) error {
		c.stdioOptions = append(c.stdioOptions, opts...)
		return nil
	}
}

// WithDial replaces how a server is reached: dial returns the transport for it,
// not opened. It may be called concurrently. WithHTTPOptions and
// WithStdioOptions then have no effect.
func WithDial(dial func(Server) (transport.Transport, error)) Option {
	return func(c *config) error {
		if dial == nil {
			return errors.New("fleet: the dial function must not be nil")
		}
		c.dial = dial
		return nil
	}
}

// WithParallel bounds how many servers Connect and Tools work on at a time: by
// default 8.
func WithParallel(n int) Option {
	return func(c *config) error {
		if n <= 0 {
			return errors.New("fleet: servers in parallel must be above zero")
		}
		c.parallel = n
		return nil
	}
}

// WithIdleTimeout closes a server that nothing has used for d; the next call
// connects it again. A loop over Changes uses the servers that it hears of. By
// default none is closed.
func WithIdleTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return errors.New("fleet: the idle timeout must be above zero")
		}
		c.idle = d
		return nil
	}
}

// WithResubscribe sets the waits before Changes tries a server again whose
// changes can't be heard: by default 5 s, doubling to 5 min.
func WithResubscribe(b transport.Backoff) Option {
	return func(c *config) error {
		if b.Max <= 0 {
			return errors.New("fleet: the longest wait to subscribe again must be above zero")
		}
		c.again = b
		return nil
	}
}

// WithLogger sets where the fleet notes what a program need not act on: by
// default nowhere. No secret is ever logged.
func WithLogger(log *slog.Logger) Option {
	return func(c *config) error {
		if log == nil {
			return errors.New("fleet: the logger must not be nil")
		}
		c.log = log
		return nil
	}
}
