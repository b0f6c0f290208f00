package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// tasksExtension identifies the tasks extension.
const tasksExtension = "io.modelcontextprotocol/tasks"

// tasksCapability is what a client declares to get tasks.
var tasksCapability = protocol.ClientCapabilities{
	Extensions: map[string]jsontext.Value{tasksExtension: jsontext.Value("{}")},
}

const (
	taskTTL  = 10 * time.Minute
	taskPoll = 200 * time.Millisecond
)

// Statuses of a task.
const (
	taskWorking   = "working"
	taskInput     = "input_required"
	taskCompleted = "completed"
	taskFailed    = "failed"
	taskCancelled = "cancelled"
)

// A task is a tool call that goes on after its response. It is safe for
// concurrent use.
//
// Source: the tasks extension, "Tasks".
type task struct {
	id        string
	principal string
	created   time.Time
	cancel    context.CancelCauseFunc
	changed   func() // tells subscribers; called without the lock

	mu      sync.Mutex
	status  string
	updated time.Time
	result  object
	fault   *protocol.Error
	pending []Input // asked for, not answered yet
	used    map[string]int
	answers Answers
	wake    chan struct{} // closed and replaced when answers come in
}

// set changes the task unless it has come to its end, and tells subscribers.
func (t *task) set(change func()) {
	t.mu.Lock()
	ended := t.ended()
	if !ended {
		change()
		t.updated = time.Now()
	}
	t.mu.Unlock()
	if !ended {
		t.changed()
	}
}

func (t *task) ended() bool {
	return t.status == taskCompleted || t.status == taskFailed || t.status == taskCancelled
}

// brief is the task without its payload, as in the result that creates it.
func (t *task) brief() object {
	o := object{}
	o.set("taskId", t.id)
	o.set("status", t.status)
	o.set("createdAt", t.created.UTC().Format(time.RFC3339Nano))
	o.set("lastUpdatedAt", t.updated.UTC().Format(time.RFC3339Nano))
	o.set("ttlMs", taskTTL.Milliseconds())
	o.set("pollIntervalMs", taskPoll.Milliseconds())
	return o
}

// detailed is the task with what its status calls for.
func (t *task) detailed() object {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.brief()
	switch t.status {
	case taskInput:
		o.set("inputRequests", inputRequests(t.pending))
	case taskCompleted:
		o.set("result", t.result)
	case taskFailed:
		o.set("error", t.fault)
	}
	return o
}

