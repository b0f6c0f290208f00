package handler

import (
	"context"
	"log/slog"

	"github.com/mcpera/mcpera/protocol"
)

// SlogLogs returns a function for the call option client.Logs that writes a
// server's log messages to l, with the server's logger name and data as
// attributes. What the server says is data: it never becomes a format, a level
// of its own making, or a source position of the program.
func SlogLogs(l *slog.Logger) func(protocol.LogMessage) {
	return func(m protocol.LogMessage) {
		l.LogAttrs(context.Background(), slogLevel(m.Level), "server log",
			slog.String("logger", m.Logger), slog.String("level", string(m.Level)), slog.String("data", string(m.Data)))
	}
}

// slogLevel maps the eight syslog severities to the four of slog.
func slogLevel(level protocol.LogLevel) slog.Level {
	switch level {
	case protocol.LogDebug:
		return slog.LevelDebug
	case protocol.LogInfo, protocol.LogNotice:
		return slog.LevelInfo
	case protocol.LogWarning:
		return slog.LevelWarn
	default:
		return slog.LevelError
	}
}
