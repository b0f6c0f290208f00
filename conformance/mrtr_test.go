package conformance

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

const everyCap = `{"sampling":{},"elicitation":{},"roots":{}}`

// ask sends a modern request by a client that can answer everything.
func (e *endpoint) ask(method, name, members string) answer {
	e.t.Helper()
	return e.post(modernBody(method, members, everyCap), modernHeaders(method, name)...)
}

// round calls a tool with what came of earlier rounds.
func (e *endpoint) round(tool, more string) answer {
	e.t.Helper()
	members := `"name":"` + tool + `"`
	if more != "" {
		members += "," + more
	}
	return e.ask("tools/call", tool, members)
}

func wantInput(t *testing.T, a answer, requests string) (state string) {
	t.Helper()
	if got := string(a.result(t, "resultType")); got != `"input_required"` {
		t.Fatalf("resultType = %s: %s", got, a.Body)
	}
	if got := string(a.result(t, "inputRequests")); got != requests {
		t.Errorf("inputRequests = %s, want %s", got, requests)
	}
	if a.result(t, "ttlMs") != nil || a.result(t, "cacheScope") != nil {
		t.Error("an input_required result has a cache hint")
	}
	state, _ = jsonString(a.result(t, "requestState"))
	if state == "" {
		t.Error("no requestState")
	}
	return state
}

func wantText(t *testing.T, a answer, want string) {
	t.Helper()
	if got := string(a.result(t, "resultType")); got != `"complete"` {
		t.Fatalf("resultType = %s: %s", got, a.Body)
	}
	if got := decode[protocol.CallToolResult](t, a.Msg.Result); got.Text() != want {
		t.Errorf("text %q, want %q", got.Text(), want)
	}
}

const (
	askStep1 = `{"step1":{"method":"elicitation/create","params":{"message":"Step 1: What is your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}}`
	askStep2 = `{"step2":{"method":"elicitation/create","params":{"message":"Step 2: What is your favorite color?","requestedSchema":{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}}}}`
	step1    = `"inputResponses":{"step1":{"action":"accept","content":{"name":"Ada"}}}`
	step2    = `"inputResponses":{"step2":{"action":"accept","content":{"color":"blue"}}}`
)

func withState(state, more string) string { return `"requestState":"` + state + `",` + more }

func TestSeveralRounds(t *testing.T) {
	const multi = "test_input_required_result_multi_round"
	e := serve(t)
	first := wantInput(t, e.round(multi, ""), askStep1)
	second := wantInput(t, e.round(multi, withState(first, step1)), askStep2)
	if first == second {
		t.Error("the state did not change between rounds")
	}
	t.Run("the state carries the answers of earlier rounds", func(t *testing.T) {
		wantText(t, e.round(multi, withState(second, step2)), "Ada likes blue")
	})
	t.Run("without the state the first round begins again", func(t *testing.T) {
		wantInput(t, e.round(multi, step2), askStep1)
	})
	t.Run("a round without answers is asked again", func(t *testing.T) {
		wantInput(t, e.round(multi, withState(second, `"inputResponses":{}`)), askStep2)
	})
	t.Run("the client may bring every answer at once", func(t *testing.T) {
		both := `"inputResponses":{"step1":{"action":"accept","content":{"name":"Bo"}},"step2":{"action":"accept","content":{"color":"red"}}}`
		wantText(t, e.round(multi, both), "Bo likes red")
	})
}

func TestSeveralInputs(t *testing.T) {
	const multiple = "test_input_required_result_multiple_inputs"
	e := serve(t)
	a := e.round(multiple, "")
	if got := len(mustObject(a.result(t, "inputRequests"))); got != 3 {
		t.Fatalf("%d input requests: %s", got, a.Body)
	}
	t.Run("a part of the answers is kept and the rest asked again", func(t *testing.T) {
		a := e.round(multiple, `"inputResponses":{"client_roots":{"roots":[{"uri":"file:///x"}]},"user_name":{"action":"accept","content":{"name":"Ada"}}}`)
		left := mustObject(a.result(t, "inputRequests"))
		if len(left) != 1 || left.get("greeting") == nil {
			t.Fatalf("left: %s", left.encode())
		}
		state, _ := jsonString(a.result(t, "requestState"))
		greeting := `"inputResponses":{"greeting":{"role":"assistant","model":"m","content":{"type":"text","text":"Hello"}}}`
		wantText(t, e.round(multiple, withState(state, greeting)), "Hello Ada. Roots: file:///x")
	})
}

