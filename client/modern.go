package client

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A modernSession speaks 2026-07-28: every request carries version, client and
// capabilities in its _meta, and nothing is kept between requests.
type modernSession struct {
	details serverDetails
	meta    []byte // the members that every request's _meta has
}

// modernMeta returns the members of _meta that every modern request carries.
//
// Source: MCP 2026-07-28, basic, "_meta".
func modernMeta(c *config, version string) ([]byte, error) {
	meta, err := json.Marshal(struct {
		Version      string                      `json:"io.modelcontextprotocol/protocolVersion"`
		Info         protocol.Implementation     `json:"io.modelcontextprotocol/clientInfo"`
		Capabilities protocol.ClientCapabilities `json:"io.modelcontextprotocol/clientCapabilities"`
	}{version, c.info, c.declared(negotiation.EraModern)}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("client: encode _meta: %w", err)
	}
	return meta[1 : len(meta)-1], nil
}

// newModern opens a modern session with what the server said of itself.
func (n *negotiator) newModern(version string, d *protocol.DiscoverResult) (*modernSession, error) {
	meta, err := n.meta(version)
	if err != nil {
		return nil, err
	}
	return &modernSession{
		meta: meta,
		details: serverDetails{
			era: negotiation.EraModern, version: version, info: d.ServerInfo(),
			capabilities: d.Capabilities, instructions: d.Instructions,
		},
	}, nil
}

func (s *modernSession) server() serverDetails { return s.details }

func (s *modernSession) request(id protocol.ID, m outgoing) *transport.Request {
	return modernRequest(id, s.details.version, s.meta, m)
}

// modernRequest writes a request; meta are the members that every request's
// _meta has.
func modernRequest(id protocol.ID, version string, meta []byte, m outgoing) *transport.Request {
	return &transport.Request{
		ID: id, Method: m.method, Name: m.name, Era: negotiation.EraModern, Version: version,
		Body: encode(id, m, meta),
	}
}

// resultType returns what a result is: one without a type is complete.
//
// Source: MCP 2026-07-28, basic, "ResultType".
func (s *modernSession) resultType(raw jsontext.Value) (string, error) {
	typ, err := protocol.ResultType(raw)
	if err != nil || typ != "" {
		return typ, err
	}
	return protocol.ResultComplete, nil
}

// cancels: a byte stream shared by all requests needs a notification, an HTTP
// response stream is simply closed.
func (s *modernSession) cancels(kind negotiation.Transport) bool { return kind == negotiation.Stdio }

// answers: a modern server sends no requests, so there is nothing to answer.
func (s *modernSession) answers() bool { return false }

// lost: there is nothing to lose.
func (s *modernSession) lost(*transport.Request, negotiation.Outcome) bool { return false }

// reopen: nor is there anything to open.
func (s *modernSession) reopen(context.Context) error { return nil }

func (s *modernSession) end(context.Context) {}
