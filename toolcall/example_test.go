package toolcall_test

import (
	"fmt"
	"log"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/toolcall"
)

// One turn of an agent: the model is told of a tool, asks for it, and is told
// what came of it.
func Example() {
	listed := &protocol.Tool{ // by Client.Tools, or a fleet's
		Name: "add", Description: "Adds two numbers.", InputSchema: jsontext.Value(`{"type":"object"}`),
	}
	definitions, err := toolcall.Anthropic.Tools([]toolcall.Tool{toolcall.Of("math__add", listed)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(definitions) // for the request's "tools"

	answer := jsontext.Value(`{"role":"assistant","content":[
		{"type":"tool_use","id":"1","name":"math__add","input":{"a":2,"b":3}}]}`)
	calls, err := toolcall.Anthropic.Calls(answer)
	if err != nil {
		log.Fatal(err)
	}
	for _, call := range calls {
		fmt.Println(call.Name, call.Arguments)
		result := conformance.Text("5") // by CallTool; Failure(err) where that fails
		block, err := toolcall.Anthropic.Result(call, result)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(block) // for the next request
	}
	// Output:
	// [{"name":"math__add","description":"Adds two numbers.","input_schema":{"type":"object"}}]
	// math__add {"a":2,"b":3}
	// {"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"5"}]}
}
