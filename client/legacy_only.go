package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// An EraError means that the connection's era has no such method.
type EraError struct {
	Method  string          // the JSON-RPC method that does not exist
	Era     negotiation.Era // that of the connection
	Instead string          // what to do in this era, "" for nothing
}

func (e *EraError) Error() string {
	s := fmt.Sprintf("%s does not exist in the %s era", e.Method, e.Era)
	if e.Instead != "" {
		s += ": " + e.Instead
	}
	return s
}

// legacyOnly returns an error on a modern connection.
func (c *Client) legacyOnly(method, instead string) error {
	if c.Era() == negotiation.EraModern {
		return &EraError{Method: method, Era: negotiation.EraModern, Instead: instead}
	}
	return nil
}

// Ping asks a legacy server for a sign of life; an error answer is one too. A
// modern connection has nothing that could die, and no ping: it gives an
// *EraError.
//
// Source: MCP 2025-11-25, basic/utilities/ping.
func (c *Client) Ping(ctx context.Context, opts ...CallOption) error {
	if err := c.legacyOnly(protocol.MethodPing, "each request stands for itself"); err != nil {
		return err
	}
	var ignored jsontext.Value // some servers answer with [] for {}
	err := c.do(ctx, &call{method: protocol.MethodPing, idempotent: true}, &ignored, opts)
	if _, answered := errors.AsType[*transport.ServerError](err); answered {
		return nil
	}
	return err
}

// SetLogLevel sets from which level on a legacy server logs, for the whole
// session. In the modern era each call says so by itself, with the option Logs,
// and SetLogLevel gives an *EraError.
//
// Source: MCP 2025-11-25, server/utilities/logging.
func (c *Client) SetLogLevel(ctx context.Context, level protocol.LogLevel, opts ...CallOption) error {
	if err := c.legacyOnly(protocol.MethodSetLevel, "use the call option Logs"); err != nil {
		return err
	}
	var ignored jsontext.Value
	err := c.do(ctx, &call{
		method: protocol.MethodSetLevel, idempotent: true, params: protocol.SetLevelParams{Level: level},
	}, &ignored, opts)
	if err == nil {
		c.logLevel.Store(level)
	}
	return err
}

// severities are the levels, least severe first.
var severities = []protocol.LogLevel{
	protocol.LogDebug, protocol.LogInfo, protocol.LogNotice, protocol.LogWarning,
	protocol.LogError, protocol.LogCritical, protocol.LogAlert, protocol.LogEmergency,
}

// covers reports whether messages of level are among those of at least least.
// A level that no specification knows always is.
func covers(least, level protocol.LogLevel) bool {
	at := slices.Index(severities, level)
	return at < 0 || at >= slices.Index(severities, least)
}

// sessionLevel makes a legacy server log what a call with the option Logs
// wants, unless it logs that already for another. A server that does not log is
// not asked.
func (c *Client) sessionLevel(ctx context.Context, call *call) error {
	if call.log == nil || c.Era() == negotiation.EraModern || c.Capabilities().Logging == nil {
		return nil
	}
	if level, _ := c.logLevel.Load().(protocol.LogLevel); level != "" && covers(level, call.wantsLog) {
		return nil
	}
	return c.SetLogLevel(ctx, call.wantsLog)
}

// RootsChanged tells the server that the roots of the program's handler have
// changed, if that was declared by WithRootsListChanged. In the modern era
// nothing is sent: the next request that needs them asks.
//
// Source: MCP 2025-11-25, client/roots, "Root List Changes".
func (c *Client) RootsChanged(ctx context.Context) error {
	roots := c.config.declared(c.Era()).Roots
	if roots == nil || !roots.ListChanged {
		return nil
	}
	return c.send(ctx, c.session.request(protocol.ID{}, outgoing{method: protocol.MethodRootsListChanged}))
}

// WithRootsListChanged declares that RootsChanged will be called when the roots
// change. It matters in the legacy era.
func WithRootsListChanged() Option {
	return func(c *config) error {
		c.capabilities.RootsListChanged = true
		return nil
	}
}
