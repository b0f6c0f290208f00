package negotiation_test

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/negotiation"
	"github.com/mcpera/mcpera/protocol"
)

// A server that is down says nothing about its era.
func ExampleClassifyProbe() {
	outcome := negotiation.Outcome{Status: 503}
	switch v := negotiation.ClassifyProbe(negotiation.HTTP, outcome, negotiation.Options{}).(type) {
	case negotiation.Legacy:
		fmt.Println("send initialize")
	case negotiation.Retry:
		fmt.Println("ask again later:", v.Reason)
	}
	// Output: ask again later: unavailable
}

func ExampleExplain() {
	outcome := negotiation.Outcome{Status: 404, ContentType: "text/plain", Body: []byte("Invalid session ID")}
	verdict, row := negotiation.Explain(negotiation.HTTP, outcome, negotiation.Options{})
	fmt.Println(verdict)
	fmt.Println(row)
	// Output:
	// legacy
	// HTTP 400, 404 or 405 with a non-modern body
}

func ExampleEraOf() {
	fmt.Println(negotiation.EraOf("2026-07-28"))
	fmt.Println(negotiation.EraOf("2025-11-25"))
	fmt.Println(negotiation.EraOf("2026-02-30"))
	// Output:
	// modern
	// legacy
	// unknown
}

func ExamplePickVersion() {
	fmt.Println(negotiation.PickVersion([]string{"2025-06-18", "2025-11-25"}, nil))
	_, err := negotiation.PickVersion([]string{"2024-11-05"}, nil)
	fmt.Println(err)
	// Output:
	// 2025-11-25 <nil>
	// no common protocol version
}

// An assistant can ask its model and its user.
type assistant struct{}

func (assistant) CreateMessage(context.Context, *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
	return &protocol.CreateMessageResult{Role: "assistant", Model: "echo"}, nil
}

func (assistant) Elicit(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
	return &protocol.ElicitResult{Action: protocol.ElicitDecline}, nil
}

func ExampleClientCapabilities() {
	for _, handler := range []any{assistant{}, nil} {
		declared, err := json.Marshal(negotiation.ClientCapabilities(handler, negotiation.CapabilityOptions{}))
		fmt.Println(string(declared), err)
	}
	// Output:
	// {"sampling":{},"elicitation":{}} <nil>
	// {} <nil>
}
