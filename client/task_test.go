package client_test

import (
	"context"
	"errors"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// modernPlaces are the ways to reach the modern reference server.
func modernPlaces() []place { return places()[:3] }

// X-TSK-02, X-TSK-07, X-TSK-09: CallTool waits for what the server makes a
// task of.
func TestCallToolWaitsForATask(t *testing.T) {
	for _, p := range modernPlaces() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			u := new(user)
			c := p.connect(t, client.WithTasks(), client.WithHandler(u))
			for _, tc := range []struct {
				tool  string
				args  any
				text  string
				asked []string
			}{
				{"slow_compute", map[string]any{"seconds": 0.01}, "Computed for 10ms.", nil},
				{"greet", map[string]any{"name": "Ada"}, "Hello, Ada!", nil}, // no task
				{"failing_job", nil, "the job failed", nil},
				{"confirm_delete", map[string]any{"filename": "f"}, "Deleted f.", []string{"elicitation: Delete f?"}},
				{"multi_input", nil, "Ada went on.", []string{"elicitation: Go on?", "elicitation: What is your name?"}},
				{"test_tool_with_task", nil, "Worked for Ada.", []string{"elicitation: What is your name?"}}, // asks, then makes a task
			} {
				r, err := c.CallTool(t.Context(), tc.tool, tc.args)
				if err != nil || r.Text() != tc.text {
					t.Errorf("%s: %v, %v", tc.tool, r, err)
				}
				asked := u.questions()
				sort.Strings(asked)
				if diff := cmp.Diff(tc.asked, asked); diff != "" {
					t.Errorf("%s asked (-want +got):\n%s", tc.tool, diff)
				}
			}
			_, err := c.CallTool(t.Context(), "protocol_error_job", nil)
			if server, ok := errors.AsType[*transport.ServerError](err); !ok || server.Err.Code != protocol.CodeInternal {
				t.Errorf("a task that fails by an error: %v", err)
			}
		})
	}
}

