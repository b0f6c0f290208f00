package client_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// modelAsks makes a server of an era ask for a completion, once for each params,
// each during a call of one client.
func modelAsks(t *testing.T, era string, handler any, params ...string) {
	t.Helper()
	var answers []fault.Answer
	for n, p := range params {
		request := `"method":"sampling/createMessage","params":` + p + `}`
		if era == "legacy" {
			answers = append(answers, fault.Answer{
				fault.Stream(), fault.Message(fmt.Sprintf(`{"jsonrpc":"2.0","id":"asked-%d",`, n) + request), fault.Hold(fmt.Sprint(n)), fault.Content("done"),
			})
		} else {
			answers = append(answers, inputRequired("", "k", `{`+request), fault.Answer{fault.Content("done")})
		}
	}
	script := modernCalls(answers...)
	if era == "legacy" {
		script = fault.Legacy("2025-11-25").With(fault.Script{protocol.MethodCallTool: answers})
	}
	s := overHTTP(t, script)
	c := s.connected(t, client.WithHandler(handler), client.WithSamplingTools())
	for n := range params {
		if era == "legacy" {
			go func() {
				_, _ = s.Await(t.Context(), fault.Response, n+1)
				s.Release(fmt.Sprint(n))
			}()
		}
		if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
			t.Fatal(err)
		}
	}
}

// B-SAM-03, B-SAM-04, B-SAM-07: what a model must keep to reaches the handler as
// the server said it, hints in their order.
func TestTheSamplerSeesWhatItMustKeepTo(t *testing.T) {
	const params = `{"messages":[],"maxTokens":7,"temperature":0.5,"stopSequences":["end"],"systemPrompt":"Be brief.",` +
		`"modelPreferences":{"hints":[{"name":"large"},{"name":"any"}],"speedPriority":0.25},` +
		`"tools":[{"name":"a","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"required"}}`
	bothEras(t, func(t *testing.T, era string) {
		modelAsks(t, era, sampler(func(_ context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
			speed, temperature := 0.25, 0.5
			want := &protocol.CreateMessageRequest{
				Messages: []protocol.SamplingMessage{}, MaxTokens: 7, Temperature: &temperature,
				StopSequences: []string{"end"}, SystemPrompt: "Be brief.",
				ModelPreferences: &protocol.ModelPreferences{
					Hints: []protocol.ModelHint{{Name: "large"}, {Name: "any"}}, SpeedPriority: &speed,
				},
				Tools:      protocol.List[protocol.Tool]{Items: []protocol.Tool{{Name: "a", InputSchema: []byte(`{"type":"object"}`)}}},
				ToolChoice: &protocol.ToolChoice{Mode: "required"},
			}
			if diff := cmp.Diff(want, req); diff != "" {
				t.Errorf("the handler got (-want +got):\n%s", diff)
			}
			return says("ok")(t.Context(), req)
		}), params)
	})
}

// B-SAM-09: one request's messages are not there in the next.
func TestNoMessageIsKeptForAnotherRequest(t *testing.T) {
	bothEras(t, func(t *testing.T, era string) {
		var seen []string
		ask := func(text string) string { return strings.Replace(hiParams, "Hi", text, 1) }
		modelAsks(t, era, sampler(func(ctx context.Context, req *protocol.CreateMessageRequest) (*protocol.CreateMessageResult, error) {
			for _, m := range req.Messages {
				seen = append(seen, fmt.Sprint(len(req.Messages), " ", m.Content.Text()))
			}
			return says("ok")(ctx, req)
		}), ask("one"), ask("two"))
		if diff := cmp.Diff([]string{"1 one", "1 two"}, seen); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
