package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpera/mcpera/protocol"
)

// taskTools are those that the official suite asks for to see the tasks
// extension. For other clients most of them run at once.
func taskTools() []Tool {
	return []Tool{
		{Definition: define("greet", "Greets someone.",
			`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`), Run: greet},
		{Definition: define("slow_compute", "Computes for some seconds, as a task if it can.",
			`{"type":"object","properties":{"seconds":{"type":"number"},"label":{"type":"string"}},"required":["seconds"]}`), Run: slowCompute},
		{Definition: define("failing_job", "Fails, as a task only.", ""), NeedsTask: true, Run: background(failJob)},
		{Definition: define("protocol_error_job", "Ends in a protocol error, as a task if it can.", ""), Run: background(breakJob)},
		{Definition: define("confirm_delete", "Asks before it deletes, as a task if it can.",
			`{"type":"object","properties":{"filename":{"type":"string"}},"required":["filename"]}`), Run: background(confirmDelete)},
		{Definition: define("multi_input", "Asks two things at once, as a task if it can.", ""), Run: background(twoInputs)},
		{Definition: define("test_tool_with_task", "Asks for a name, then goes on as a task.", ""), NeedsTask: true, Run: askThenTask},
	}
}

func background(run Run) Run {
	return func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) { return c.Background(ctx, run) }
}

func greet(_ context.Context, c *Call) (*protocol.CallToolResult, error) {
	var p struct {
		Name string `json:"name"`
	}
	if err := c.Bind(&p); err != nil {
		return nil, err
	}
	return Text("Hello, " + p.Name + "!"), nil
}

// slowCompute does not make a task of no work at all.
func slowCompute(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	d, err := seconds(c)
	if err != nil {
		return nil, err
	}
	compute := func(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
		if err := pause(ctx, d); err != nil {
			return nil, err
		}
		return Text(fmt.Sprintf("Computed for %v.", d)), nil
	}
	if d <= 0 {
		return compute(ctx, c)
	}
	return c.Background(ctx, compute)
}

func failJob(ctx context.Context, _ *Call) (*protocol.CallToolResult, error) {
	if err := pause(ctx, step); err != nil {
		return nil, err
	}
	return nil, errors.New("the job failed")
}

func breakJob(context.Context, *Call) (*protocol.CallToolResult, error) {
	return nil, internalError("the job broke")
}

const confirmSchema = `{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}`

func confirmDelete(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	var p struct {
		Filename string `json:"filename"`
	}
	if err := c.Bind(&p); err != nil {
		return nil, err
	}
	answers, err := c.Ask(ctx, Elicit("confirm", "Delete "+p.Filename+"?", confirmSchema))
	if err != nil {
		return nil, err
	}
	answer := answers.Elicitation("confirm")
	if yes, _ := answer.Content["confirm"].(bool); answer.Action != protocol.ElicitAccept || !yes {
		return Text("Kept " + p.Filename + "."), nil
	}
	return Text("Deleted " + p.Filename + "."), nil
}

func twoInputs(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	answers, err := c.Ask(ctx, askName("name", "What is your name?"), Elicit("confirm", "Go on?", confirmSchema))
	if err != nil {
		return nil, err
	}
	return Text(field(answers, "name", "name") + " went on."), nil
}

func askThenTask(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	answers, err := c.Ask(ctx, askName("user_name", "What is your name?"))
	if err != nil {
		return nil, err
	}
	return c.Background(ctx, func(context.Context, *Call) (*protocol.CallToolResult, error) {
		return Text("Worked for " + field(answers, "user_name", "name") + "."), nil
	})
}
