package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpera/mcpera/protocol"
)

// legacyAskingTools are those that the legacy half of the official suite asks
// for. They work in the modern era too.
func legacyAskingTools() []Tool {
	return []Tool{
		{Definition: define("test_sampling", "Asks the client's model.",
			`{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`), Run: sample},
		{Definition: define("test_elicitation", "Asks the user for a name and an address.",
			`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`), Run: elicitContact},
		{Definition: define("test_elicitation_sep1034_defaults", "Asks the user, with a default for every field.", ""),
			Run: elicits("Please check the defaults.", defaultsSchema)},
		{Definition: define("test_elicitation_sep1330_enums", "Asks the user to choose, in every form of choice.", ""),
			Run: elicits("Please choose.", enumsSchema)},
		{Definition: define("test_elicitation_url", "Asks the user to visit a page.", ""), Run: elicitVisit},
		{Definition: define("test_list_roots", "Asks for the client's roots.", ""), Run: listClientRoots},
	}
}

const (
	contactSchema = `{"type":"object","properties":{
		"username":{"type":"string","description":"User's response"},
		"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`
	defaultsSchema = `{"type":"object","properties":{
		"name":{"type":"string","description":"Name","default":"John Doe"},
		"age":{"type":"integer","description":"Age","default":30},
		"score":{"type":"number","description":"Score","default":95.5},
		"status":{"type":"string","description":"Status","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","description":"Verified","default":true}},"required":[]}`
	enumsSchema = `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[
			{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[
			{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}},
		"required":[]}`
)

func sample(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	var p struct {
		Prompt string `json:"prompt"`
	}
	if err := c.Bind(&p); err != nil {
		return nil, err
	}
	answers, err := c.Ask(ctx, Sample("completion", p.Prompt, 100))
	if err != nil {
		return nil, err
	}
	return Text("LLM response: " + answers.Message("completion").Content.Text()), nil
}

func elicitContact(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	var p struct {
		Message string `json:"message"`
	}
	if err := c.Bind(&p); err != nil {
		return nil, err
	}
	answers, err := c.Ask(ctx, Elicit("contact", p.Message, contactSchema))
	if err != nil {
		return nil, err
	}
	return Text("User response: " + describeElicitation(answers.Elicitation("contact"))), nil
}

// elicits asks one question and tells the answer.
func elicits(message, schema string) Run {
	return func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
		answers, err := c.Ask(ctx, Elicit("form", message, schema))
		if err != nil {
			return nil, err
		}
		return Text("Elicitation completed: " + describeElicitation(answers.Elicitation("form"))), nil
	}
}

func describeElicitation(r protocol.ElicitResult) string {
	return fmt.Sprintf("action=%s, content=%s", r.Action, mustEncode(r.Content))
}

func elicitVisit(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	answers, err := c.Ask(ctx, ElicitURL("visit", "Please sign in.", "https://example.com/sign-in"))
	if err != nil {
		return nil, err
	}
	return Text("Visit: " + answers.Elicitation("visit").Action), nil
}

func listClientRoots(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	answers, err := c.Ask(ctx, ListRoots("client_roots"))
	if err != nil {
		return nil, err
	}
	return Text(describeRoots(answers.Roots("client_roots"))), nil
}

func describeRoots(roots []protocol.Root) string {
	uris := make([]string, len(roots))
	for i, root := range roots {
		uris[i] = root.URI
	}
	return "Roots: " + strings.Join(uris, ", ")
}

// roundTools are those that the official suite asks for to see input_required
// results. In the legacy era they send requests instead.
func roundTools() []Tool {
	capital := Sample("capital_question", "What is the capital of France?", 100)
	confirm := Elicit("confirm", "Please confirm", `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`)
	greeting := Sample("greeting", "Generate a greeting", 50)
	return []Tool{
		{Definition: define("test_input_required_result_elicitation", "Asks for a name.", ""),
			Run: asks(func(a Answers) string { return "Hello, " + field(a, "user_name", "name") + "!" }, askName("user_name", "What is your name?"))},
		{Definition: define("test_input_required_result_sampling", "Asks the model a question.", ""),
			Run: asks(func(a Answers) string { return a.Message("capital_question").Content.Text() }, capital)},
		{Definition: define("test_input_required_result_list_roots", "Asks for roots.", ""),
			Run: asks(func(a Answers) string { return describeRoots(a.Roots("client_roots")) }, ListRoots("client_roots"))},
		{Definition: define("test_input_required_result_request_state", "Checks the state that comes back.", ""),
			Run: asks(func(Answers) string { return "state-ok" }, confirm)},
		{Definition: define("test_input_required_result_tampered_state", "Refuses a state that was changed.", ""),
			Run: asks(func(Answers) string { return "integrity-ok: the state is as it was" }, confirm)},
		{Definition: define("test_input_required_result_multiple_inputs", "Asks three things at once.", ""),
			Run: asks(func(a Answers) string {
				return a.Message("greeting").Content.Text() + " " + field(a, "user_name", "name") + ". " + describeRoots(a.Roots("client_roots"))
			}, askName("user_name", "What is your name?"), greeting, ListRoots("client_roots"))},
		{Definition: define("test_input_required_result_multi_round", "Asks twice, one after the other.", ""), Run: askTwice},
		{Definition: define("test_input_required_result_capabilities", "Asks only what the client can answer.", ""),
			Run: askWhatIsSupported(askName("elicit_input", "Elicitation input"), Sample("sample_input", "Sample request", 50))},
		{Definition: define("test_missing_capability", "Needs a client with sampling.", ""),
			Run: asks(func(a Answers) string { return a.Message("capital_question").Content.Text() }, capital)},
	}
}

// asks asks everything at once and makes a text of the answers.
func asks(tell func(Answers) string, inputs ...Input) Run {
	return func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
		answers, err := c.Ask(ctx, inputs...)
		if err != nil {
			return nil, err
		}
		return Text(tell(answers)), nil
	}
}

func askTwice(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	first, err := c.Ask(ctx, askName("step1", "Step 1: What is your name?"))
	if err != nil {
		return nil, err
	}
	second, err := c.Ask(ctx, Elicit("step2", "Step 2: What is your favorite color?",
		`{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`))
	if err != nil {
		return nil, err
	}
	return Text(field(first, "step1", "name") + " likes " + field(second, "step2", "color")), nil
}

func askWhatIsSupported(inputs ...Input) Run {
	return func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
		supported := slices.DeleteFunc(slices.Clone(inputs), func(in Input) bool { return !c.Supports(in) })
		answers, err := c.Ask(ctx, supported...)
		if err != nil {
			return nil, err
		}
		return Text(fmt.Sprintf("Got %d answers.", len(answers))), nil
	}
}
