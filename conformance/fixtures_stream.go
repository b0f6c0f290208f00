package conformance

import (
	"context"
	"time"

	"github.com/mcpera/mcpera/protocol"
)

// step is the pause of tools that report as they go.
const step = 50 * time.Millisecond

// streamTools say something before their result.
func streamTools() []Tool {
	return []Tool{
		{Definition: define("test_tool_with_progress", "Reports progress three times.", ""), Run: reportProgress},
		{Definition: define("test_tool_with_logging", "Logs three messages.", ""), Run: logThreeTimes},
		{Definition: define("test_logging_tool", "Logs one message at every level.", ""), Run: logEveryLevel},
		{Definition: define("test_streaming_elicitation", "Reports progress, then asks the user.", ""), Run: progressThenAsk},
		{Definition: define("test_reconnection", "Closes the event stream before its result.", ""), Run: hangUpThenAnswer},
		{Definition: define("sleep", "Returns after some seconds, or when it is cancelled.",
			`{"type":"object","properties":{"seconds":{"type":"number"}},"required":["seconds"]}`), Run: sleep},
	}
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func reportProgress(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	for _, done := range []float64{0, 50, 100} {
		if done > 0 {
			if err := pause(ctx, step); err != nil {
				return nil, err
			}
		}
		c.Progress(done, 100, "")
	}
	return Text("Reported progress."), nil
}

func logThreeTimes(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	for i, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			if err := pause(ctx, step); err != nil {
				return nil, err
			}
		}
		c.Log("info", "", text)
	}
	return Text("Logged."), nil
}

func logEveryLevel(_ context.Context, c *Call) (*protocol.CallToolResult, error) {
	for _, level := range logLevels {
		c.Log(level, "test_logging_tool", map[string]string{"level": level})
	}
	return Text("Logged at every level that was asked for."), nil
}

func progressThenAsk(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	c.Progress(50, 100, "Half way")
	answers, err := c.Ask(ctx, askName("user_name", "Who is waiting?"))
	if err != nil {
		return nil, err
	}
	return Text("Waited for " + field(answers, "user_name", "name")), nil
}

func hangUpThenAnswer(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	c.HangUp()
	if err := pause(ctx, 2*step); err != nil {
		return nil, err
	}
	return Text("The stream was closed before this result."), nil
}

func sleep(ctx context.Context, c *Call) (*protocol.CallToolResult, error) {
	d, err := seconds(c)
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, d); err != nil {
		return nil, err
	}
	return Text("Slept."), nil
}

// seconds reads the argument of that name.
func seconds(c *Call) (time.Duration, error) {
	var p struct {
		Seconds float64 `json:"seconds"`
	}
	err := c.Bind(&p)
	return time.Duration(p.Seconds * float64(time.Second)), err
}
