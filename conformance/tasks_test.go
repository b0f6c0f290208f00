package conformance

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

const taskCaps = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// task sends a request by a client that declared the tasks extension.
func (e *endpoint) task(method, name, members string) answer {
	e.t.Helper()
	return e.post(modernBody(method, members, taskCaps), modernHeaders(method, name)...)
}

// start calls a tool that becomes a task and returns its id.
func (e *endpoint) start(tool, arguments string) string {
	e.t.Helper()
	a := e.task("tools/call", tool, `"name":"`+tool+`","arguments":`+arguments)
	if got := string(a.result(e.t, "resultType")); got != `"task"` {
		e.t.Fatalf("resultType = %s: %s", got, a.Body)
	}
	id, _ := jsonString(a.result(e.t, "taskId"))
	return id
}

func (e *endpoint) taskMethod(method, id, more string) answer {
	e.t.Helper()
	return e.task(method, id, `"taskId":"`+id+`"`+more)
}

// watch listens to a task; the first status comes from tasks/get.
func (e *endpoint) watch(id string) *events {
	e.t.Helper()
	es := openEvents(e.t, e.do("POST", modernBody(methodListen, `"notifications":{"taskIds":["`+id+`"]}`, taskCaps), modernHeaders(methodListen, "")...))
	if m := es.message(); !strings.Contains(string(m.Params), id) {
		e.t.Fatalf("acknowledged %s", m.Params)
	}
	return es
}

// await returns the task once it has a status, from tasks/get or from the
// notifications that follow.
func (e *endpoint) await(id, status string) object {
	e.t.Helper()
	es := e.watch(id)
	defer es.resp.Body.Close()
	state := mustObject(e.taskMethod("tasks/get", id, "").Msg.Result)
	for string(state.get("status")) != `"`+status+`"` {
		m := es.message()
		if m.Method != "notifications/tasks" {
			e.t.Fatalf("message %s", m.Method)
		}
		state = mustObject(m.Params)
	}
	return state
}

