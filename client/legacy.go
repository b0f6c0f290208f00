package client

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A legacySession speaks 2025-11-25 and earlier: initialize has opened it, and
// over HTTP the server may have given it an id. Such a server may forget it;
// see renew.
type legacySession struct {
	config *config
	link   *link
	state  atomic.Pointer[legacyState]
}

// legacyState is what one initialize led to.
type legacyState struct {
	details serverDetails
	id      string // Mcp-Session-Id, "" when the server keeps none; a secret
}

// initializeRequest offers the newest legacy version. It carries no session
// and no version header: nothing is agreed on yet.
//
// Source: MCP 2025-11-25, lifecycle, "Initialization".
func initializeRequest(c *config, id protocol.ID) (*transport.Request, error) {
	params, err := json.Marshal(protocol.InitializeParams{
		ProtocolVersion: negotiation.LegacyVersion(),
		Capabilities:    c.declared(negotiation.EraLegacy),
		ClientInfo:      c.info,
	})
	if err != nil {
		return nil, fmt.Errorf("client: encode initialize: %w", err)
	}
	return &transport.Request{
		ID: id, Method: protocol.MethodInitialize, Era: negotiation.EraLegacy, Idempotent: true,
		Body: protocol.AppendRequest(nil, id, protocol.MethodInitialize, params),
	}, nil
}

// openLegacy opens a session with the outcome of initialize.
func openLegacy(ctx context.Context, c *Client, req *transport.Request, o negotiation.Outcome) (*legacySession, error) {
	state, err := handshake(ctx, c.link, req, o)
	if err != nil {
		return nil, err
	}
	s := &legacySession{config: c.config, link: c.link}
	s.state.Store(state)
	return s, nil
}

// handshake takes the outcome of initialize and, when it is a valid
// InitializeResult, completes the handshake.
func handshake(ctx context.Context, l *link, req *transport.Request, o negotiation.Outcome) (*legacyState, error) {
	if err := l.fail(req, o); err != nil {
		return nil, err
	}
	var r protocol.InitializeResult
	if err := json.Unmarshal(o.Message.Result, &r); err != nil || r.ProtocolVersion == "" {
		if err == nil {
			err = errors.New("protocolVersion is missing")
		}
		return nil, &transport.MessageError{
			Origin: l.target.String(), Method: req.Method, Status: o.Status,
			Said: protocol.Quote(o.Message.Result), Err: err,
		}
	}
	if !negotiation.SpeaksLegacy(r.ProtocolVersion) {
		return nil, &VersionError{Origin: l.target.String(), Offered: negotiation.LegacyVersion(), Answered: r.ProtocolVersion}
	}
	state := &legacyState{id: o.Session, details: serverDetails{
		era: negotiation.EraLegacy, version: r.ProtocolVersion, info: r.ServerInfo,
		capabilities: r.Capabilities, instructions: r.Instructions,
	}}
	if err := l.send(ctx, state.request(protocol.ID{}, outgoing{method: protocol.MethodInitialized})); err != nil {
		return nil, err
	}
	return state, nil
}

func (s *legacySession) server() serverDetails { return s.state.Load().details }

func (s *legacySession) request(id protocol.ID, m outgoing) *transport.Request {
	return s.state.Load().request(id, m)
}

func (s *legacyState) request(id protocol.ID, m outgoing) *transport.Request {
	return &transport.Request{
		ID: id, Method: m.method, Era: negotiation.EraLegacy, Version: s.details.version, Session: s.id,
		Body: encode(id, m, nil),
	}
}

// resultType: a legacy result is always the whole of it.
func (s *legacySession) resultType(jsontext.Value) (string, error) {
	return protocol.ResultComplete, nil
}

// cancels: a disconnect means nothing to a legacy server.
func (s *legacySession) cancels(negotiation.Transport) bool { return true }

func (s *legacySession) answers() bool { return true }

// endTime is what taking leave may cost.
const endTime = 2 * time.Second

// end tells an HTTP server that the session is over. Servers may refuse, and
// it is over all the same.
func (s *legacySession) end(ctx context.Context) {
	state := s.state.Load()
	ender, ok := s.link.Transport.(transport.SessionEnder)
	if !ok || state.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	_ = ender.EndSession(ctx, state.details.version, state.id)
}
