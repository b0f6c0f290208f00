package client

import (
	"fmt"
	"time"

	"github.com/mcpera/mcpera/protocol"
)

// A CallOption adjusts one call, or each page of an iterator. A call fails, and
// nothing is sent, on a value that makes no sense.
type CallOption func(*call) error

// Timeout bounds how long the server may take: by default what WithCallTimeout
// says. Progress starts it anew, up to the limit of WithCallLimit. While a
// handler of the program works for the server, the time does not count.
func Timeout(d time.Duration) CallOption {
	return func(c *call) error { return positive("timeout of a call", d, &c.timeout) }
}

// Cursor asks a list for the page that a NextCursor named. Cursors are opaque.
func Cursor(cursor string) CallOption {
	return func(c *call) error {
		c.cursor = &cursor
		return nil
	}
}

// OnProgress calls f for each progress notification of this call, in order and
// before the call returns. f runs beside the call and should be quick; what
// comes faster than it can take is dropped, but never the last one. Where f
// panics the call fails with a *HandlerError, as it does for that of Logs.
//
// Source: MCP 2026-07-28, patterns/progress.
func OnProgress(f func(protocol.Progress)) CallOption {
	return func(c *call) error {
		c.progress = f
		return nil
	}
}

// Logs asks for the server's log messages of at least level while this call
// runs, and gives them to f, in order and before the call returns. A server of
// the legacy era logs for its whole session: there Logs sets the session's
// level, and over stdio f may get messages that belong to other calls.
//
// Source: MCP 2026-07-28, server/utilities/logging.
func Logs(level protocol.LogLevel, f func(protocol.LogMessage)) CallOption {
	return func(c *call) error {
		if f == nil {
			return fmt.Errorf("client: Logs needs a function")
		}
		c.wantsLog, c.log = level, f
		return nil
	}
}

// Meta adds a member to the request's _meta. The key's prefix is a reverse
// domain of yours; those reserved for MCP are refused.
//
// Source: MCP 2026-07-28, basic, "_meta".
func Meta(key string, value any) CallOption {
	return func(c *call) error {
		if err := protocol.CheckMetaKey(key); err != nil {
			return err
		}
		if c.meta == nil {
			c.meta = make(map[string]any)
		}
		c.meta[key] = value
		return nil
	}
}
