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
	meta    []byte // the _meta object without its closing brace
}

// modernMeta returns the members that every modern request carries: a JSON
// object without its closing brace, so that a call can add its own.
//
// Source: MCP 2026-07-28, basic, "_meta".
func modernMeta(c *config, version string) ([]byte, error) {
	meta, err := json.Marshal(struct {
		Version      string                      `json:"io.modelcontextprotocol/protocolVersion"`
		Info         protocol.Implementation     `json:"io.modelcontextprotocol/clientInfo"`
		Capabilities protocol.ClientCapabilities `json:"io.modelcontextprotocol/clientCapabilities"`
	}{version, c.info, negotiation.ClientCapabilities(c.handler, c.capabilities)})
	if err != nil {
		return nil, fmt.Errorf("client: encode _meta: %w", err)
	}
	return meta[:len(meta)-1], nil
}

func newModern(c *config, version string, d *protocol.DiscoverResult) (*modernSession, error) {
	meta, err := modernMeta(c, version)
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

func (s *modernSession) request(id protocol.ID, method, name string, params jsontext.Value) *transport.Request {
	return modernRequest(id, s.details.version, s.meta, method, name, params)
}

// modernRequest writes a request with meta, an object without its closing
// brace, as the first member of its params.
func modernRequest(id protocol.ID, version string, meta []byte, method, name string, params jsontext.Value) *transport.Request {
	body := make([]byte, 0, len(meta)+len(params)+len(method)+64)
	body = append(body, `{"_meta":`...)
	body = append(body, meta...)
	body = append(body, '}')
	if len(params) > len(`{}`) {
		body = append(body, ',')
		body = append(body, params[1:]...)
	} else {
		body = append(body, '}')
	}
	return &transport.Request{
		ID: id, Method: method, Name: name, Era: negotiation.EraModern, Version: version,
		Body: protocol.AppendRequest(make([]byte, 0, len(body)+len(method)+64), id, method, body),
	}
}

// result accepts complete results only: a result without resultType is
// complete, one with a type that this client does not know is invalid.
//
// Source: MCP 2026-07-28, basic, "ResultType".
func (s *modernSession) result(raw jsontext.Value) (jsontext.Value, error) {
	var head struct {
		ResultType *string `json:"resultType"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, err
	}
	if head.ResultType != nil && *head.ResultType != protocol.ResultComplete {
		return nil, &ResultTypeError{Type: *head.ResultType}
	}
	return raw, nil
}

// cancels: a byte stream shared by all requests needs a notification, an HTTP
// response stream is simply closed.
func (s *modernSession) cancels(kind negotiation.Transport) bool { return kind == negotiation.Stdio }

// answers: a modern server sends no requests, so there is nothing to answer.
func (s *modernSession) answers() bool { return false }

func (s *modernSession) end(context.Context) {}