func TestATaskIsCreatedWorkingAndCompletes(t *testing.T) {
	release := make(chan struct{})
	e := serve(t, WithTools(tool("job", func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
		return c.Background(ctx, func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
			c.Progress(1, 2, "nobody hears this")
			select {
			case <-release:
				return Text("done"), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
	})))
	id := e.start("job", "{}")
	a := e.taskMethod("tasks/get", id, "")
	for name, want := range map[string]string{
		"status": `"working"`, "resultType": `"complete"`, "ttlMs": "600000", "pollIntervalMs": "200", "taskId": `"` + id + `"`,
	} {
		if got := string(a.result(t, name)); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"result", "error", "inputRequests", "cacheScope", "ttl", "requestState"} {
		if a.result(t, name) != nil {
			t.Errorf("a working task has %s", name)
		}
	}
	close(release)
	state := e.await(id, "completed")
	if got := decode[protocol.CallToolResult](t, state.get("result")); got.Text() != "done" {
		t.Errorf("result %s", state.get("result"))
	}
}

func TestHowTasksEnd(t *testing.T) {
	e := serve(t, WithTools(tool("panic_job", background(func(context.Context, *Call) (*protocol.CallToolResult, error) { panic("boom") }))))
	for name, tc := range map[string]struct {
		tool, status, member, has string
	}{
		"an error of the tool is a completion":  {"failing_job", "completed", "result", `"isError":true`},
		"an error of the protocol is a failure": {"protocol_error_job", "failed", "error", `"code":-32603`},
		"a panic is a failure":                  {"panic_job", "failed", "error", `"code":-32603`},
	} {
		t.Run(name, func(t *testing.T) {
			state := e.await(e.start(tc.tool, "{}"), tc.status)
			if !strings.Contains(string(state.get(tc.member)), tc.has) {
				t.Errorf("%s = %s", tc.member, state.get(tc.member))
			}
			if state.get("result") != nil && state.get("error") != nil {
				t.Error("the task has a result and an error")
			}
		})
	}
}

func TestATaskIsCancelled(t *testing.T) {
	e := serve(t)
	id := e.start("slow_compute", `{"seconds":3600}`)
	for _, when := range []string{"while it works", "again, when it has ended"} {
		t.Run(when, func(t *testing.T) {
			a := e.taskMethod("tasks/cancel", id, "")
			got := mustObject(a.Msg.Result)
			if a.Status != 200 || len(got) != 2 || string(got.get("resultType")) != `"complete"` || got.get("_meta") == nil {
				t.Errorf("status %d, result %s", a.Status, a.Msg.Result)
			}
			e.await(id, "cancelled")
		})
	}
}

func TestATaskAsksForInput(t *testing.T) {
	e := serve(t)
	id := e.start("multi_input", "{}")
	state := e.await(id, "input_required")
	if got := mustObject(state.get("inputRequests")); len(got) != 2 || got.get("name") == nil || got.get("confirm") == nil {
		t.Fatalf("inputRequests = %s", got.encode())
	}
	update := func(responses string) answer { return e.taskMethod("tasks/update", id, `,"inputResponses":`+responses) }
	t.Run("an answer that does not fit is refused", func(t *testing.T) {
		if a := update(`{"name":7}`); a.code() != -32602 {
			t.Errorf("body %s", a.Body)
		}
	})
	t.Run("answers that are no object are refused", func(t *testing.T) {
		if a := e.taskMethod("tasks/update", id, ""); a.code() != -32602 {
			t.Errorf("body %s", a.Body)
		}
	})
	t.Run("an unknown key is ignored", func(t *testing.T) {
		if a := update(`{"other":7}`); a.code() != 0 {
			t.Errorf("body %s", a.Body)
		}
	})
	t.Run("a part of the answers leaves the rest pending", func(t *testing.T) {
		update(`{"name":{"action":"accept","content":{"name":"Ada"}}}`)
		left := mustObject(e.taskMethod("tasks/get", id, "").result(t, "inputRequests"))
		if len(left) != 1 || left.get("confirm") == nil {
			t.Errorf("left: %s", left.encode())
		}
	})
	t.Run("the last answer lets it go on", func(t *testing.T) {
		update(`{"confirm":{"action":"accept","content":{"confirm":true}}}`)
		state := e.await(id, "completed")
		if got := decode[protocol.CallToolResult](t, state.get("result")); got.Text() != "Ada went on." {
			t.Errorf("result %s", state.get("result"))
		}
	})
}

func TestATaskNeverUsesAKeyTwice(t *testing.T) {
	e := serve(t, WithTools(tool("ask_again", background(func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
		first, err := c.Ask(ctx, askName("name", "Who?"))
		if err != nil {
			return nil, err
		}
		second, err := c.Ask(ctx, askName("name", "Sure?"))
		if err != nil {
			return nil, err
		}
		return Text(field(first, "name", "name") + field(second, "name", "name")), nil
	}))))
	id := e.start("ask_again", "{}")
	for i, key := range []string{"name", "name-2"} {
		state := e.await(id, "input_required")
		if got := mustObject(state.get("inputRequests")); len(got) != 1 || got[0].name != key {
			t.Fatalf("round %d: inputRequests = %s, want %s", i+1, got.encode(), key)
		}
		e.taskMethod("tasks/update", id, `,"inputResponses":{"`+key+`":{"action":"accept","content":{"name":"`+key+`"}}}`)
	}
	state := e.await(id, "completed")
	if got := decode[protocol.CallToolResult](t, state.get("result")); got.Text() != "namename-2" {
		t.Errorf("result %s", state.get("result"))
	}
}