// X-TSK-05: the id is all that another client needs.
func TestATaskIsResumedByAnotherClient(t *testing.T) {
	url := serveReference(t, newReference(conformance.Modern), alwaysStreams)
	first := connectTo(t, httpTransport(t, url), client.WithTasks(), client.WithHandler(new(user)))
	task, err := first.StartTool(t.Context(), "confirm_delete", map[string]any{"filename": "f"})
	if err != nil || task.ID() == "" {
		t.Fatalf("StartTool: %v, %v", task, err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	second := connectTo(t, httpTransport(t, url), client.WithTasks(), client.WithHandler(new(user)))
	resumed := second.ResumeTask(task.ID(), "confirm_delete")
	if r, err := resumed.Wait(t.Context()); err != nil || r.Text() != "Deleted f." {
		t.Errorf("Wait: %v, %v", r, err)
	}
	if state, err := resumed.Status(t.Context()); err != nil || state.Status != protocol.TaskCompleted {
		t.Errorf("Status: %+v, %v", state, err)
	}
	if _, err := second.ResumeTask("no such task", "").Wait(t.Context()); code(err) == 0 {
		t.Errorf("a task that is not there: %v", err)
	}
}

// X-TSK-10: a task is canceled by tasks/cancel, by whom it may concern.
func TestACanceledTaskSaysSo(t *testing.T) {
	for _, p := range modernPlaces() {
		t.Run(p.name, func(t *testing.T) {
			c := p.connect(t, client.WithTasks())
			task, err := c.StartTool(t.Context(), "slow_compute", map[string]any{"seconds": 600})
			if err != nil {
				t.Fatal(err)
			}
			if err := task.Cancel(t.Context()); err != nil {
				t.Error(err)
			}
			if r, err := task.Wait(t.Context()); !errors.Is(err, client.ErrTaskCancelled) {
				t.Errorf("Wait: %v, %v", r, err)
			}
		})
	}
}

// M-EXT-02: a server that answers at once gives a task that is over.
func TestAToolThatMakesNoTaskGivesOneThatIsOver(t *testing.T) {
	bothEras(t, func(t *testing.T, era string) {
		script := fault.Modern()
		if era == "legacy" {
			script = fault.Legacy("2025-11-25")
		}
		c := overHTTP(t, script).connected(t, client.WithTasks())
		task, err := c.StartTool(t.Context(), "echo", nil)
		if err != nil || task.ID() != "" {
			t.Fatalf("StartTool: %v, %v", task, err)
		}
		state, err := task.Status(t.Context())
		if err != nil || state.Status != protocol.TaskCompleted {
			t.Errorf("Status: %+v, %v", state, err)
		}
		if err := task.Cancel(t.Context()); err != nil {
			t.Error(err)
		}
		if r, err := task.Wait(t.Context()); err != nil || r.Text() != "done" {
			t.Errorf("Wait: %v, %v", r, err)
		}
	})
}

// tasking is a modern server whose tools/call makes a task, and that tells its
// states one after another.
func tasking(states ...string) fault.Script {
	var gets []fault.Answer
	for _, state := range states {
		gets = append(gets, fault.Answer{fault.Result(state)})
	}
	return fault.Modern().With(fault.Script{
		protocol.MethodCallTool:   {{fault.Result(`{"resultType":"task","taskId":"t/1 é","status":"working","pollIntervalMs":1}`)}},
		protocol.MethodGetTask:    gets,
		protocol.MethodUpdateTask: {{fault.Result(`{}`)}},
		protocol.MethodCancelTask: {{fault.Result(`{}`)}},
	})
}

const taskDone = `{"taskId":"t/1 é","status":"completed","result":{"content":[{"type":"text","text":"done"}],"structuredContent":{"id":9007199254740993}}}`

func taskAsks(keys ...string) string {
	var asked []string
	for _, key := range keys {
		asked = append(asked, `"`+key+`":`+asksForm)
	}
	return `{"taskId":"t/1 é","status":"input_required","pollIntervalMs":1,"inputRequests":{` + strings.Join(asked, ",") + `}}`
}

// X-TSK-01, X-TSK-11, M-MSG-12: the extension stands in every request, the
// task's id in the routing header.
func TestRequestsForATaskNameItAndTheExtension(t *testing.T) {
	s := overHTTP(t, tasking(taskAsks("a"), taskDone))
	c := s.connected(t, client.WithTasks(), client.WithHandler(accepts(nil)))
	task, err := c.StartTool(t.Context(), "echo", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := task.Wait(t.Context())
	if err != nil || r.Text() != "done" || string(r.StructuredContent) != `{"id":9007199254740993}` {
		t.Errorf("Wait: %v, %v", r, err)
	}
	if err := task.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	for _, method := range []string{protocol.MethodGetTask, protocol.MethodUpdateTask, protocol.MethodCancelTask} {
		r := s.await(t, method, 1)
		if got := r.Header.Get("Mcp-Name"); got != "=?base64?dC8xIMOp?=" {
			t.Errorf("%s has Mcp-Name %q", method, got)
		}
		if got := member(t, r.Body, "params", "taskId"); got != `"t/1 é"` {
			t.Errorf("%s is for %s", method, got)
		}
	}
	for _, r := range s.Records() {
		if r.ID != "" && member(t, r.Body, "params", "_meta", "io.modelcontextprotocol/clientCapabilities", "extensions") != `{"io.modelcontextprotocol/tasks":{}}` {
			t.Errorf("%s declares %s", r.Key, r.Body)
		}
	}
	if listen := member(t, s.await(t, protocol.MethodListen, 1).Body, "params", "notifications"); listen != `{"taskIds":["t/1 é"]}` { // X-TSK-12
		t.Errorf("listened for %s", listen)
	}
}

// X-TSK-09, X-TSK-08: each request of a task is served once, however often it
// is told.
func TestEachInputOfATaskIsServedOnce(t *testing.T) {
	s := overHTTP(t, tasking(taskAsks("a"), taskAsks("a"), taskAsks("a", "b"), taskAsks("b"), taskDone))
	asked := 0
	c := s.connected(t, client.WithTasks(), client.WithHandler(elicitor(func(context.Context, *protocol.ElicitRequest) (*protocol.ElicitResult, error) {
		asked++
		return &protocol.ElicitResult{Action: protocol.ElicitDecline}, nil
	})))
	if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
		t.Fatal(err)
	}
	if asked != 2 || s.Count(protocol.MethodUpdateTask) != 2 {
		t.Errorf("asked %d times, %d updates; want 2 and 2", asked, s.Count(protocol.MethodUpdateTask))
	}
	for n, want := range []string{`{"a":{"action":"decline"}}`, `{"b":{"action":"decline"}}`} {
		if got := member(t, s.await(t, protocol.MethodUpdateTask, n+1).Body, "params", "inputResponses"); got != want {
			t.Errorf("update %d has %s, want %s", n+1, got, want)
		}
	}
}

// How a task may end otherwise.
func TestHowATaskEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		state string
		check func(*protocol.CallToolResult, error) bool
	}{
		"failed": {`{"taskId":"t","status":"failed","error":{"code":-32000,"message":"out of paper","data":{"n":1}}}`,
			func(_ *protocol.CallToolResult, err error) bool {
				server, ok := errors.AsType[*transport.ServerError](err)
				return ok && server.Err.Message == "out of paper" && server.Method == protocol.MethodCallTool
			}},
		"cancelled": {`{"taskId":"t","status":"cancelled"}`,
			func(_ *protocol.CallToolResult, err error) bool { return errors.Is(err, client.ErrTaskCancelled) }},
		"completed by a tool's failure": {`{"taskId":"t","status":"completed","result":{"isError":true,"content":[]}}`,
			func(r *protocol.CallToolResult, err error) bool { return err == nil && r.IsError }},
		"completed without a result": {`{"taskId":"t","status":"completed"}`,
			func(_ *protocol.CallToolResult, err error) bool { return errors.As(err, new(*transport.MessageError)) }},
		"failed without an error": {`{"taskId":"t","status":"failed"}`,
			func(_ *protocol.CallToolResult, err error) bool { return errors.As(err, new(*transport.MessageError)) }},
		"completed with something else": {`{"taskId":"t","status":"completed","result":[]}`,
			func(_ *protocol.CallToolResult, err error) bool { return errors.As(err, new(*transport.MessageError)) }},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, tasking(tc.state), func(t *testing.T, s *scripted) {
				if r, err := s.connected(t, client.WithTasks()).CallTool(t.Context(), "echo", nil); !tc.check(r, err) {
					t.Errorf("CallTool: %v, %v", r, err)
				}
			})
		})
	}
}