// ask parks the task until the client has answered every input. A key that
// the task used before gets a number, since keys are never used twice.
func (t *task) ask(ctx context.Context, _ *Call, inputs []Input) (Answers, error) {
	asked := slices.Clone(inputs)
	t.set(func() {
		for i := range asked {
			key := asked[i].Key
			if t.used[key]++; t.used[key] > 1 {
				asked[i].Key = fmt.Sprintf("%s-%d", key, t.used[key])
			}
		}
		t.pending = append(t.pending, asked...)
		t.status = taskInput
	})
	for {
		t.mu.Lock()
		answers, wake := Answers{}, t.wake
		for i, in := range asked {
			if answer, ok := t.answers[in.Key]; ok {
				answers[inputs[i].Key] = answer
			}
		}
		t.mu.Unlock()
		if len(answers) == len(inputs) {
			return answers, nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// answer takes the client's answers to pending inputs and ignores others. One
// of the wrong shape spoils the whole update.
func (t *task) answer(responses object) *protocol.Error {
	t.mu.Lock()
	for _, in := range t.pending {
		if r := responses.get(in.Key); r != nil && !in.fits(r) {
			t.mu.Unlock()
			return invalidParams("inputResponses: %q does not answer its input request", in.Key)
		}
	}
	t.mu.Unlock()
	t.set(func() {
		t.pending = slices.DeleteFunc(t.pending, func(in Input) bool {
			r := responses.get(in.Key)
			if r != nil {
				t.answers[in.Key] = r
			}
			return r != nil
		})
		if len(t.pending) == 0 && t.status == taskInput {
			t.status = taskWorking
		}
		close(t.wake)
		t.wake = make(chan struct{})
	})
	return nil
}

// finish records how the tool ended. A tool that failed by its own account
// has completed.
func (t *task) finish(ctx context.Context, result *protocol.CallToolResult, err error) {
	err = toolError(ctx, &result, err)
	var body object
	if err == nil {
		body, err = toolResult(result)
	}
	t.set(func() {
		t.pending = nil
		if err != nil {
			t.status, t.fault = taskFailed, asFault(&Call{Era: Modern}, err)
			return
		}
		body.set("resultType", protocol.ResultComplete)
		t.status, t.result = taskCompleted, body
	})
}

// A taskStore holds tasks until their TTL is over. It is safe for concurrent
// use.
type taskStore struct {
	mu  sync.Mutex
	all map[string]*task
}

// add keeps a task and forgets those whose TTL is over.
func (st *taskStore) add(t *task) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.all == nil {
		st.all = make(map[string]*task)
	}
	for id, old := range st.all {
		if time.Since(old.created) > taskTTL {
			old.cancel(errLifetime)
			delete(st.all, id)
		}
	}
	st.all[t.id] = t
}

// get returns a principal's task, or nil.
func (st *taskStore) get(id string, p Principal) *task {
	st.mu.Lock()
	defer st.mu.Unlock()
	t := st.all[id]
	if t == nil || t.principal != p.Name || time.Since(t.created) > taskTTL {
		return nil
	}
	return t
}

// createTask goes on with a tool call as a task and returns the result that
// says so. The task is in the store before anyone hears of it.
func (s *Server) createTask(c *Call, run Run) reply {
	ctx, cancel := context.WithCancelCause(s.ctx)
	t := &task{
		id: s.ids.next(), principal: c.Principal.Name, created: time.Now(), cancel: cancel,
		status: taskWorking, used: map[string]int{}, answers: Answers{}, wake: make(chan struct{}),
	}
	t.updated = t.created
	t.changed = func() { s.hub.tell(change{kind: taskChanged, taskID: t.id, params: t.detailed()}) }
	s.tasks.add(t)
	background := *c
	background.link, background.asker, background.asksTask = deadEnd{}, t, false
	created := t.brief()
	created.set("resultType", "task")
	s.spawn(func() {
		defer cancel(nil)
		result, err := runRecovered(ctx, &background, run)
		t.finish(ctx, result, err)
	})
	return reply{body: created}
}

// runRecovered runs a tool; a panic becomes -32603.
func runRecovered(ctx context.Context, c *Call, run Run) (result *protocol.CallToolResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, internalError(fmt.Sprint(p))
		}
	}()
	return run(ctx, c)
}

// taskOf reads the params of the three task methods.
func (s *Server) taskOf(c *Call) (*task, object, error) {
	if !s.cfg.tasks {
		return nil, nil, methodNotFound(c.Method)
	}
	if !c.asksTask {
		return nil, nil, missingCapability(tasksCapability)
	}
	params, err := parseObject(c.params)
	if err != nil {
		return nil, nil, invalidParams("params is not an object")
	}
	id, ok := jsonString(params.get("taskId"))
	if !ok {
		return nil, nil, invalidParams("taskId is missing")
	}
	t := s.tasks.get(id, c.Principal)
	if t == nil {
		return nil, nil, invalidParams("there is no such task")
	}
	return t, params, nil
}

func (s *Server) getTask(_ context.Context, c *Call) (reply, error) {
	t, _, err := s.taskOf(c)
	if err != nil {
		return reply{}, err
	}
	return reply{body: t.detailed()}, nil
}

func (s *Server) updateTask(_ context.Context, c *Call) (reply, error) {
	t, params, err := s.taskOf(c)
	if err != nil {
		return reply{}, err
	}
	responses := params.get("inputResponses")
	if responses.Kind() != '{' {
		return reply{}, invalidParams("inputResponses is not an object")
	}
	if e := t.answer(mustObject(responses)); e != nil {
		return reply{}, e
	}
	return reply{body: object{}}, nil
}

// cancelTask cancels a task that goes on, and acknowledges in any case.
func (s *Server) cancelTask(_ context.Context, c *Call) (reply, error) {
	t, _, err := s.taskOf(c)
	if err != nil {
		return reply{}, err
	}
	t.set(func() { t.status, t.pending = taskCancelled, nil })
	t.cancel(errTaskCancelled)
	return reply{body: object{}}, nil
}

var errTaskCancelled = errors.New("the task was cancelled")
