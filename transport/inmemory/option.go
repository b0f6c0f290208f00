package inmemory

import (
	"errors"
	"log/slog"
	"time"
)

// An Option adjusts a Transport.
type Option func(*options) error

type options struct {
	maxMessage               int64
	inputGrace, contextGrace time.Duration
	log                      *slog.Logger
}

func defaults() *options {
	return &options{
		maxMessage:   32 << 20,
		inputGrace:   5 * time.Second,
		contextGrace: 2 * time.Second,
		log:          slog.New(slog.DiscardHandler),
	}
}

// WithMaxMessage bounds one message from the server, in bytes: by default
// 32 MiB. A longer line ends the connection.
func WithMaxMessage(bytes int64) Option {
	return func(o *options) error {
		if bytes <= 0 {
			return errors.New("inmemory: the message limit must be above zero")
		}
		o.maxMessage = bytes
		return nil
	}
}

// WithShutdown sets how long Close waits for the server after the end of its
// input, by default 5 s, and then after the end of its context, by default 2 s.
func WithShutdown(afterInput, afterContext time.Duration) Option {
	return func(o *options) error {
		if afterInput < 0 || afterContext < 0 {
			return errors.New("inmemory: shutdown times must not be negative")
		}
		o.inputGrace, o.contextGrace = afterInput, afterContext
		return nil
	}
}

// WithLogger sets where lines that are no messages are noted, at debug level;
// by default nowhere.
func WithLogger(log *slog.Logger) Option {
	return func(o *options) error {
		if log == nil {
			return errors.New("inmemory: the logger must not be nil")
		}
		o.log = log
		return nil
	}
}
