package client

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/time/rate"
)

// notes are about what a server does unasked, and so as often as it likes: the first
// ones of a kind are logged, and one in a while after that.
type notes struct{ ignored, unserved, unanswered, panicked note }

type note func(msg string, args ...any)

const (
	firstNotes   = 10
	noteInterval = 10 * time.Second
)

func newNotes(log *slog.Logger) notes {
	sometimes := func(level slog.Level) note {
		now := &rate.Sometimes{First: firstNotes, Interval: noteInterval}
		return func(msg string, args ...any) {
			now.Do(func() { log.Log(context.Background(), level, msg, args...) })
		}
	}
	return notes{
		ignored: sometimes(slog.LevelWarn), unserved: sometimes(slog.LevelWarn), unanswered: sometimes(slog.LevelWarn),
		panicked: sometimes(slog.LevelError),
	}
}