func TestAnswersThatDoNotFit(t *testing.T) {
	const elicit = "test_input_required_result_elicitation"
	e := serve(t)
	for name, tc := range map[string]struct {
		tool, more string
		code       int64
	}{
		"a number for an elicitation": {elicit, `"inputResponses":{"user_name":12345}`, -32602},
		"an unknown action":           {elicit, `"inputResponses":{"user_name":{"action":"maybe"}}`, -32602},
		"content that is no object":   {elicit, `"inputResponses":{"user_name":{"action":"accept","content":[]}}`, -32602},
		"no role in a message":        {"test_input_required_result_sampling", `"inputResponses":{"capital_question":{"content":{}}}`, -32602},
		"no list in roots":            {"test_input_required_result_list_roots", `"inputResponses":{"client_roots":{}}`, -32602},
		"answers that are null":       {elicit, `"inputResponses":null`, -32602},
		"answers that are a list":     {elicit, `"inputResponses":[]`, -32602},
		"a state that is no string":   {elicit, `"requestState":7`, -32602},
		"a state of the client's own": {elicit, `"requestState":"eyJ9.AAAA"`, -32602},
		"an empty state":              {elicit, `"requestState":""`, -32602},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			if a := e.round(tc.tool, tc.more); a.Status != 200 || a.code() != tc.code {
				t.Errorf("status %d, body %s", a.Status, a.Body)
			}
		})
	}
	t.Run("a key that nobody asked for is ignored", func(t *testing.T) {
		wantText(t, e.round(elicit, `"inputResponses":{"other":7,"user_name":{"action":"cancel"}}`), "Hello, nobody (cancel)!")
	})
	t.Run("a wrong key is asked again", func(t *testing.T) {
		if a := e.round(elicit, `"inputResponses":{"wrong":{}}`); string(a.result(t, "resultType")) != `"input_required"` {
			t.Errorf("body %s", a.Body)
		}
	})
}

func TestRoundsOnPromptsAndResources(t *testing.T) {
	e := serve(t)
	a := e.ask("prompts/get", "test_input_required_result_prompt", `"name":"test_input_required_result_prompt"`)
	state, _ := jsonString(a.result(t, "requestState"))
	a = e.ask("prompts/get", "test_input_required_result_prompt", `"name":"test_input_required_result_prompt",`+
		withState(state, `"inputResponses":{"user_context":{"action":"accept","content":{"context":"tea"}}}`))
	if !strings.Contains(string(a.result(t, "messages")), "Use this context: tea") {
		t.Errorf("prompt: %s", a.Body)
	}
	a = e.ask("resources/read", "test://input-required", `"uri":"test://input-required"`)
	state, _ = jsonString(a.result(t, "requestState"))
	a = e.ask("resources/read", "test://input-required", `"uri":"test://input-required",`+
		withState(state, `"inputResponses":{"user_name":{"action":"accept","content":{"name":"Ada"}}}`))
	if !strings.Contains(string(a.result(t, "contents")), "For Ada.") || string(a.result(t, "ttlMs")) != "60000" {
		t.Errorf("resource: %s", a.Body)
	}
}

