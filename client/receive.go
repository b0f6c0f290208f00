package client

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// An inbox is the client as its transport sees it.
type inbox struct{ *Client }

// Receive takes what the server sends of its own accord.
func (c inbox) Receive(msg *protocol.Message, _ *transport.Request) {
	if !msg.IsRequest() {
		return // notifications change nothing yet
	}
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s != nil && !s.answers() {
		c.config.log.Warn("ignored a request of a modern server, which may not send any",
			"server", c.link.target.String(), "method", protocol.Quote(msg.Method))
		return
	}
	c.spawn(func() { c.answer(s, msg) })
}

// answerTime is what sending an answer may take.
const answerTime = 10 * time.Second

// answer answers a server's request: a ping at once and in any state, anything
// else with "method not found".
//
// Source: MCP 2025-11-25, basic/utilities/ping.
func (c *Client) answer(s session, msg *protocol.Message) {
	ctx, cancel := context.WithTimeout(c.life, answerTime)
	defer cancel()
	req := &transport.Request{Era: negotiation.EraLegacy}
	if s != nil {
		req = s.request(protocol.ID{}, "", "", nil)
		req.Method = ""
	}
	if msg.Method == protocol.MethodPing {
		req.Body = protocol.AppendResult(nil, msg.ID, jsontext.Value(`{}`))
	} else {
		req.Body = protocol.AppendError(nil, msg.ID, protocol.CodeMethodNotFound, "method not found")
	}
	if err := c.link.send(ctx, req); err != nil && c.life.Err() == nil {
		c.config.log.Warn("could not answer the server", "server", c.link.target.String(),
			"method", protocol.Quote(msg.Method), "reason", err)
	}
}
