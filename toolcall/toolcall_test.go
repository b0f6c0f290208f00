package toolcall_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/toolcall"
)

var formats = map[string]struct {
	format toolcall.Format
	tools  string // of weather, and of ping, which has no schema
	answer string // asks for weather in a text and a call
	result string // of a tool that said "cold"
	failed string // of a tool that failed with "no such city"
}{
	"Anthropic": {
		format: toolcall.Anthropic,
		tools: `[{"name":"weather","description":"Says it.","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}},` +
			`{"name":"ping","input_schema":{"type":"object","properties":{}}}]`,
		answer: `{"role":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"c1","name":"weather","input":{"city":"Oslo","n":9007199254740993}}]}`,
		result: `{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"cold"}]}`,
		failed: `{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"no such city"}],"is_error":true}`,
	},
	"OpenAI chat": {
		format: toolcall.OpenAIChat,
		tools: `[{"type":"function","function":{"name":"weather","description":"Says it.","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}},` +
			`{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{}}}}]`,
		answer: `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\",\"n\":9007199254740993}"}}]}`,
		result: `{"role":"tool","tool_call_id":"c1","content":"cold"}`,
		failed: `{"role":"tool","tool_call_id":"c1","content":"Error: no such city"}`,
	},
	"OpenAI responses": {
		format: toolcall.OpenAIResponses,
		tools: `[{"type":"function","name":"weather","description":"Says it.","parameters":{"type":"object","properties":{"city":{"type":"string"}}},"strict":false},` +
			`{"type":"function","name":"ping","parameters":{"type":"object","properties":{}},"strict":false}]`,
		answer: `{"output":[{"type":"reasoning"},{"type":"function_call","id":"fc","call_id":"c1","name":"weather","arguments":"{\"city\":\"Oslo\",\"n\":9007199254740993}"}]}`,
		result: `{"type":"function_call_output","call_id":"c1","output":"cold"}`,
		failed: `{"type":"function_call_output","call_id":"c1","output":"Error: no such city"}`,
	},
	"Gemini": {
		format: toolcall.Gemini,
		tools: `[{"functionDeclarations":[{"name":"weather","description":"Says it.","parametersJsonSchema":{"type":"object","properties":{"city":{"type":"string"}}}},` +
			`{"name":"ping","parametersJsonSchema":{"type":"object","properties":{}}}]}]`,
		answer: `{"role":"model","parts":[{"text":"Let me see."},{"functionCall":{"id":"c1","name":"weather","args":{"city":"Oslo","n":9007199254740993}}}]}`,
		result: `{"functionResponse":{"id":"c1","name":"weather","response":{"output":"cold"}}}`,
		failed: `{"functionResponse":{"id":"c1","name":"weather","response":{"error":"no such city"}}}`,
	},
}

// B-TOL-03: a model is told that a tool failed, and why.
func TestEachFormatIsWhatItsAPITakes(t *testing.T) {
	weather := &protocol.Tool{
		Name: "weather", Description: "Says it.",
		InputSchema: jsontext.Value(`{"type":"object","properties":{"city":{"type":"string"}}}`),
	}
	tools := []toolcall.Tool{toolcall.Of("weather", weather), toolcall.Of("ping", &protocol.Tool{Name: "ping"})}
	cold := &protocol.CallToolResult{Content: protocol.Contents{&protocol.TextContent{Text: "cold"}}}
	for name, tc := range formats {
		t.Run(name, func(t *testing.T) {
			got, err := tc.format.Tools(tools)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.tools, string(got)); diff != "" {
				t.Errorf("Tools (-want +got):\n%s", diff)
			}
			calls, err := tc.format.Calls(jsontext.Value(tc.answer))
			if err != nil {
				t.Fatal(err)
			}
			want := []toolcall.Call{{ID: "c1", Name: "weather", Arguments: jsontext.Value(`{"city":"Oslo","n":9007199254740993}`)}}
			if diff := cmp.Diff(want, calls); diff != "" {
				t.Fatalf("Calls (-want +got):\n%s", diff)
			}
			for want, result := range map[string]*protocol.CallToolResult{
				tc.result: cold,
				tc.failed: toolcall.Failure(errors.New("no such city")),
			} {
				got, err := tc.format.Result(calls[0], result)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, string(got)); diff != "" {
					t.Errorf("Result (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestAnAnswerOfTextAloneHasNoCalls(t *testing.T) {
	for name, tc := range formats {
		for _, answer := range []string{`{"role":"assistant","content":"Hello."}`, `{}`, `[]`, `{"content":[{"type":"text","text":"x"}],"parts":[{"text":"x"}]}`} {
			if calls, err := tc.format.Calls(jsontext.Value(answer)); len(calls) > 0 || err != nil {
				t.Errorf("%s: Calls(%s) = %v, %v", name, answer, calls, err)
			}
		}
	}
}

func TestBrokenArgumentsDoNotHideOtherCalls(t *testing.T) {
	calls, err := toolcall.OpenAIChat.Calls(jsontext.Value(
		`{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{\"city\":"}},{"id":"b","function":{"name":"y","arguments":""}}]}`))
	var broken *toolcall.ArgumentsError
	if !errors.As(err, &broken) || broken.Tool != "x" {
		t.Errorf("Calls gave error %v, want an *ArgumentsError for x", err)
	}
	want := []toolcall.Call{{ID: "b", Name: "y", Arguments: jsontext.Value(`{}`)}}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImagesReachAnthropicModels(t *testing.T) {
	got, err := toolcall.Anthropic.Result(toolcall.Call{ID: "c1"}, &protocol.CallToolResult{
		Content: protocol.Contents{&protocol.ImageContent{MIMEType: "image/png", Data: []byte("png")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"tool_result","tool_use_id":"c1","content":[` +
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
