package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcpera/mcpera/conformance"
	"github.com/mcpera/mcpera/fleet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// servers describes the reference server, and one that can't be started.
func servers(t *testing.T) *fleet.Config {
	t.Helper()
	srv := conformance.New()
	t.Cleanup(srv.Close)
	web := httptest.NewServer(srv)
	t.Cleanup(web.Close)
	return &fleet.Config{Servers: []fleet.Server{
		{Name: "demo", URL: web.URL}, {Name: "gone", Command: "no-such-program-anywhere"},
	}}
}

func TestTheAgentFindsItsAnswer(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), servers(t), scripted, "What is 2 + 3?", &out); err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(out.String(), "\n")
	if !strings.HasPrefix(first, "server gone is left out: ") {
		t.Errorf("the agent says %s", first)
	}
	want := `calls demo__add_numbers {"a":2,"b":3}
calls demo__multiply {"a":2,"b":3}
I was told: {"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"5"}]}
I was told: {"type":"tool_result","tool_use_id":"2","content":[{"type":"text","text":"fleet: no server has a tool \"demo__multiply\""}],"is_error":true}
`
	if diff := cmp.Diff(want, rest); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// B-TOL-06.
func TestTheAgentShowsItsModelTheTools(t *testing.T) {
	enough := errors.New("enough")
	err := run(t.Context(), servers(t), func(_ context.Context, tools jsontext.Value, _ []message) (message, error) {
		if !strings.Contains(string(tools), `{"name":"demo__add_numbers","description":"Adds two numbers.","input_schema":{`) {
			t.Errorf("the model was shown %s", tools)
		}
		return message{}, enough
	}, "", new(strings.Builder))
	if !errors.Is(err, enough) {
		t.Errorf("run gave %v", err)
	}
}

// B-SAM-08: a loop over tools has a bound.
func TestAModelThatNeverEndsIsStopped(t *testing.T) {
	err := run(t.Context(), servers(t), func(context.Context, jsontext.Value, []message) (message, error) {
		return message{Role: "assistant", Content: []jsontext.Value{
			jsontext.Value(`{"type":"tool_use","id":"1","name":"demo__echo","input":{"message":"again"}}`),
		}}, nil
	}, "", new(strings.Builder))
	if err == nil || err.Error() != "the model went on asking for tools" {
		t.Errorf("run gave %v", err)
	}
}

func TestTheConfigurationIsGood(t *testing.T) {
	config, err := fleet.Load("mcp.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := config.Err(); err != nil || len(config.Servers) != 1 {
		t.Errorf("mcp.json: %v, %v", config, err)
	}
}
