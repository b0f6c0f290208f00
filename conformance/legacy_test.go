package conformance

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

// stream opens the GET stream of the session.
func (e *endpoint) stream(headers ...string) *events {
	e.t.Helper()
	return openEvents(e.t, e.do("GET", "", append([]string{"Accept", eventStreamType}, headers...)...))
}

// reply answers a request of the server.
func (e *endpoint) reply(m *protocol.Message, result string) {
	e.t.Helper()
	a := e.post(`{"jsonrpc":"2.0","id":` + m.ID.String() + `,` + result + `}`)
	if a.Status != http.StatusAccepted {
		e.t.Errorf("a response was answered %d", a.Status)
	}
}

func TestInitializeNegotiatesLegacyVersionsOnly(t *testing.T) {
	e := serve(t)
	for asked, want := range map[string]string{
		"2025-11-25": "2025-11-25",
		"2025-06-18": "2025-06-18",
		"2026-07-28": "2025-11-25", // modern versions have no handshake
		"2024-11-05": "2025-11-25",
		"nonsense":   "2025-11-25",
	} {
		t.Run(asked, func(t *testing.T) {
			a := e.post(strings.Replace(initializeBody, "2025-11-25", asked, 1))
			if got := string(a.result(t, "protocolVersion")); got != `"`+want+`"` {
				t.Errorf("protocolVersion = %s, want %s", got, want)
			}
			id := a.Header.Get(headerSession)
			if id == "" || strings.ContainsFunc(id, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
				t.Errorf("session id %q", id)
			}
		})
	}
	t.Run("without a version it is -32602 and opens nothing", func(t *testing.T) {
		a := e.post(legacyBody("initialize", "{}"))
		if a.code() != -32602 || a.Header.Get(headerSession) != "" {
			t.Errorf("body %s, session %q", a.Body, a.Header.Get(headerSession))
		}
	})
}

