package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/handler"
	"github.com/mcpera/mcpera/protocol"
)

// serve runs the program's handler for what a server asks, in whichever era it
// asked. The answer encodes as the result.
func (c *Client) serve(ctx context.Context, method string, params jsontext.Value) (answer any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &HandlerError{Method: method, Err: fmt.Errorf("the handler panicked: %v", p), Stack: debug.Stack()}
		}
	}()
	if len(params) == 0 {
		params = jsontext.Value(`{}`)
	}
	switch method {
	case protocol.MethodCreateMessage:
		return c.serveSampling(ctx, params)
	case protocol.MethodElicit:
		return c.serveElicitation(ctx, params)
	case protocol.MethodListRoots:
		return c.serveRoots(ctx)
	default:
		return nil, &UndeclaredError{Method: method, What: "the method"}
	}
}

// answeredBy gives what a handler returned the form that serve returns.
func answeredBy[T any](method string, result *T, err error) (any, error) {
	switch {
	case err != nil:
		return nil, &HandlerError{Method: method, Err: err}
	case result == nil:
		return nil, &HandlerError{Method: method, Err: errNoAnswer}
	default:
		return result, nil
	}
}

var errNoAnswer = errors.New("the handler returned neither an answer nor an error")

func (c *Client) serveSampling(ctx context.Context, params jsontext.Value) (any, error) {
	const method = protocol.MethodCreateMessage
	h, ok := c.config.handler.(handler.Sampler)
	if !ok {
		return nil, &UndeclaredError{Method: method, What: "sampling"}
	}
	req := new(protocol.CreateMessageRequest)
	if err := json.Unmarshal(params, req); err != nil {
		return nil, &RequestError{Method: method, Err: err}
	}
	if (len(req.Tools.Items) > 0 || req.ToolChoice != nil) && !c.config.capabilities.SamplingTools {
		return nil, &UndeclaredError{Method: method, What: "tools in sampling"}
	}
	if err := checkToolResults(req.Messages); err != nil {
		return nil, &RequestError{Method: method, Err: err}
	}
	result, err := h.CreateMessage(ctx, req)
	return answeredBy(method, result, err)
}

// checkToolResults holds the two rules on tool results: a user message with
// results holds nothing else, and each use of a tool is answered by the next
// message.
//
// Source: MCP 2026-07-28, client/sampling, "Tool Result Messages".
func checkToolResults(messages []protocol.SamplingMessage) error {
	open := map[string]bool{}
	for i, m := range messages {
		results := 0
		uses := map[string]bool{}
		for _, block := range m.Content {
			switch b := block.(type) {
			case *protocol.ToolResultContent:
				results++
				delete(open, b.ToolUseID)
			case *protocol.ToolUseContent:
				uses[b.ID] = true
			}
		}
		if results > 0 && results < len(m.Content) {
			return fmt.Errorf("message %d mixes tool results with other content", i)
		}
		if len(open) > 0 {
			return fmt.Errorf("message %d lacks results for %d uses of tools", i, len(open))
		}
		open = uses
	}
	if len(open) > 0 {
		return fmt.Errorf("the last message uses tools that nothing answers")
	}
	return nil
}

func (c *Client) serveElicitation(ctx context.Context, params jsontext.Value) (any, error) {
	const method = protocol.MethodElicit
	req := new(protocol.ElicitRequest)
	if err := json.Unmarshal(params, req); err != nil {
		return nil, &RequestError{Method: method, Err: err}
	}
	switch req.Mode {
	case "", "form":
		h, ok := c.config.handler.(handler.Elicitor)
		if !ok {
			return nil, &UndeclaredError{Method: method, What: "elicitation by form"}
		}
		result, err := h.Elicit(ctx, req)
		if err == nil && result != nil {
			result, err = completeForm(req, result)
		}
		return answeredBy(method, result, err)
	case "url":
		h, ok := c.config.handler.(handler.URLElicitor)
		if !ok {
			return nil, &UndeclaredError{Method: method, What: "elicitation by URL"}
		}
		if err := checkURL(req.URL); err != nil {
			return nil, &RequestError{Method: method, Err: err}
		}
		result, err := h.ElicitURL(ctx, req)
		if err == nil && result != nil {
			result, err = completeVisit(result)
		}
		return answeredBy(method, result, err)
	default:
		return nil, &UndeclaredError{Method: method, What: "elicitation mode " + protocol.Quote(req.Mode)}
	}
}

// checkURL refuses what no user should be sent to: anything but https, or http
// on this machine, and URLs that hide their host behind a user name.
//
// Source: MCP 2026-07-28, client/elicitation, "Safe URL Handling".
func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "":
		return errors.New("the URL can't be read")
	case u.User != nil:
		return errors.New("the URL carries a user name")
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	default:
		return fmt.Errorf("the URL's scheme %s is not https", protocol.Quote(u.Scheme))
	}
}

func (c *Client) serveRoots(ctx context.Context) (any, error) {
	const method = protocol.MethodListRoots
	h, ok := c.config.handler.(handler.RootsLister)
	if !ok {
		return nil, &UndeclaredError{Method: method, What: "roots"}
	}
	roots, err := h.ListRoots(ctx)
	if err != nil {
		return nil, &HandlerError{Method: method, Err: err}
	}
	for _, root := range roots {
		if err := checkRoot(root.URI); err != nil {
			return nil, &HandlerError{Method: method, Err: err}
		}
	}
	if roots == nil {
		roots = []protocol.Root{}
	}
	return &protocol.ListRootsResult{Roots: roots}, nil
}

// checkRoot refuses what is no file:// URI, and a path that leads elsewhere than
// it seems.
//
// Source: MCP 2026-07-28, client/roots, "Root", "Security Considerations".
func checkRoot(uri string) error {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme != "file" || len(u.Path) == 0 || !strings.Contains(uri, "://"):
		return fmt.Errorf("root %s is not a file:// URI", protocol.Quote(uri))
	case slices.Contains(strings.FieldsFunc(u.Path, isSeparator), ".."):
		return fmt.Errorf(`root %s goes up by ".."`, protocol.Quote(uri))
	default:
		return nil
	}
}

// isSeparator reports whether r separates folders on any system.
func isSeparator(r rune) bool { return r == '/' || r == '\\' }