// B-TOL-02 holds for tasks, too.
func TestATasksResultIsCheckedAgainstTheOutputSchema(t *testing.T) {
	s := overHTTP(t, tasking(taskDone).With(withOutputList(tempSchema)))
	c := s.connected(t, client.WithTasks())
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := c.CallTool(t.Context(), "echo", nil); r == nil || !errors.As(err, new(*client.OutputError)) {
		t.Errorf("CallTool: %v, %v", r, err)
	}
	if r, err := c.ResumeTask("t/1 é", "").Wait(t.Context()); err != nil || r.Text() != "done" {
		t.Errorf("a task of no known tool: %v, %v", r, err)
	}
}

func withOutputList(schema string) fault.Script {
	return fault.Script{protocol.MethodListTools: withOutput("modern", schema, `{}`)[protocol.MethodListTools]}
}

// X-TSK-03: a task in place of anything but a tool's result is invalid, and so
// is one without id; a client that did not ask for tasks takes none.
func TestATaskWhereNoneMayBeIsInvalid(t *testing.T) {
	const task = `{"resultType":"task","taskId":"t","status":"working","messages":[],"contents":[],"tools":[]}`
	for name, tc := range map[string]struct {
		method, result string
		opts           []client.Option
		do             func(context.Context, *client.Client) error
	}{
		"for a prompt": {protocol.MethodGetPrompt, task, []client.Option{client.WithTasks()}, func(ctx context.Context, c *client.Client) error {
			_, err := c.GetPrompt(ctx, "p", nil)
			return err
		}},
		"for a resource": {protocol.MethodReadResource, task, []client.Option{client.WithTasks()}, func(ctx context.Context, c *client.Client) error {
			_, err := c.ReadResource(ctx, "a:b")
			return err
		}},
		"for a list": {protocol.MethodListTools, task, []client.Option{client.WithTasks()}, func(ctx context.Context, c *client.Client) error {
			_, err := c.ListTools(ctx)
			return err
		}},
		"without an id":         {protocol.MethodCallTool, `{"resultType":"task","status":"working"}`, []client.Option{client.WithTasks()}, callEcho},
		"undeclared (M-EXT-03)": {protocol.MethodCallTool, task, nil, callEcho},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, fault.Modern().With(fault.Script{tc.method: {{fault.Result(tc.result)}}}), func(t *testing.T, s *scripted) {
				if err := tc.do(t.Context(), s.connected(t, tc.opts...)); !errors.As(err, new(*transport.MessageError)) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func callEcho(ctx context.Context, c *client.Client) error {
	_, err := c.CallTool(ctx, "echo", nil)
	return err
}

// The end of the context cancels the task of CallTool, and not that of Wait.
func TestTheContextsEndCancelsTheTaskOfCallToolAlone(t *testing.T) {
	working := `{"taskId":"t/1 é","status":"working","pollIntervalMs":1}`
	overBoth(t, tasking(working), func(t *testing.T, s *scripted) {
		c := s.connected(t, client.WithTasks())
		task, err := c.StartTool(t.Context(), "echo", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := task.Wait(ctx)
			done <- err
		}()
		s.await(t, protocol.MethodGetTask, 2)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Wait: %v", err)
		}
		if _, err := task.Status(t.Context()); err != nil {
			t.Error(err)
		}
		if n := s.Count(protocol.MethodCancelTask); n != 0 {
			t.Errorf("Wait canceled the task %d times", n)
		}
		ctx, cancel = context.WithCancel(t.Context())
		n := s.Count(protocol.MethodGetTask)
		go func() {
			_, err := c.CallTool(ctx, "echo", nil)
			done <- err
		}()
		s.await(t, protocol.MethodGetTask, n+2)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("CallTool: %v", err)
		}
		s.await(t, protocol.MethodCancelTask, 1)
	})
}

// L-TSK-01, L-TSK-02, L-TSK-03, L-TSK-06: the tasks of 2025-11-25, which were an
// experiment, are not offered: none is declared, asked for or listened for,
// whatever the server supports. A tool that can't do without says so itself.
func TestLegacyTasksAreNotOffered(t *testing.T) {
	overBoth(t, fault.Legacy("2025-11-25").With(fault.Script{
		protocol.MethodInitialize: {{fault.Result(`{"protocolVersion":"2025-11-25","serverInfo":{"name":"a","version":"1"},` +
			`"capabilities":{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}}`)}},
		protocol.MethodListTools: {{fault.Result(`{"tools":[{"name":"echo","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}]}`)}},
		protocol.MethodCallTool: {
			{fault.Stream(), fault.Message(`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"working"}}`), fault.Content("done")},
			{fault.Error(-32601, "this tool is a task")},
		},
	}), func(t *testing.T, s *scripted) {
		c := s.connected(t, client.WithTasks(), client.WithHandler(new(user)))
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
			t.Errorf("CallTool: %v, %v", r, err)
		}
		if r, err := c.CallTool(t.Context(), "echo", nil); code(err) != protocol.CodeMethodNotFound {
			t.Errorf("a tool that is a task: %v, %v", r, err)
		}
		if got := member(t, s.await(t, protocol.MethodInitialize, 1).Body, "params", "capabilities", "tasks"); got != "" {
			t.Errorf("declared %s", got)
		}
		if got := member(t, s.await(t, protocol.MethodCallTool, 1).Body, "params", "task"); got != "" {
			t.Errorf("asked for a task: %s", got)
		}
		for _, method := range s.Methods() {
			if strings.HasPrefix(method, "tasks/") {
				t.Errorf("sent %s", method)
			}
		}
	})
}
