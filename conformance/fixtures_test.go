package conformance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

// fixtureCalls are the built-in tools that answer at once, and what they say
// in either era.
var fixtureCalls = map[string]struct {
	arguments, responses, text string
	isError                    bool
}{
	"test_simple_text":       {text: "This is a simple text response for testing."},
	"add_numbers":            {arguments: `{"a":0.5,"b":-2}`, text: "-1.5"},
	"echo":                   {arguments: `{"message":"ünï"}`, text: "ünï"},
	"greet":                  {arguments: `{"name":"Ada"}`, text: "Hello, Ada!"},
	"test_error_handling":    {text: "this tool always fails", isError: true},
	"test_header_params":     {arguments: `{}`, text: "{}"},
	"sleep":                  {arguments: `{"seconds":0}`, text: "Slept."},
	"slow_compute":           {arguments: `{"seconds":0}`, text: "Computed for 0s."},
	"test_tool_with_logging": {text: "Logged."},
	"test_sampling": {arguments: `{"prompt":"Hi?"}`, text: "LLM response: Hi!",
		responses: `"completion":{"role":"assistant","model":"m","content":[{"type":"text","text":"Hi!"}]}`},
	"test_elicitation": {arguments: `{"message":"Who?"}`, text: `User response: action=accept, content={"username":"ada"}`,
		responses: `"contact":{"action":"accept","content":{"username":"ada"}}`},
	"test_elicitation_sep1034_defaults": {text: `Elicitation completed: action=decline, content={}`,
		responses: `"form":{"action":"decline"}`},
	"test_elicitation_sep1330_enums": {text: `Elicitation completed: action=accept, content={"titledSingle":"value1"}`,
		responses: `"form":{"action":"accept","content":{"titledSingle":"value1"}}`},
	"test_streaming_elicitation":                {text: "Waited for Ada", responses: `"user_name":{"action":"accept","content":{"name":"Ada"}}`},
	"test_input_required_result_request_state":  {text: "state-ok", responses: `"confirm":{"action":"accept","content":{"ok":true}}`},
	"test_input_required_result_tampered_state": {text: "integrity-ok: the state is as it was", responses: `"confirm":{"action":"accept"}`},
	"test_input_required_result_list_roots":     {text: "Roots: file:///x", responses: `"client_roots":{"roots":[{"uri":"file:///x"}]}`},
	"test_input_required_result_sampling":       {text: "Paris", responses: `"capital_question":{"role":"assistant","content":{"type":"text","text":"Paris"}}`},
	"test_input_required_result_capabilities": {text: "Got 2 answers.",
		responses: `"elicit_input":{"action":"cancel"},"sample_input":{"role":"assistant","content":{"type":"text","text":"x"}}`},
	"confirm_delete": {arguments: `{"filename":"f"}`, text: "Deleted f.", responses: `"confirm":{"action":"accept","content":{"confirm":true}}`},
	"multi_input":    {text: "Ada went on.", responses: `"name":{"action":"accept","content":{"name":"Ada"}},"confirm":{"action":"accept"}`},
}

func TestFixturesSayTheSameInBothEras(t *testing.T) {
	e := serve(t)
	e.open()
	for name, tc := range fixtureCalls {
		params := `"name":"` + name + `"`
		if tc.arguments != "" {
			params += `,"arguments":` + tc.arguments
		}
		check := func(t *testing.T, result []byte) {
			t.Helper()
			got := decode[protocol.CallToolResult](t, result)
			if got.Text() != tc.text || got.IsError != tc.isError {
				t.Errorf("text %q, isError %v; want %q, %v", got.Text(), got.IsError, tc.text, tc.isError)
			}
		}
		t.Run(name+" modern", func(t *testing.T) {
			a := e.ask("tools/call", name, params+`,"inputResponses":{`+tc.responses+`}`)
			if a.code() != 0 {
				t.Fatalf("body %s", a.Body)
			}
			check(t, a.Msg.Result)
		})
		t.Run(name+" legacy", func(t *testing.T) {
			resp := e.do("POST", legacyBody("tools/call", "{"+params+"}"))
			if resp.Header.Get("Content-Type") != eventStreamType {
				check(t, e.read(resp).Msg.Result)
				return
			}
			es := openEvents(t, resp)
			for {
				m := es.message()
				switch {
				case m.IsResponse():
					check(t, m.Result)
					return
				case m.IsRequest():
					e.reply(m, `"result":`+answerFor(t, m, tc.responses))
				}
			}
		})
	}
}