func TestOnlyDeclaredCapabilitiesAreAskedFor(t *testing.T) {
	e := serve(t)
	call := func(tool, caps string) answer {
		return e.post(modernBody("tools/call", `"name":"`+tool+`"`, caps), modernHeaders("tools/call", tool)...)
	}
	for name, tc := range map[string]struct{ tool, caps, required string }{
		"elicitation":     {"test_input_required_result_elicitation", `{"sampling":{}}`, `{"elicitation":{}}`},
		"forms, not URLs": {"test_input_required_result_elicitation", `{"elicitation":{"url":{}}}`, `{"elicitation":{}}`},
		"URLs, not forms": {"test_elicitation_url", `{"elicitation":{}}`, `{"elicitation":{"url":{}}}`},
		"sampling":        {"test_input_required_result_sampling", `{}`, `{"sampling":{}}`},
		"roots":           {"test_input_required_result_list_roots", `{"sampling":{},"elicitation":{}}`, `{"roots":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			a := call(tc.tool, tc.caps)
			if a.Status != 400 || a.code() != -32021 || string(a.Msg.Error.Data) != `{"requiredCapabilities":`+tc.required+`}` {
				t.Errorf("status %d, body %s", a.Status, a.Body)
			}
		})
	}
	t.Run("a tool may ask for less", func(t *testing.T) {
		left := mustObject(call("test_input_required_result_capabilities", `{"sampling":{}}`).result(t, "inputRequests"))
		if len(left) != 1 || left.get("sample_input") == nil {
			t.Errorf("asked for %s", left.encode())
		}
	})
	t.Run("a URL elicitation has no id of its own", func(t *testing.T) {
		got := string(call("test_elicitation_url", `{"elicitation":{"url":{}}}`).result(t, "inputRequests"))
		if strings.Contains(got, "elicitationId") || !strings.Contains(got, `"mode":"url"`) {
			t.Errorf("asked for %s", got)
		}
	})
}

func TestAStateIsGoodOnlyForWhatItWasGivenOutFor(t *testing.T) {
	now := time.Now()
	key := newStateKey("seed")
	call := func(change func(*Call)) *Call {
		c := &Call{Method: "tools/call", Name: "t", Arguments: jsontext.Value(`{"a":1,"b":2}`), Principal: Principal{Name: "alice"}}
		if change != nil {
			change(c)
		}
		return c
	}
	sealed := key.seal(requestState{Request: digest(call(nil)), Principal: "alice", Round: 1, Expires: now.Add(stateTTL).UnixMilli()})
	for name, tc := range map[string]struct {
		text   string
		change func(*Call)
		key    stateKey
		after  time.Duration
		want   bool
	}{
		"the same request":                  {want: true},
		"arguments in another order":        {change: func(c *Call) { c.Arguments = jsontext.Value(`{"b":2, "a":1.0}`) }, want: true},
		"a millisecond before it expires":   {after: stateTTL - time.Millisecond, want: true},
		"the moment it expires":             {after: stateTTL},
		"another server with the same seed": {key: newStateKey("seed"), want: true},
		"another server with another seed":  {key: newStateKey("other")},
		"a server without a seed":           {key: newStateKey("")},
		"another method":                    {change: func(c *Call) { c.Method = "prompts/get" }},
		"another tool":                      {change: func(c *Call) { c.Name = "u" }},
		"other arguments":                   {change: func(c *Call) { c.Arguments = jsontext.Value(`{"a":1,"b":3}`) }},
		"another principal":                 {change: func(c *Call) { c.Principal.Name = "bob" }},
		"text added at the end":             {text: sealed + "-TAMPERED"},
		"a letter changed":                  {text: "x" + sealed[1:]},
		"no signature":                      {text: strings.Split(sealed, ".")[0]},
		"an empty signature":                {text: strings.Split(sealed, ".")[0] + "."},
	} {
		t.Run(name, func(t *testing.T) {
			text, opener := tc.text, tc.key
			if text == "" {
				text = sealed
			}
			if opener == nil {
				opener = key
			}
			if _, ok := opener.open(text, call(tc.change), now.Add(tc.after)); ok != tc.want {
				t.Errorf("open = %v, want %v", ok, tc.want)
			}
		})
	}
}

func TestAskMayBeUsedByGoroutinesOfATool(t *testing.T) {
	e := serve(t, WithTools(tool("two_at_once", func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
		errs := make(chan error, 2)
		for _, key := range []string{"a", "b"} {
			go func() {
				_, err := c.Ask(ctx, askName(key, key))
				errs <- err
			}()
		}
		if err := <-errs; err != nil {
			<-errs
			return nil, err
		}
		return Text("both"), <-errs
	})))
	both := `"inputResponses":{"a":{"action":"cancel"},"b":{"action":"cancel"}}`
	wantText(t, e.round("two_at_once", both), "both")
}
