package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// ownMethods are what a Client sends by itself, by the name of what to call.
var ownMethods = map[string]string{
	protocol.MethodInitialize: "Connect", protocol.MethodDiscover: "Connect", protocol.MethodListen: "Subscribe",
	protocol.MethodSubscribe: "Subscribe", protocol.MethodUnsubscribe: "Subscribe",
	protocol.MethodListTools: "ListTools", protocol.MethodCallTool: "CallTool",
	protocol.MethodListPrompts: "ListPrompts", protocol.MethodGetPrompt: "GetPrompt",
	protocol.MethodListResources: "ListResources", protocol.MethodReadResource: "ReadResource",
	protocol.MethodListResourceTemplates: "ListResourceTemplates",
	protocol.MethodComplete:              "Complete", protocol.MethodPing: "Ping", protocol.MethodSetLevel: "SetLogLevel",
	protocol.MethodGetTask: "StartTool", protocol.MethodUpdateTask: "StartTool", protocol.MethodCancelTask: "StartTool",
}

// Request sends a request whose method a Client knows nothing of, one of an extension
// say, and returns the result as it came. params is what encodes as a JSON object, as
// for CallTool; nil stands for none. It is sent once, unless it certainly never
// reached the server, and its result is not kept. A method that the Client has a Go
// method for is an error: what it keeps in mind, such as headers and subscriptions,
// would be lost.
//
// Source: MCP 2026-07-28, basic/versioning, "Extension Negotiation".
func (c *Client) Request(ctx context.Context, method string, params any, opts ...CallOption) (jsontext.Value, error) {
	if instead := ownMethods[method]; instead != "" {
		return nil, fmt.Errorf("%s is sent by %s", method, instead)
	}
	if method == "" || strings.ContainsFunc(method, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("method %s: it must be ASCII without blanks", protocol.Quote(method))
	}
	if strings.HasPrefix(method, "notifications/") {
		return nil, errors.New(method + " is no request: nothing would answer it")
	}
	encoded, err := encodeObject("params", params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	var with struct {
		Meta jsontext.Value `json:"_meta"`
	}
	if err := json.Unmarshal(encoded, &with); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	if with.Meta != nil {
		return nil, fmt.Errorf("%s: _meta is given by the option Meta", method)
	}
	var result jsontext.Value
	if err := c.do(ctx, &call{method: method, params: encodedParams(encoded)}, &result, opts); err != nil {
		return nil, err
	}
	return result, nil
}