// answerFor picks the response that fits a request of the server.
func answerFor(t *testing.T, m *protocol.Message, responses string) string {
	t.Helper()
	for _, r := range mustObject([]byte("{" + responses + "}")) {
		if !(Input{Method: m.Method}).fits(r.value) {
			continue
		}
		if schema := string(m.Params); r.name == "confirm" && !strings.Contains(schema, `"confirm"`) && !strings.Contains(schema, `"ok"`) {
			continue
		}
		return string(r.value)
	}
	t.Fatalf("no answer for %s %s", m.Method, m.Params)
	return ""
}

func TestFixturesOfContent(t *testing.T) {
	e := serve(t)
	for name, want := range map[string][]string{
		"test_image_content":          {"image"},
		"test_audio_content":          {"audio"},
		"test_embedded_resource":      {"resource"},
		"test_resource_link":          {"resource_link"},
		"test_multiple_content_types": {"text", "image", "resource"},
	} {
		t.Run(name, func(t *testing.T) {
			result := decode[protocol.CallToolResult](t, e.call(name, "{}").Msg.Result)
			var got []string
			for _, block := range result.Content {
				got = append(got, block.ContentType())
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFixturePrompts(t *testing.T) {
	e := serve(t)
	for name, tc := range map[string]struct{ arguments, has string }{
		"test_simple_prompt":                 {`{}`, "This is a simple prompt for testing."},
		"test_prompt_with_arguments":         {`{"arg1":"x","arg2":"y"}`, "arg1='x', arg2='y'"},
		"test_prompt_with_embedded_resource": {`{"resourceUri":"test://r"}`, `"uri":"test://r"`},
		"test_prompt_with_image":             {`{}`, `"type":"image"`},
	} {
		t.Run(name, func(t *testing.T) {
			a := e.modern("prompts/get", name, `"name":"`+name+`","arguments":`+tc.arguments)
			if !strings.Contains(string(a.result(t, "messages")), tc.has) {
				t.Errorf("body %s", a.Body)
			}
		})
	}
}

func TestFixturesThatMakeChanges(t *testing.T) {
	e := serve(t)
	es := openEvents(t, e.listen(`{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["test://watched-resource"]}`))
	es.message()
	for name, want := range map[string]string{
		"test_trigger_tool_change":     "notifications/tools/list_changed",
		"test_trigger_prompt_change":   "notifications/prompts/list_changed",
		"test_trigger_resource_change": "notifications/resources/list_changed",
		"test_trigger_resource_update": "notifications/resources/updated",
	} {
		t.Run(name, func(t *testing.T) {
			wantText(t, e.call(name, "{}"), "Done.")
			if m := es.message(); m.Method != want {
				t.Errorf("message %s, want %s", m.Method, want)
			}
		})
	}
}

func TestCompletions(t *testing.T) {
	many := make([]string, 150)
	for i := range many {
		many[i] = "value"
	}
	e := serve(t, WithPrompts(Prompt{Name: "many", Arguments: []PromptArgument{{Name: "a", Completions: many}}}),
		WithResourceTemplates(ResourceTemplate{URITemplate: "t://{id}", Name: "t"}))
	for name, tc := range map[string]struct{ ref, argument, value, want string }{
		"by prefix":           {`{"type":"ref/prompt","name":"test_prompt_with_arguments"}`, "arg1", "par", `{"values":["paris","park","party"],"total":3,"hasMore":false}`},
		"of another argument": {`{"type":"ref/prompt","name":"test_prompt_with_arguments"}`, "arg2", "par", `{"values":[],"total":0,"hasMore":false}`},
		"of a template":       {`{"type":"ref/resource","uri":"t://{id}"}`, "id", "", `{"values":[],"total":0,"hasMore":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			a := e.modern("completion/complete", "", `"ref":`+tc.ref+`,"argument":{"name":"`+tc.argument+`","value":"`+tc.value+`"}`)
			if got := string(a.result(t, "completion")); got != tc.want {
				t.Errorf("completion = %s, want %s", got, tc.want)
			}
		})
	}
	t.Run("no more than 100 at once", func(t *testing.T) {
		a := e.modern("completion/complete", "", `"ref":{"type":"ref/prompt","name":"many"},"argument":{"name":"a","value":""}`)
		got := mustObject(a.result(t, "completion"))
		if n := len(decode[[]string](t, got.get("values"))); n != 100 || string(got.get("total")) != "150" || string(got.get("hasMore")) != "true" {
			t.Errorf("%d values, total %s, hasMore %s", n, got.get("total"), got.get("hasMore"))
		}
	})
}
