package stdio

import (
	"errors"
	"log/slog"
	"time"
)

// An Option adjusts a Transport. The order of options does not matter. New fails on
// a value that makes no sense.
type Option func(*options) error

type options struct {
	maxMessage            int64
	keptStderr            int
	stdinGrace, termGrace time.Duration
	env                   []string // of WithEnv
	inheritEnv            bool
	log                   *slog.Logger
}

func defaults() *options {
	return &options{
		maxMessage: 32 << 20,
		keptStderr: defaultKeptStderr,
		stdinGrace: 5 * time.Second,
		termGrace:  2 * time.Second,
		log:        slog.New(slog.DiscardHandler),
	}
}

// WithMaxMessage bounds one message from the server, in bytes: by default
// 32 MiB. A longer line ends the connection.
func WithMaxMessage(bytes int64) Option {
	return func(o *options) error {
		if bytes <= 0 {
			return errors.New("stdio: the message limit must be above zero")
		}
		o.maxMessage = bytes
		return nil
	}
}

// WithKeptStderr sets how many of the last bytes of the server's standard error are
// kept for errors and Stderr: by default 8 KiB, 0 for none.
func WithKeptStderr(bytes int) Option {
	return func(o *options) error {
		if bytes < 0 {
			return errors.New("stdio: what is kept of standard error must not be negative")
		}
		o.keptStderr = bytes
		return nil
	}
}

// WithShutdown sets how long Close waits after closing the server's standard
// input, by default 5 s, and then after SIGTERM, by default 2 s.
func WithShutdown(afterStdin, afterTerm time.Duration) Option {
	return func(o *options) error {
		if afterStdin < 0 || afterTerm < 0 {
			return errors.New("stdio: shutdown times must not be negative")
		}
		o.stdinGrace, o.termGrace = afterStdin, afterTerm
		return nil
	}
}

// WithLogger sets where lines that are no messages are noted, at debug level;
// by default nowhere.
func WithLogger(log *slog.Logger) Option {
	return func(o *options) error {
		if log == nil {
			return errors.New("stdio: the logger must not be nil")
		}
		o.log = log
		return nil
	}
}
