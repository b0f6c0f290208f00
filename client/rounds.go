package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"github.com/mcpera/mcpera/protocol"
)

// rounds makes a call: one leg, and another for each time the server asks for
// input. Input and state belong to this call alone, and each leg carries those
// of the last answer and no others.
//
// Source: MCP 2026-07-28, patterns/mrtr.
func (c *Client) rounds(ctx context.Context, call *call, params jsontext.Value) (jsontext.Value, error) {
	sending := params
	for round, waited := 0, 0; ; round++ {
		raw, typ, err := c.leg(ctx, call, sending)
		if err != nil {
			return nil, err
		}
		switch {
		case typ == protocol.ResultComplete:
			return raw, nil
		case typ == protocol.ResultTask && call.task != nil:
			if err := json.Unmarshal(raw, call.task); err != nil || call.task.TaskID == "" {
				return nil, c.unusable(call, raw, errors.Join(errNoTask, err))
			}
			return raw, nil
		case typ != protocol.ResultInputRequired || !call.asks:
			return nil, c.unusable(call, raw, &ResultTypeError{Type: typ})
		case round >= c.config.maxRounds:
			return nil, &RoundsError{Method: call.method, Rounds: round}
		}
		call.asked = true
		var asked protocol.InputRequiredResult
		if err := json.Unmarshal(raw, &asked); err != nil {
			return nil, c.unusable(call, raw, err)
		}
		if asked.RequestState.Kind() == 'n' { // null: there is none
			asked.RequestState = nil
		}
		if len(asked.InputRequests) == 0 && asked.RequestState == nil {
			return nil, c.unusable(call, raw, errNothingAsked)
		}
		if len(asked.InputRequests) > 0 {
			waited = 0
		} else {
			// The server only wants to be asked again: at once the first time, then
			// with growing patience.
			if waited > 0 {
				if err := sleep(ctx, c.config.backoff.Wait(waited-1, 0)); err != nil {
					return nil, fmt.Errorf("%s: %w", call.method, err)
				}
			}
			waited++
		}
		answers, err := c.gather(ctx, asked.InputRequests)
		if err != nil {
			return nil, fmt.Errorf("%s: the server asked for input: %w", call.method, err)
		}
		if sending, err = withAnswers(params, answers, asked.RequestState); err != nil {
			return nil, fmt.Errorf("%s: encode the answers: %w", call.method, err)
		}
	}
}

var errNoTask = errors.New("a task without taskId")

var errNothingAsked = errors.New("input is required, but neither inputRequests nor requestState say which")

// maxGathering is how many handlers of one call run at the same time.
const maxGathering = 8

// defaultMaxInputs bounds how much a server may ask for at once.
const defaultMaxInputs = 100

// WithMaxInputs bounds how many inputs a server may ask for at once, in one round of
// a call: by default 100. One that asks for more gets none.
func WithMaxInputs(n int) Option {
	return func(c *config) error {
		if n <= 0 {
			return errors.New("client: the inputs must be above zero")
		}
		c.maxInputs = n
		return nil
	}
}

// gather runs the handlers for what a server asks, side by side.
func (c *Client) gather(ctx context.Context, asked map[string]protocol.InputRequest) (map[string]any, error) {
	if n := len(asked); n > c.config.maxInputs {
		return nil, &RequestError{Method: protocol.ResultInputRequired, Err: fmt.Errorf(
			"%d inputs at once, above the limit of %d that client.WithMaxInputs sets", n, c.config.maxInputs)}
	}
	answers := make(map[string]any, len(asked))
	keys := make([]string, 0, len(asked))
	for key := range asked {
		keys = append(keys, key)
	}
	got := make([]any, len(keys))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxGathering)
	for i, key := range keys {
		group.Go(func() error {
			answer, err := c.serve(ctx, asked[key].Method, asked[key].Params)
			got[i] = answer
			if err != nil {
				return fmt.Errorf("input %s: %w", protocol.Quote(key), err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, key := range keys {
		if got[i] == nil { // the handler ended the goroutine, as testing.T.FailNow does
			return nil, &HandlerError{Method: asked[key].Method, Err: errNoAnswer}
		}
		answers[key] = got[i]
	}
	return answers, nil
}

// withAnswers returns params with the answers of a round, and the state as it
// came, byte for byte; neither when there is none.
func withAnswers(params jsontext.Value, answers map[string]any, state jsontext.Value) (jsontext.Value, error) {
	out := append(jsontext.Value(nil), params[:len(params)-1]...)
	member := func(name string, value jsontext.Value) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, `"`+name+`":`...)
		out = append(out, value...)
	}
	if len(answers) > 0 {
		encoded, err := json.Marshal(answers, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		member("inputResponses", encoded)
	}
	if state != nil {
		member("requestState", state)
	}
	return append(out, '}'), nil
}

// A RoundsError means that a server went on asking for input. It matches
// ErrTooManyRounds.
type RoundsError struct {
	Method string
	Rounds int // how often input was given
}

func (e *RoundsError) Error() string {
	return fmt.Sprintf("%s: the server still asks for input after %d rounds; client.WithMaxRounds sets the limit", e.Method, e.Rounds)
}

// Unwrap returns ErrTooManyRounds.
func (e *RoundsError) Unwrap() error { return ErrTooManyRounds }

// ErrTooManyRounds is matched by *RoundsError.
var ErrTooManyRounds = errors.New("too many rounds of input")

// WithMaxRounds bounds how often a server may ask for input during one call:
// by default 10 times.
func WithMaxRounds(n int) Option {
	return func(c *config) error {
		if n < 0 {
			return errors.New("client: rounds must not be negative")
		}
		c.maxRounds = n
		return nil
	}
}

// WithCallLimit bounds a request whose time progress keeps starting anew: by
// default 10 min. A call timeout above it stands in its place.
func WithCallLimit(d time.Duration) Option {
	return func(c *config) error {
		return positive("call limit", d, &c.callLimit)
	}
}
