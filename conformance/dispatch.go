package conformance

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// A reply is the result of a method before its era has dressed it.
type reply struct {
	body object
	hint *CacheHint // of the six results that have one
}

// A method is one row of the routing table.
type method struct {
	era    Era // Both, or the only era that has it
	rounds bool
	serve  func(s *Server, ctx context.Context, c *Call) (reply, error)
}

// methods is the routing table. subscriptions/listen is not in it: it answers
// with a stream, which each transport does its own way.
var methods = map[string]method{
	"server/discover":          {era: Modern, serve: (*Server).discover},
	"initialize":               {era: Legacy, serve: (*Server).initialize},
	"ping":                     {era: Legacy, serve: (*Server).ping},
	"logging/setLevel":         {era: Legacy, serve: (*Server).setLevel},
	"resources/subscribe":      {era: Legacy, serve: (*Server).subscribe},
	"resources/unsubscribe":    {era: Legacy, serve: (*Server).unsubscribe},
	"tools/list":               {serve: (*Server).listTools},
	"tools/call":               {rounds: true, serve: (*Server).callTool},
	"resources/list":           {serve: (*Server).listResources},
	"resources/templates/list": {serve: (*Server).listTemplates},
	"resources/read":           {rounds: true, serve: (*Server).readResource},
	"prompts/list":             {serve: (*Server).listPrompts},
	"prompts/get":              {rounds: true, serve: (*Server).getPrompt},
	"completion/complete":      {serve: (*Server).complete},
	"tasks/get":                {era: Modern, serve: (*Server).getTask},
	"tasks/update":             {era: Modern, serve: (*Server).updateTask},
	"tasks/cancel":             {era: Modern, serve: (*Server).cancelTask},
}

// newCall reads a request into a Call that is not linked to anything yet.
func (s *Server) newCall(m *protocol.Message, env envelope, p Principal) *Call {
	c := &Call{
		Era: env.era, Version: env.version, Method: m.Method,
		Arguments: jsontext.Value("{}"),
		Meta:      env.meta, Client: env.client, Capabilities: env.capabilities,
		Principal: p, Trace: traceContext(env.meta),
		id: m.ID, params: m.Params, logLevel: env.logLevel,
		link: deadEnd{}, asker: deadEnd{},
	}
	if token := env.meta.Get(protocol.MetaProgressToken); token.Kind() == '"' || token.Kind() == '0' {
		_ = c.token.UnmarshalJSON(token) // a string or a number always reads
	}
	_, declared := env.capabilities.Extensions[tasksExtension]
	c.asksTask = declared && s.cfg.tasks && env.era == Modern
	return c
}

// dispatch runs the method that c asks for and returns the whole result as
// its era wants it. It never panics.
func (s *Server) dispatch(ctx context.Context, c *Call) (result jsontext.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, internalError(fmt.Sprint(p))
		}
	}()
	row, ok := methods[c.Method]
	if !ok || row.era != Both && row.era != c.Era {
		return nil, methodNotFound(c.Method)
	}
	if row.rounds {
		if e := s.readTarget(c); e != nil {
			return nil, e
		}
	}
	r, err := row.serve(s, ctx, c)
	if needs := (*inputRequired)(nil); errors.As(err, &needs) {
		r, err = reply{body: needs.result()}, nil
	}
	if err != nil {
		return nil, err
	}
	return s.dress(c, r), nil
}

// readTarget reads what the three methods that may take rounds have in common.
func (s *Server) readTarget(c *Call) *protocol.Error {
	var p struct {
		Name      string         `json:"name"`
		URI       string         `json:"uri"`
		Arguments jsontext.Value `json:"arguments"`
	}
	if e := bind(c.params, &p); e != nil {
		return e
	}
	c.Name = p.Name
	if c.Method == "resources/read" {
		c.Name = p.URI
	}
	switch p.Arguments.Kind() {
	case '{':
		c.Arguments = p.Arguments
	case 'n', 0: // absent
	default:
		return invalidParams("arguments is not an object")
	}
	if c.Era == Modern {
		r, e := newRounds(c, s.key)
		if e != nil {
			return e
		}
		c.asker = r
	}
	return nil
}

// dress adds to a result what its era asks of it.
func (s *Server) dress(c *Call, r reply) jsontext.Value {
	own := mustObject(r.body.get("_meta"))
	if c.Era == Legacy {
		if c.Method == protocol.MethodCallTool {
			echo := mustObject(jsontext.Value(c.Meta))
			for _, m := range own {
				echo.set(m.name, m.value)
			}
			own = echo
		}
		if own != nil {
			r.body.set("_meta", own)
		}
		return r.body.encode()
	}
	if r.body.get("resultType") == nil {
		r.body.set("resultType", protocol.ResultComplete)
	}
	if r.hint != nil {
		r.body.set("ttlMs", r.hint.TTL.Milliseconds())
		r.body.set("cacheScope", r.hint.Scope)
	}
	own.set(protocol.MetaServerInfo, s.serverInfo())
	r.body.set("_meta", own)
	return r.body.encode()
}

// asFault is the error of the response to c. A missing resource has a code of
// its own in each era.
func asFault(c *Call, err error) *protocol.Error {
	var (
		e     *protocol.Error
		scope *scopeError
	)
	switch {
	case errors.As(err, &e):
	case errors.As(err, &scope):
		return scope.wire()
	case errors.Is(err, context.Canceled):
		return fault(codeCancelled, "request cancelled")
	default:
		return internalError(err.Error())
	}
	out := *e
	if out.Code == protocol.CodeLegacyResourceNotFound {
		if c.Era == Modern {
			out.Code = protocol.CodeInvalidParams
		}
		if out.Data == nil {
			out.Data = mustEncode(map[string]string{"uri": c.Name})
		}
	}
	return &out
}

// respond runs c and returns its response message, and the error inside it.
func (s *Server) respond(ctx context.Context, c *Call) ([]byte, error) {
	result, err := s.dispatch(ctx, c)
	if err != nil {
		if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
			err = cancelFault(context.Cause(ctx))
		}
		return errorMessage(c.id, asFault(c, err)), err
	}
	return resultMessage(c.id, result), nil
}

// cancelFault is the error of a request that was cut off: by its client, or
// by the server.
func cancelFault(cause error) *protocol.Error {
	if errors.Is(cause, context.Canceled) {
		return fault(codeCancelled, "request cancelled")
	}
	return internalError(cause.Error())
}

// deadEnd is the link and the asker of a request that can reach nobody.
type deadEnd struct{}

func (deadEnd) notify(string, any) {}
func (deadEnd) hangUp()            {}
func (deadEnd) ask(context.Context, *Call, []Input) (Answers, error) {
	return nil, errors.New("the client can't be asked on this connection")
}

// traceChecks are the W3C trace-context keys of _meta and what their values
// look like. Others are dropped, not refused.
//
// Source: MCP 2026-07-28, basic, "_meta".
var traceChecks = map[string]*regexp.Regexp{
	"traceparent": regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`),
	"tracestate":  regexp.MustCompile(`^[\x20-\x7e]+$`),
	"baggage":     regexp.MustCompile(`^[\x20-\x7e]+$`),
}

func traceContext(meta protocol.Meta) map[string]string {
	var trace map[string]string
	for key, check := range traceChecks {
		value, ok := jsonString(meta.Get(key))
		if !ok || !check.MatchString(value) {
			continue
		}
		if trace == nil {
			trace = make(map[string]string)
		}
		trace[key] = value
	}
	return trace
}
