package conformance

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// An Input is one thing to ask the client for: an elicitation, a completion or
// its roots.
type Input struct {
	Key    string // names the answer; unique within a request
	Method string
	Params jsontext.Value
}

// Elicit asks the user to fill a form. Schema is a flat object schema.
func Elicit(key, message, schema string) Input {
	return Input{key, protocol.MethodElicit, mustEncode(protocol.ElicitRequest{
		Message: message, RequestedSchema: jsontext.Value(schema),
	})}
}

// ElicitURL asks the user to visit a URL.
func ElicitURL(key, message, url string) Input {
	return Input{key, protocol.MethodElicit, mustEncode(protocol.ElicitRequest{
		Mode: "url", Message: message, URL: url,
	})}
}

// Sample asks the client's model to answer one user message.
func Sample(key, prompt string, maxTokens int) Input {
	type message struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"` // one block: every version takes that
	}
	return Input{key, protocol.MethodCreateMessage, mustEncode(struct {
		Messages  []message `json:"messages"`
		MaxTokens int       `json:"maxTokens"`
	}{[]message{{"user", oneBlock(&protocol.TextContent{Text: prompt})}}, maxTokens})}
}

// ListRoots asks for the client's roots.
func ListRoots(key string) Input {
	return Input{key, protocol.MethodListRoots, jsontext.Value("{}")}
}

// Answers are a client's answers, by the key of their inputs.
type Answers map[string]jsontext.Value

// Elicitation returns the answer to an elicitation; zero when there is none.
func (a Answers) Elicitation(key string) (r protocol.ElicitResult) {
	_ = json.Unmarshal(a[key], &r) // checked on arrival
	return r
}

// Message returns the answer to a sampling request; zero when there is none.
func (a Answers) Message(key string) (r protocol.CreateMessageResult) {
	_ = json.Unmarshal(a[key], &r) // checked on arrival
	return r
}

// Roots returns the client's roots.
func (a Answers) Roots(key string) []protocol.Root {
	var r protocol.ListRootsResult
	_ = json.Unmarshal(a[key], &r) // checked on arrival
	return r.Roots
}

// Supports reports whether the client declared what answering in takes.
func (c *Call) Supports(in Input) bool {
	switch in.Method {
	case protocol.MethodElicit:
		e := c.Capabilities.Elicitation
		if e == nil {
			return false
		}
		if mode, _ := jsonString(mustObject(in.Params).get("mode")); mode == "url" {
			return e.URL != nil
		}
		return e.Form != nil || e.URL == nil // naming no mode means forms
	case protocol.MethodCreateMessage:
		return c.Capabilities.Sampling != nil
	case protocol.MethodListRoots:
		return c.Capabilities.Roots != nil
	default:
		return false
	}
}

// Ask gets the client's answers to inputs, the same way for the caller in
// both eras and inside a task. In the legacy era, and inside a task, it waits
// for the client until ctx ends. In the modern era a request without the
// answers ends in an input_required result and the client sends it again, so
// the code before Ask runs once per round. The caller must return the error of
// Ask as it is.
// An input that the client did not declare support for is an error: -32021 in
// the modern era.
func (c *Call) Ask(ctx context.Context, inputs ...Input) (Answers, error) {
	for _, in := range inputs {
		if c.Supports(in) {
			continue
		}
		if c.Era == Modern {
			return nil, missingCapability(capabilityFor(in))
		}
		return nil, fmt.Errorf("the client did not declare support for %s", in.Method)
	}
	return c.asker.ask(ctx, c, inputs)
}

// capabilityFor is what a client must declare to be asked for in.
func capabilityFor(in Input) (caps protocol.ClientCapabilities) {
	switch in.Method {
	case protocol.MethodElicit:
		caps.Elicitation = &protocol.ElicitationCapability{}
		if mode, _ := jsonString(mustObject(in.Params).get("mode")); mode == "url" {
			caps.Elicitation.URL = &protocol.Declared{}
		}
	case protocol.MethodCreateMessage:
		caps.Sampling = &protocol.SamplingCapability{}
	case protocol.MethodListRoots:
		caps.Roots = &protocol.RootsCapability{}
	}
	return caps
}

// fits reports whether an answer has the shape that its input asks for.
func (in Input) fits(answer jsontext.Value) bool {
	members, err := parseObject(answer)
	if err != nil || answer.Kind() != '{' {
		return false
	}
	switch in.Method {
	case protocol.MethodElicit:
		action, _ := jsonString(members.get("action"))
		content := members.get("content")
		switch action {
		case protocol.ElicitAccept:
			return content == nil || content.Kind() == '{'
		case protocol.ElicitDecline, protocol.ElicitCancel:
			return true
		}
		return false
	case protocol.MethodCreateMessage:
		return members.get("role").Kind() == '"' && members.get("content") != nil
	case protocol.MethodListRoots:
		return members.get("roots").Kind() == '['
	default:
		return false
	}
}

// legacyParams are the parameters as a legacy client wants them: the visit to
// a URL has an id of its own there.
func (in Input) legacyParams() jsontext.Value {
	params := mustObject(in.Params)
	if params.get("url") == nil {
		return in.Params
	}
	params.set("elicitationId", in.Key)
	return params.encode()
}

// wire is the input as a member of inputRequests.
func (in Input) wire() object {
	var o object
	o.set("method", in.Method)
	o.set("params", in.Params)
	return o
}

func inputRequests(inputs []Input) object {
	o := object{}
	for _, in := range inputs {
		o.set(in.Key, in.wire())
	}
	return o
}

func mustObject(v jsontext.Value) object {
	o, err := parseObject(v)
	if err != nil {
		panic("conformance: " + err.Error())
	}
	return o
}

// oneBlock encodes a block outside a list.
func oneBlock(block protocol.Content) jsontext.Value {
	list := mustEncode(protocol.Contents{block})
	return list[1 : len(list)-1]
}