func TestLegacyMethodsAnswerAt200(t *testing.T) {
	e := serve(t)
	e.open()
	for name, tc := range map[string]struct {
		method, params string
		code           int64
	}{
		"ping":                            {"ping", "{}", 0},
		"setLevel":                        {"logging/setLevel", `{"level":"error"}`, 0},
		"setLevel to no level":            {"logging/setLevel", `{"level":"loud"}`, -32602},
		"subscribe":                       {"resources/subscribe", `{"uri":"test://static-text"}`, 0},
		"subscribe to a missing resource": {"resources/subscribe", `{"uri":"test://none"}`, -32002},
		"unsubscribe":                     {"resources/unsubscribe", `{"uri":"test://static-text"}`, 0},
		"a missing resource":              {"resources/read", `{"uri":"test://none"}`, -32002},
		"an unknown tool":                 {"tools/call", `{"name":"none"}`, -32602},
		"an unknown method":               {"no/such", "{}", -32601},
		"a modern method":                 {"subscriptions/listen", "{}", -32601},
		"a method of the tasks extension": {"tasks/get", `{"taskId":"x"}`, -32601},
		"params that are no object":       {"tools/list", "[1]", -32602},
		"a completion":                    {"completion/complete", `{"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"par"}}`, 0},
		"a task-only tool runs at once":   {"tools/call", `{"name":"failing_job"}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := e.post(legacyBody(tc.method, tc.params))
			if a.Status != 200 || a.code() != tc.code {
				t.Errorf("status %d, body %s", a.Status, a.Body)
			}
		})
	}
	t.Run("a missing resource names its URI", func(t *testing.T) {
		a := e.post(legacyBody("resources/read", `{"uri":"test://none"}`))
		if got := string(a.Msg.Error.Data); got != `{"uri":"test://none"}` {
			t.Errorf("data = %s", got)
		}
	})
	t.Run("a notification is 202", func(t *testing.T) {
		if a := e.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); a.Status != 202 || a.Body != "" {
			t.Errorf("status %d, body %q", a.Status, a.Body)
		}
	})
	t.Run("a response that nobody waits for is 202", func(t *testing.T) {
		if a := e.post(`{"jsonrpc":"2.0","id":99,"result":{}}`); a.Status != 202 {
			t.Errorf("status %d", a.Status)
		}
	})
}

func TestAnEndedSessionIsGone(t *testing.T) {
	e := serve(t)
	e.open()
	standing := e.stream()
	standing.next() // the priming event
	if a := e.read(e.do("DELETE", "")); a.Status != 200 {
		t.Fatalf("DELETE: status %d", a.Status)
	}
	if _, ok := standing.next(); ok {
		t.Error("its GET stream goes on")
	}
	if a := e.post(legacyBody("ping", "{}")); a.Status != 404 {
		t.Errorf("POST: status %d", a.Status)
	}
	if a := e.read(e.do("DELETE", "")); a.Status != 404 {
		t.Errorf("DELETE again: status %d", a.Status)
	}
}

func TestStatelessServersKeepNoSession(t *testing.T) {
	e := serve(t, WithStateless())
	a := e.post(initializeBody)
	if a.Header.Get(headerSession) != "" {
		t.Error("initialize gave a session id")
	}
	if got := string(mustObject(a.result(t, "capabilities")).get("tools")); got != `{}` {
		t.Errorf("tools capability = %s, want no listChanged", got)
	}
	if a := e.post(legacyBody("tools/call", `{"name":"echo","arguments":{"message":"hi"}}`)); a.code() != 0 || a.Status != 200 {
		t.Errorf("tools/call: status %d, body %s", a.Status, a.Body)
	}
	t.Run("progress still streams, without event ids", func(t *testing.T) {
		es := openEvents(t, e.do("POST", legacyBody("tools/call", `{"name":"test_tool_with_progress","_meta":{"progressToken":7}}`)))
		if ev, _ := es.next(); ev.ID != "" || !strings.Contains(ev.Data, "notifications/progress") {
			t.Errorf("first event %+v", ev)
		}
	})
	t.Run("nobody can be asked", func(t *testing.T) {
		a := e.post(legacyBody("tools/call", `{"name":"test_sampling","arguments":{"prompt":"?"}}`))
		if got := decode[protocol.CallToolResult](t, a.Msg.Result); !got.IsError {
			t.Errorf("body %s", a.Body)
		}
	})
	t.Run("a subscription needs a session", func(t *testing.T) {
		if a := e.post(legacyBody("resources/subscribe", `{"uri":"test://static-text"}`)); a.code() != -32600 {
			t.Errorf("body %s", a.Body)
		}
	})
}

func TestServerRequestsTravelOnTheCallsStream(t *testing.T) {
	e := serve(t)
	e.open()
	for name, tc := range map[string]struct {
		call, method, reply, want string
		isError                   bool
	}{
		"sampling": {`{"name":"test_sampling","arguments":{"prompt":"Hi?"}}`, "sampling/createMessage",
			`"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Hi!"}}`, "LLM response: Hi!", false},
		"elicitation": {`{"name":"test_input_required_result_elicitation"}`, "elicitation/create",
			`"result":{"action":"accept","content":{"name":"Ada"}}`, "Hello, Ada!", false},
		"a declined elicitation": {`{"name":"test_input_required_result_elicitation"}`, "elicitation/create",
			`"result":{"action":"decline"}`, "Hello, nobody (decline)!", false},
		"roots": {`{"name":"test_list_roots"}`, "roots/list",
			`"result":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}`, "Roots: file:///a, file:///b", false},
		"a client that refuses": {`{"name":"test_list_roots"}`, "roots/list",
			`"error":{"code":-32603,"message":"no"}`, `the client refused roots/list: "no"`, true},
		"an answer of the wrong shape": {`{"name":"test_list_roots"}`, "roots/list",
			`"result":{}`, "the client's answer to roots/list has the wrong shape", true},
	} {
		t.Run(name, func(t *testing.T) {
			es := openEvents(t, e.do("POST", legacyBody("tools/call", tc.call)))
			m := es.message()
			if m.Method != tc.method || !m.IsRequest() {
				t.Fatalf("the server sent %s, want the request %s", m.Method, tc.method)
			}
			e.reply(m, tc.reply)
			got := decode[protocol.CallToolResult](t, es.message().Result)
			if got.Text() != tc.want || got.IsError != tc.isError {
				t.Errorf("result %q, isError %v; want %q, %v", got.Text(), got.IsError, tc.want, tc.isError)
			}
		})
	}
	t.Run("several at once", func(t *testing.T) {
		es := openEvents(t, e.do("POST", legacyBody("tools/call", `{"name":"test_input_required_result_multiple_inputs"}`)))
		replies := map[string]string{
			"elicitation/create":     `"result":{"action":"accept","content":{"name":"Ada"}}`,
			"sampling/createMessage": `"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Hello"}}`,
			"roots/list":             `"result":{"roots":[]}`,
		}
		for range 3 {
			m := es.message()
			e.reply(m, replies[m.Method])
			delete(replies, m.Method)
		}
		if got := decode[protocol.CallToolResult](t, es.message().Result); got.Text() != "Hello Ada. Roots: " {
			t.Errorf("result %q", got.Text())
		}
	})
	t.Run("not to a client that did not declare it", func(t *testing.T) {
		e := serve(t)
		e.session = e.post(strings.Replace(initializeBody, `"sampling":{},"elicitation":{},"roots":{}`, "", 1)).Header.Get(headerSession)
		a := e.post(legacyBody("tools/call", `{"name":"test_list_roots"}`))
		if got := decode[protocol.CallToolResult](t, a.Msg.Result); !got.IsError {
			t.Errorf("body %s", a.Body)
		}
	})
	t.Run("a URL elicitation has an id", func(t *testing.T) {
		e := serve(t)
		e.session = e.post(strings.Replace(initializeBody, `"elicitation":{}`, `"elicitation":{"url":{}}`, 1)).Header.Get(headerSession)
		es := openEvents(t, e.do("POST", legacyBody("tools/call", `{"name":"test_elicitation_url"}`)))
		m := es.message()
		if p := decode[protocol.ElicitRequest](t, m.Params); p.Mode != "url" || p.ElicitationID == "" {
			t.Errorf("params %s", m.Params)
		}
		e.reply(m, `"result":{"action":"accept"}`)
		es.message()
	})
}

func TestAStreamCanBeResumed(t *testing.T) {
	e := serve(t)
	e.open()
	es := openEvents(t, e.do("POST", legacyBody("tools/call", `{"name":"test_reconnection"}`)))
	first, ok := es.next()
	if !ok || first.ID == "" || first.Data != "" {
		t.Fatalf("first event %+v, want an id without data", first)
	}
	if ev, ok := es.next(); ok {
		t.Fatalf("event %+v, want the end of the stream", ev)
	}
	t.Run("the rest comes after the last event", func(t *testing.T) {
		es := e.stream("Last-Event-ID", first.ID)
		if m := es.message(); !m.IsResponse() || m.ID.String() != "2" {
			t.Errorf("message %+v", m)
		}
		if _, ok := es.next(); ok {
			t.Error("the stream goes on after the response")
		}
	})
	t.Run("more than once", func(t *testing.T) {
		if m := e.stream("Last-Event-ID", first.ID).message(); !m.IsResponse() {
			t.Errorf("message %+v", m)
		}
	})
	t.Run("not from an event that never was", func(t *testing.T) {
		for _, id := range []string{"nonsense", "999-0", "1-x", "1--1"} {
			if a := e.read(e.do("GET", "", "Accept", eventStreamType, "Last-Event-ID", id)); a.Status != 400 {
				t.Errorf("%s: status %d", id, a.Status)
			}
		}
	})
	t.Run("clients of 2025-06-18 get no event without data", func(t *testing.T) {
		e := serve(t)
		e.session = e.post(strings.Replace(initializeBody, "2025-11-25", "2025-06-18", 1)).Header.Get(headerSession)
		es := openEvents(t, e.do("POST", legacyBody("tools/call", `{"name":"test_tool_with_logging"}`)))
		if ev, _ := es.next(); ev.Data == "" || ev.ID == "" {
			t.Errorf("first event %+v", ev)
		}
	})
}

func TestABrokenConnectionDoesNotCancelALegacyCall(t *testing.T) {
	release := make(chan struct{})
	e := serve(t, WithTools(tool("report_and_wait", func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
		c.Log("info", "", "started")
		select {
		case <-release:
			return Text("finished"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})))
	e.open()
	es := openEvents(t, e.do("POST", legacyBody("tools/call", `{"name":"report_and_wait"}`)))
	es.next() // the priming event
	last, _ := es.next()
	es.resp.Body.Close()
	close(release)
	m := e.stream("Last-Event-ID", last.ID).message()
	if got := decode[protocol.CallToolResult](t, m.Result); got.Text() != "finished" {
		t.Errorf("result %q", got.Text())
	}
}

func TestANewerReaderTakesTheGetStreamOver(t *testing.T) {
	e := serve(t)
	e.open()
	older := e.stream()
	older.next()
	newer := e.stream()
	newer.next()
	if _, ok := older.next(); ok {
		t.Error("the older stream goes on")
	}
	e.srv.NotifyToolsChanged()
	if m := newer.message(); m.Method != "notifications/tools/list_changed" {
		t.Errorf("message %s", m.Method)
	}
}

func TestTheGetStreamTellsOfChanges(t *testing.T) {
	e := serve(t)
	e.open()
	e.srv.NotifyPromptsChanged() // before anyone reads: kept
	es := e.stream()
	if m := es.message(); m.Method != "notifications/prompts/list_changed" || m.Params != nil {
		t.Errorf("message %s %s", m.Method, m.Params)
	}
	e.srv.NotifyResourceUpdated("test://watched-resource") // not subscribed
	e.post(legacyBody("resources/subscribe", `{"uri":"test://watched-resource"}`))
	e.srv.NotifyResourceUpdated("test://watched-resource")
	m := es.message()
	if m.Method != "notifications/resources/updated" || string(m.Params) != `{"uri":"test://watched-resource"}` {
		t.Errorf("message %s %s", m.Method, m.Params)
	}
	e.post(legacyBody("resources/unsubscribe", `{"uri":"test://watched-resource"}`))
	e.srv.NotifyResourceUpdated("test://watched-resource") // not any more
	e.srv.NotifyToolsChanged()
	if m := es.message(); m.Method != "notifications/tools/list_changed" {
		t.Errorf("message %s", m.Method)
	}
	es.resp.Body.Close()
	t.Run("what a reader has got does not come again", func(t *testing.T) {
		es := e.stream()
		e.srv.NotifyResourcesChanged()
		if m := es.message(); m.Method != "notifications/resources/list_changed" {
			t.Errorf("message %s", m.Method)
		}
	})
}

func TestSetLevelHoldsForTheSession(t *testing.T) {
	e := serve(t)
	e.open()
	logged := func() int {
		a := e.post(legacyBody("tools/call", `{"name":"test_logging_tool"}`))
		return strings.Count(a.Body, "notifications/message")
	}
	if got := logged(); got != 7 {
		t.Errorf("%d messages before setLevel, want those from info on", got)
	}
	e.post(legacyBody("logging/setLevel", `{"level":"critical"}`))
	if got := logged(); got != 3 {
		t.Errorf("%d messages after setLevel critical, want 3", got)
	}
}

func TestNotificationsCancelledStopsALegacyCall(t *testing.T) {
	started := make(chan struct{})
	e := serve(t, WithTools(tool("wait", func(ctx context.Context, _ *Call) (*protocol.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	})))
	e.open()
	got := make(chan answer, 1)
	go func() { got <- e.post(legacyBody("tools/call", `{"name":"wait"}`)) }()
	<-started
	e.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"enough"}}`)
	if a := <-got; a.code() != -32800 {
		t.Errorf("body %s", a.Body)
	}
}