func TestRoundsComeBeforeTheTask(t *testing.T) {
	e := serve(t)
	const name = "test_tool_with_task"
	a := e.task("tools/call", name, `"name":"`+name+`"`)
	if string(a.result(t, "resultType")) != `"input_required"` || a.result(t, "taskId") != nil {
		t.Fatalf("first round: %s", a.Body)
	}
	state, _ := jsonString(a.result(t, "requestState"))
	a = e.task("tools/call", name, `"name":"`+name+`",`+withState(state, `"inputResponses":{"user_name":{"action":"accept","content":{"name":"Ada"}}}`))
	if string(a.result(t, "resultType")) != `"task"` || a.result(t, "requestState") != nil {
		t.Fatalf("second round: %s", a.Body)
	}
	id, _ := jsonString(a.result(t, "taskId"))
	if got := e.await(id, "completed"); !strings.Contains(string(got.get("result")), "Worked for Ada.") {
		t.Errorf("result %s", got.get("result"))
	}
}

func TestTasksNeedTheExtension(t *testing.T) {
	e := serve(t)
	const required = `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	for name, a := range map[string]answer{
		"tasks/get":              e.modern("tasks/get", "x", `"taskId":"x"`),
		"tasks/update":           e.modern("tasks/update", "x", `"taskId":"x","inputResponses":{}`),
		"tasks/cancel":           e.modern("tasks/cancel", "x", `"taskId":"x"`),
		"a tool that needs them": e.call("failing_job", "{}"),
	} {
		t.Run(name, func(t *testing.T) {
			if a.Status != 400 || a.code() != -32021 || string(a.Msg.Error.Data) != required {
				t.Errorf("status %d, body %s", a.Status, a.Body)
			}
		})
	}
	t.Run("other tools run at once", func(t *testing.T) {
		wantText(t, e.call("slow_compute", `{"seconds":0.001}`), "Computed for 1ms.")
	})
	t.Run("a server without them does not know the methods", func(t *testing.T) {
		e := serve(t, WithoutTasks())
		if a := e.taskMethod("tasks/get", "x", ""); a.Status != 404 || a.code() != -32601 {
			t.Errorf("status %d, body %s", a.Status, a.Body)
		}
		if got := e.modern("server/discover", "", "").result(t, "capabilities"); strings.Contains(string(got), "extensions") {
			t.Errorf("capabilities = %s", got)
		}
	})
}

func TestATaskBelongsToItsPrincipal(t *testing.T) {
	e := twoPrincipals(t)
	e.bearer = "alice-token"
	id := e.start("slow_compute", `{"seconds":3600}`)
	e.bearer = "bob-token"
	for _, method := range []string{"tasks/get", "tasks/cancel"} {
		if a := e.taskMethod(method, id, ""); a.Status != 200 || a.code() != -32602 {
			t.Errorf("%s: status %d, body %s", method, a.Status, a.Body)
		}
	}
	es := openEvents(t, e.do("POST", modernBody(methodListen, `"notifications":{"taskIds":["`+id+`"]}`, taskCaps), modernHeaders(methodListen, "")...))
	if got := mustObject(es.message().Params).get("notifications"); string(got) != "{}" {
		t.Errorf("acknowledged %s", got)
	}
}

func TestAnUnknownTaskIsInvalidParams(t *testing.T) {
	e := serve(t)
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		if a := e.taskMethod(method, "none", `,"inputResponses":{}`); a.Status != 200 || a.code() != -32602 {
			t.Errorf("%s: status %d, body %s", method, a.Status, a.Body)
		}
	}
}

func TestATaskNotificationIsWhatTasksGetSays(t *testing.T) {
	e := serve(t)
	id := e.start("confirm_delete", `{"filename":"x"}`)
	e.await(id, "input_required")
	es := e.watch(id)
	e.taskMethod("tasks/cancel", id, "")
	params := mustObject(es.message().Params)
	got := mustObject(e.taskMethod("tasks/get", id, "").Msg.Result)
	if string(params.get("_meta")) != `{"io.modelcontextprotocol/subscriptionId":1}` {
		t.Errorf("_meta = %s", params.get("_meta"))
	}
	for _, m := range params {
		if m.name == "_meta" {
			continue
		}
		if want := got.get(m.name); string(m.value) != string(want) {
			t.Errorf("%s = %s, want %s", m.name, m.value, want)
		}
	}
}
