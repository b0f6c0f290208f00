package client

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/handler"
	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// An inbox is the client as its transport sees it.
type inbox struct{ *Client }

// Receive takes what the server sends of its own accord. It never waits.
func (c inbox) Receive(msg *protocol.Message, on *transport.Request) {
	c.tellIncoming(msg)
	if msg.IsRequest() {
		c.receiveRequest(msg)
		return
	}
	switch msg.Method {
	case protocol.MethodProgress:
		if p, err := protocol.ReadProgress(msg.Params); err == nil {
			c.active.progress(p, len(msg.Params))
		}
	case protocol.MethodLogMessage:
		c.receiveLog(msg, on)
	case protocol.MethodCancelled:
		c.receiveCancelled(msg)
	default:
		c.invalidate(msg) // before anybody hears of it
		c.subs.received(msg)
	}
	if h, ok := c.config.handler.(handler.NotificationReceiver); ok {
		c.mail.put(letter{msg.Method, len(msg.Params), func() { h.Notification(c.life, msg.Method, msg.Params) }})
	}
}

// tellIncoming shows the program a message. A panic must not end the goroutine
// that reads.
func (c *Client) tellIncoming(msg *protocol.Message) {
	if c.config.incoming == nil {
		return
	}
	defer c.notePanic(msg.Method)
	c.config.incoming(msg)
}

// notePanic is deferred around a function of the program that no call waits for.
func (c *Client) notePanic(about string) {
	if p := recover(); p != nil {
		c.panicked(&HandlerError{Method: about, Err: fmt.Errorf("the function panicked: %v", p), Stack: debug.Stack()})
	}
}

func (c *Client) panicked(err error) {
	args := []any{"server", c.link.target.String(), "reason", err}
	if h, ok := errors.AsType[*HandlerError](err); ok {
		args = append(args, "stack", string(h.Stack))
	}
	c.notes.panicked("a function of the program panicked", args...)
}

// receiveLog delivers a log message to the call whose stream carried it. On a
// stream shared by all, every call that wants logs of its level gets it.
func (c *Client) receiveLog(msg *protocol.Message, on *transport.Request) {
	var m protocol.LogMessage
	if json.Unmarshal(msg.Params, &m) != nil {
		return
	}
	wanting := c.active.logging()
	if on != nil && !on.ID.IsZero() {
		wanting = nil
		if id, ok := on.ID.Int64(); ok {
			if entry := c.active.get(id); entry != nil && entry.call.log != nil {
				wanting = []*activeCall{entry}
			}
		}
	}
	for _, entry := range wanting {
		if covers(entry.call.wantsLog, m.Level) {
			entry.inbox.put(letter{protocol.MethodLogMessage, len(msg.Params), func() { entry.call.log(m) }})
		}
	}
}

// answerTime is what sending an answer or a notice may take.
const answerTime = 10 * time.Second

// maxServing is how many requests of a legacy server are served at once. More
// are refused, so that a flood costs no memory.
const maxServing = 64

// receiveRequest answers a server's request, off the reader: a ping at once and
// in any state, what the program's handler serves, and nothing of a modern
// server, which may not send any.
//
// Source: MCP 2025-11-25, basic/utilities/ping, client/*.
func (c *Client) receiveRequest(msg *protocol.Message) {
	s := c.opened()
	if s != nil && !s.answers() {
		c.notes.ignored("ignored a request of a modern server, which may not send any",
			"server", c.link.target.String(), "method", protocol.Quote(msg.Method))
		return
	}
	if msg.Method == protocol.MethodPing {
		c.answerSoon(&c.ponging, s, msg, protocol.AppendResult(nil, msg.ID, jsontext.Value(`{}`)))
		return
	}
	ctx, served, is := c.serving.begin(context.WithValue(c.life, servingKey{}, c), msg.ID)
	switch is {
	case repeated: // an answer would be taken for that to the first
		c.notes.ignored("ignored a request under an id that is being served", "server", c.link.target.String(),
			"method", protocol.Quote(msg.Method))
		return
	case tooMany:
		c.answerSoon(&c.refusing, s, msg, protocol.AppendError(nil, msg.ID, protocol.CodeInternal, "the client is busy"))
		return
	}
	if !c.spawn(func() {
		defer served.end()
		c.serveRequest(ctx, s, msg, served.answered)
	}) {
		served.answered()
		served.end()
	}
}

// answerSoon sends an answer that is ready, off the reader. underWay counts
// those of its kind: a server that asks and asks and does not read gets no more
// of them.
func (c *Client) answerSoon(underWay *atomic.Int64, s session, msg *protocol.Message, body []byte) {
	if underWay.Add(1) > maxServing {
		underWay.Add(-1)
		return
	}
	msg = &protocol.Message{Method: msg.Method} // the rest may be large, and is not needed any more
	if !c.spawn(func() {
		defer underWay.Add(-1)
		c.answer(s, msg, body)
	}) {
		underWay.Add(-1)
	}
}

// serveRequest runs the handler, calls answered, and sends the answer, unless the
// server has canceled its request meanwhile.
func (c *Client) serveRequest(ctx context.Context, s session, msg *protocol.Message, answered func()) {
	returned := false
	defer func() {
		if !returned && ctx.Err() == nil { // the handler ended the goroutine, as testing.T.FailNow does
			c.answer(s, msg, protocol.AppendError(nil, msg.ID, protocol.CodeInternal, "the client could not answer"))
		}
	}()
	answer, err := func() (any, error) {
		defer answered()
		defer c.atWork.begin()()
		return c.serve(ctx, msg.Method, msg.Params)
	}()
	returned = true
	var encoded []byte
	if err == nil {
		encoded, err = json.Marshal(answer, json.Deterministic(true))
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		c.notes.unserved("could not serve the server's request", "server", c.link.target.String(),
			"method", protocol.Quote(msg.Method), "reason", err)
		code, message := serverSide(err)
		c.answer(s, msg, protocol.AppendError(nil, msg.ID, code, message))
		return
	}
	c.answer(s, msg, protocol.AppendResult(nil, msg.ID, encoded))
}

// answer sends a response to the server's request msg.
func (c *Client) answer(s session, msg *protocol.Message, body []byte) {
	ctx, cancel := context.WithTimeout(c.life, answerTime)
	defer cancel()
	req := &transport.Request{Era: negotiation.EraLegacy}
	if s != nil {
		req = s.request(protocol.ID{}, outgoing{})
	}
	req.Body = body
	if err := c.send(ctx, req); err != nil && c.life.Err() == nil {
		c.notes.unanswered("could not answer the server", "server", c.link.target.String(),
			"method", protocol.Quote(msg.Method), "reason", err)
	}
}

// receiveCancelled stops serving a request that the server no longer wants, and
// keeps its reason for who looks for it.
func (c *Client) receiveCancelled(msg *protocol.Message) {
	var p protocol.CancelledParams
	if json.Unmarshal(msg.Params, &p) == nil {
		c.config.log.Debug("the server canceled", "server", c.link.target.String(), "reason", protocol.Quote(p.Reason))
		c.serving.cancel(p.RequestID)
		c.subs.cancelled(p.RequestID)
	}
}

// opened returns the session, nil while there is none yet.
func (c *Client) opened() session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}
