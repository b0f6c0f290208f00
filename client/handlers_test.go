package client_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// Handlers of one kind each, to be embedded in what a test needs.
type (
	sampler  func(context.Context, *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error)
	elicitor func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error)
	visitor  func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error)
	rooter   func(context.Context) ([]protocol.Root, error)
	hearer   func(method string, params string)
)

func (f sampler) CreateMessage(ctx context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
	return f(ctx, req)
}

func (f elicitor) Elicit(ctx context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	return f(ctx, req)
}

func (f visitor) ElicitURL(ctx context.Context, req *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	return f(ctx, req)
}

func (f rooter) ListRoots(ctx context.Context) ([]protocol.Root, error) { return f(ctx) }

func (f hearer) Notification(_ context.Context, method string, params jsontext.Value) {
	f(method, string(params))
}

// accepts fills every form with the same content.
func accepts(content map[string]any) elicitor {
	return func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
		return &protocol.ElicitResult{Action: protocol.ElicitAccept, Content: content}, nil
	}
}

// says answers every sampling request with the same text.
func says(text string) sampler {
	return func(context.Context, *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
		return &protocol.CreateMessageResult{
			Role: "assistant", Model: "m", Content: protocol.Contents{&protocol.TextContent{Text: text}},
		}, nil
	}
}

// member returns the JSON text at a path of members, "" when it is not there.
func member(t *testing.T, body string, path ...string) string {
	t.Helper()
	value := jsontext.Value(body)
	for _, name := range path {
		var members map[string]jsontext.Value
		if err := json.Unmarshal(value, &members); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if value = members[name]; value == nil {
			return ""
		}
	}
	return string(value)
}

// Inputs that a modern server asks for, by key.
const (
	asksForm     = `{"method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}`
	asksModel    = `{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":10}}`
	asksRoots    = `{"method":"roots/list"}`
	asksToVisit  = `{"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://example.com/"}}`
	asksUnknown  = `{"method":"vendor/ask","params":{}}`
	asksWithTool = `{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}`
)

// inputRequired answers a modern request with questions, and a state unless
// that is "".
func inputRequired(state string, inputs ...string) fault.Answer {
	result := `{"resultType":"input_required"`
	if len(inputs) > 0 {
		var keyed []string
		for i := 0; i < len(inputs); i += 2 {
			keyed = append(keyed, `"`+inputs[i]+`":`+inputs[i+1])
		}
		result += `,"inputRequests":{` + strings.Join(keyed, ",") + `}`
	}
	if state != "" {
		result += `,"requestState":` + state
	}
	return fault.Answer{fault.Result(result + `}`)}
}

// modernCalls is a modern server that answers tools/call with one answer after
// another.
func modernCalls(answers ...fault.Answer) fault.Script {
	return fault.Modern().With(fault.Script{protocol.MethodCallTool: answers})
}

// legacyAsks is a legacy server whose tools/call ends once the client has
// answered a request.
func legacyAsks(method, params string) fault.Script {
	return fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodCallTool: {{
		fault.Stream(),
		fault.Message(`{"jsonrpc":"2.0","id":"asked-1","method":"` + method + `","params":` + params + `}`),
		fault.After(fault.Response),
		fault.Content("done"),
	}}})
}
