package conformance

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// A Principal is who a bearer token stands for.
type Principal struct {
	Name   string   // sessions and tasks belong to it
	Scopes []string // what tools, resources and prompts with a scope ask for
}

func (p Principal) has(scope string) bool { return scope == "" || slices.Contains(p.Scopes, scope) }

// A Call is one request as the code behind a tool, resource or prompt sees
// it, the same in both eras. Its methods are safe for concurrent use until
// that code returns.
type Call struct {
	Era          Era                         // Modern or Legacy
	Version      string                      // protocol version; "" when a legacy request outside a session does not say
	Method       string                      // the JSON-RPC method
	Name         string                      // of the tool or prompt, or the URI of the resource
	Arguments    jsontext.Value              // an object, {} when there were none
	Variables    map[string]string           // what the variables of a resource template matched
	Meta         protocol.Meta               // the request's own _meta
	Client       protocol.Implementation     // what the client says it is
	Capabilities protocol.ClientCapabilities // what it declares, in this request or for its session
	Principal    Principal                   // zero without authentication
	Trace        map[string]string           // traceparent, tracestate and baggage, when well-formed

	id       protocol.ID
	params   jsontext.Value
	logLevel string      // messages below are not sent; "" sends none
	token    protocol.ID // of progress; zero when none was asked for
	asksTask bool        // the client declared the tasks extension
	session  *session    // of a legacy request; nil outside one
	link     link
	asker    asker
}

// A link carries what a request sends before its response.
type link interface {
	// notify sends a notification, or drops it when there is nowhere to send.
	notify(method string, params any)
	// hangUp ends the current event stream without ending the request.
	hangUp()
}

// An asker gets a client's answers to inputs, keyed by input.
type asker interface {
	ask(ctx context.Context, c *Call, inputs []Input) (Answers, error)
}

// Bind decodes the arguments into v. The error is a -32602 that does not
// repeat the arguments.
func (c *Call) Bind(v any) error {
	if err := json.Unmarshal(c.Arguments, v); err != nil {
		return invalidParams("the arguments do not fit %s", protocol.Quote(c.Name))
	}
	return nil
}

// Progress reports how far the request has come. Total is not sent unless it
// is positive. It does nothing when the client gave no progress token, or when
// there is no stream to send on.
func (c *Call) Progress(progress, total float64, message string) {
	if c.token.IsZero() {
		return
	}
	p := protocol.Progress{Token: c.token, Progress: progress, Message: message}
	if total > 0 {
		p.Total = &total
	}
	c.link.notify(protocol.MethodProgress, p)
}

// Log sends a log message with any data that encodes as JSON, when level is
// at least the one that the client asked for: per request in the modern era,
// per session by logging/setLevel in the legacy one, "info" until then.
func (c *Call) Log(level, logger string, data any) {
	if !logs(c.logLevel, level) {
		return
	}
	c.link.notify("notifications/message", struct {
		Level  string `json:"level"`
		Logger string `json:"logger,omitempty"`
		Data   any    `json:"data"`
	}{level, logger, data})
}

// HangUp ends the event stream that a legacy request is answered on and lets
// the request go on: the client gets the rest when it resumes the stream with
// Last-Event-ID. It does nothing in the modern era and outside a session.
func (c *Call) HangUp() { c.link.hangUp() }

// A Run is the code behind a tool. It must return soon after its context is
// cancelled. A *protocol.Error becomes the error of the response, any other
// error a result with isError, and a panic -32603.
type Run func(ctx context.Context, c *Call) (*protocol.CallToolResult, error)

// Background goes on with run as a task when the client declared the tasks
// extension, and at once otherwise. A tool returns what it returns.
func (c *Call) Background(ctx context.Context, run Run) (*protocol.CallToolResult, error) {
	if !c.asksTask {
		return run(ctx, c)
	}
	return nil, &toTask{run}
}

// toTask is how a tool asks for the rest of it to be run as a task.
type toTask struct {
	run Run
}

func (*toTask) Error() string { return "continues as a task" }
