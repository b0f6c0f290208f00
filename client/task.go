package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// ErrTaskCancelled means that a task ended because someone canceled it.
var ErrTaskCancelled = errors.New("the task was canceled")

// A Task is a tool call that goes on at the server. Its ID is all that another
// process needs to go on with it: see Client.ResumeTask. Its methods may be
// called concurrently, but only one Wait should run at a time, lest two ask the
// user the same question.
//
// Source: the tasks extension.
type Task struct {
	client *Client
	id     string
	tool   string
	seed   protocol.Task            // what the server said first
	result *protocol.CallToolResult // when the server answered without a task

	answered map[string]bool // input requests that were served, by Wait
	rounds   int             // how often Wait served some
}

// StartTool calls a tool and returns without waiting when the server makes a
// task of it. It needs WithTasks. A server that answers at once gives a Task
// that has come to its end: ID is then empty. args, opts and errors are as for
// CallTool, but that what the tool answers is Wait's to return.
//
// Source: the tasks extension, "Polymorphic Results".
func (c *Client) StartTool(ctx context.Context, name string, args any, opts ...CallOption) (*Task, error) {
	arguments, err := encodeObject("arguments", args)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", protocol.Quote(name), err)
	}
	r, task, err := c.callToolOnce(ctx, name, arguments, opts)
	if err != nil {
		return nil, err
	}
	if task != nil {
		return task, nil
	}
	return &Task{client: c, tool: name, result: r}, nil
}

// ResumeTask returns the task with an id that another Task had, perhaps in
// another process. tool is the name of the tool that it runs; it may be "", and
// the result is then not checked against the tool's output schema.
func (c *Client) ResumeTask(id, tool string) *Task {
	return &Task{client: c, id: id, tool: tool}
}

// ID names the task at its server, for as long as that keeps it. It is as good
// as a password for the task's result where the server does not authenticate.
func (t *Task) ID() string { return t.id }

// Status asks the server how far the task is.
func (t *Task) Status(ctx context.Context) (*protocol.Task, error) {
	if t.id == "" {
		return &protocol.Task{Status: protocol.TaskCompleted}, nil
	}
	state := new(protocol.Task)
	err := t.client.do(ctx, &call{
		method: protocol.MethodGetTask, name: t.id, idempotent: true, params: protocol.TaskParams{TaskID: t.id},
	}, state, nil)
	if err != nil {
		return nil, err
	}
	return state, nil
}

// Cancel asks the server to stop the task. It may end in another way all the
// same.
func (t *Task) Cancel(ctx context.Context) error {
	if t.id == "" {
		return nil
	}
	var ignored jsontext.Value
	return t.client.do(ctx, &call{
		method: protocol.MethodCancelTask, name: t.id, idempotent: true, params: protocol.TaskParams{TaskID: t.id},
	}, &ignored, nil)
}

// How often a task is asked for when its server does not say, and at the most.
const (
	defaultPoll = time.Second
	minPoll     = 20 * time.Millisecond
)

// Wait returns the tool's result once the task has ended. It polls as often as
// the server wants, or is told by the server where it tells, and runs the
// program's handlers for what the task asks, each request once. The end of ctx
// ends Wait and not the task.
//
// A task that failed gives a *transport.ServerError, a canceled one
// ErrTaskCancelled, one that asks for input again and again a *RoundsError; for
// the rest see CallTool.
func (t *Task) Wait(ctx context.Context) (*protocol.CallToolResult, error) {
	if t.result != nil {
		return t.client.checked(t.tool, t.result)
	}
	told, stop := t.client.watchTask(ctx, t.id)
	defer stop()
	state := &t.seed
	for state.Status == "" || !final(state.Status) {
		if state.Status != "" {
			if err := pauseFor(ctx, told, pollInterval(state)); err != nil {
				return nil, fmt.Errorf("task: %w", err)
			}
		}
		var err error
		if state, err = t.Status(ctx); err != nil {
			return nil, err
		}
		if state.Status == protocol.TaskInputRequired {
			if err := t.answer(ctx, state.InputRequests); err != nil {
				return nil, err
			}
		}
	}
	return t.outcome(state)
}

func final(s protocol.TaskStatus) bool {
	return s == protocol.TaskCompleted || s == protocol.TaskFailed || s == protocol.TaskCancelled
}

func pollInterval(state *protocol.Task) time.Duration {
	if state.PollInterval <= 0 {
		return defaultPoll
	}
	return max(time.Duration(state.PollInterval), minPoll)
}

// pauseFor waits for d, or less when the server tells of a change.
func pauseFor(ctx context.Context, told <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-told:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer serves the requests of a task that were not served before.
//
// Source: the tasks extension, "Task Update Requests".
func (t *Task) answer(ctx context.Context, asked map[string]protocol.InputRequest) error {
	fresh := make(map[string]protocol.InputRequest)
	for key, request := range asked {
		if !t.answered[key] {
			fresh[key] = request
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if t.rounds >= t.client.config.maxRounds {
		return &RoundsError{Method: protocol.MethodCallTool, Rounds: t.rounds}
	}
	t.rounds++
	answers, err := t.client.gather(ctx, fresh)
	if err != nil {
		return fmt.Errorf("the task asked for input: %w", err)
	}
	var ignored jsontext.Value
	err = t.client.do(ctx, &call{
		method: protocol.MethodUpdateTask, name: t.id, idempotent: true,
		params: protocol.TaskParams{TaskID: t.id, InputResponses: answers},
	}, &ignored, nil)
	if err != nil {
		return err
	}
	if t.answered == nil {
		t.answered = make(map[string]bool)
	}
	for key := range fresh {
		t.answered[key] = true
	}
	return nil
}

// outcome is what a final state means.
func (t *Task) outcome(state *protocol.Task) (*protocol.CallToolResult, error) {
	origin := t.client.link.target.String()
	switch {
	case state.Status == protocol.TaskCancelled:
		return nil, ErrTaskCancelled
	case state.Status == protocol.TaskFailed && state.Error != nil:
		return nil, &transport.ServerError{Origin: origin, Method: protocol.MethodCallTool, Err: state.Error}
	}
	r := new(protocol.CallToolResult)
	err := errors.New("the task ended without a result")
	if len(state.Result) > 0 {
		err = json.Unmarshal(state.Result, r)
	}
	if err != nil {
		return nil, &transport.MessageError{Origin: origin, Method: protocol.MethodGetTask, Said: protocol.Quote(state.Result), Err: err}
	}
	return t.client.checked(t.tool, r)
}

// watchTask returns a channel that gets a token when the server tells of a
// change of the task, until stop is called. A server that does not tell is
// polled.
//
// Source: the tasks extension, "Task Status Notifications".
func (c *Client) watchTask(ctx context.Context, id string) (told <-chan struct{}, stop func()) {
	changes := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	started := c.spawn(func() {
		defer close(over)
		for change, err := range c.Subscribe(ctx, protocol.SubscriptionFilter{TaskIDs: []string{id}}) {
			if err != nil || change.Kind == Acknowledged && len(change.Granted.TaskIDs) == 0 {
				return
			}
			select {
			case changes <- struct{}{}:
			default:
			}
		}
	})
	return changes, func() {
		cancel()
		if started {
			<-over
		}
	}
}