func TestALegacyStreamOpensOnSilence(t *testing.T) {
	release := make(chan struct{})
	e := serve(t, WithKeepAlive(time.Millisecond), WithTools(tool("silent", func(context.Context, *Call) (*protocol.CallToolResult, error) {
		<-release
		return Text("done"), nil
	})))
	e.open()
	es := openEvents(t, e.do("POST", legacyBody("tools/call", `{"name":"silent"}`)))
	for ev, ok := es.next(); !ev.Comment; ev, ok = es.next() {
		if !ok {
			t.Fatal("the stream ended")
		}
	}
	close(release)
	if m := es.message(); !m.IsResponse() {
		t.Errorf("message %+v", m)
	}
}

func TestForgetSessionsMakesClientsInitializeAgain(t *testing.T) {
	e := serve(t)
	e.open()
	e.srv.ForgetSessions()
	if a := e.post(legacyBody("ping", "{}")); a.Status != 404 {
		t.Errorf("status %d", a.Status)
	}
	e.session = ""
	e.open()
	if a := e.post(legacyBody("ping", "{}")); a.Status != 200 {
		t.Errorf("status %d", a.Status)
	}
}

func TestTheGetStreamHasEventIDs(t *testing.T) {
	e := serve(t)
	e.open()
	es := e.stream()
	ids := []string{}
	for range 3 {
		e.srv.NotifyToolsChanged()
	}
	for range 4 { // the priming event and three changes
		ev, ok := es.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		ids = append(ids, ev.ID)
	}
	if diff := cmp.Diff([]string{"0-0", "0-1", "0-2", "0-3"}, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	es.resp.Body.Close()
	t.Run("and is resumed after one of them", func(t *testing.T) {
		es := e.stream("Last-Event-ID", "0-1")
		for _, want := range []string{"0-2", "0-3"} {
			if ev, _ := es.next(); ev.ID != want {
				t.Errorf("event %s, want %s", ev.ID, want)
			}
		}
	})
}

func TestAMessageIsOneLineWhateverTheRequestLooksLike(t *testing.T) {
	e := serve(t)
	e.open()
	a := e.post(legacyBody("tools/call", "{\"name\":\"echo\",\n\"_meta\":{\"a\":{\n\t\"b\":\n1}}}"))
	if got := string(a.result(t, "_meta")); got != `{"a":{"b":1}}` || strings.Contains(a.Body, "\n") {
		t.Errorf("body %q", a.Body)
	}
}
