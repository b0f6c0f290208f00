package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// A program is what an application does, written once.
type program struct {
	*client.Client
	user *user
}

// steps are the program. Each returns what an application would see, and must
// return the same wherever the server is and whatever era it speaks.
var steps = []struct {
	name string
	do   func(context.Context, *program) (any, error)
	want any // nil where it is enough that all places agree
}{
	{"instructions", func(_ context.Context, p *program) (any, error) { return p.Instructions(), nil }, "Be kind."},
	{"tools: the first page (B-PAG-04)", func(ctx context.Context, p *program) (any, error) {
		r, err := p.ListTools(ctx)
		if err != nil {
			return nil, err
		}
		return names(r.Tools.Items, r.NextCursor), nil
	}, nil},
	{"tools: the second page by its cursor (B-PAG-03)", func(ctx context.Context, p *program) (any, error) {
		first, err := p.ListTools(ctx)
		if err != nil {
			return nil, err
		}
		second, err := p.ListTools(ctx, client.Cursor(*first.NextCursor))
		if err != nil {
			return nil, err
		}
		return names(second.Tools.Items, second.NextCursor), nil
	}, nil},
	{"tools: all pages, with their schemas (M-SCH-08)", func(ctx context.Context, p *program) (any, error) {
		return gather(p.Tools(ctx))
	}, nil},
	{"tools: a refused cursor", func(ctx context.Context, p *program) (any, error) {
		_, err := p.ListTools(ctx, client.Cursor("no such page"))
		return code(err), nil
	}, int64(protocol.CodeInvalidParams)},
	{"call: arguments from a map", calls("arguments", map[string]any{"n": 1, "s": "ünï"}), `{"n":1,"s":"ünï"}`},
	{"call: arguments from a struct", calls("arguments", struct {
		City string `json:"city"`
		Days int    `json:"days,omitempty"`
	}{City: "Oslo"}), `{"city":"Oslo"}`},
	{"call: numbers and member order of raw JSON survive (B089)", calls("arguments",
		json.RawMessage(`{ "z": 9223372036854775807, "ratio": 1e400, "a": 1.50 }`)), `{"z":9223372036854775807,"ratio":1e400,"a":1.50}`},
	{"call: raw JSON in bytes", calls("arguments", []byte(`{"b":1,"a":2}`)), `{"b":1,"a":2}`},
	{"call: no arguments", calls("arguments", nil), `{}`},
	{"call: large integers in structured content survive (B088)", func(ctx context.Context, p *program) (any, error) {
		r, err := p.CallTool(ctx, "arguments", jsontext.Value(`{"id":9007199254740993}`))
		if err != nil {
			return nil, err
		}
		return string(r.StructuredContent), nil
	}, `{"id":9007199254740993}`},
	{"call: structured content into a type", func(ctx context.Context, p *program) (any, error) {
		type sum struct {
			Sum float64 `json:"sum"`
		}
		return client.CallToolAs[sum](ctx, p.Client, "add_numbers", map[string]any{"a": 1, "b": 2})
	}, nil},
	{"call: a tool's own failure is no error (B-TOL-03)", func(ctx context.Context, p *program) (any, error) {
		r, err := p.CallTool(ctx, "test_error_handling", nil)
		if err != nil {
			return nil, err
		}
		return fmt.Sprint(r.IsError, " ", r.Text()), nil
	}, "true this tool always fails"},
	{"call: a tool's own failure is an error of CallToolAs", func(ctx context.Context, p *program) (any, error) {
		_, err := client.CallToolAs[any](ctx, p.Client, "test_error_handling", nil)
		failed, _ := errors.AsType[*client.ToolError](err)
		return failed.Result.Text(), nil
	}, "this tool always fails"},
	{"call: an unknown tool", func(ctx context.Context, p *program) (any, error) {
		_, err := p.CallTool(ctx, "no such tool", nil)
		return code(err), nil
	}, int64(protocol.CodeInvalidParams)},
	{"call: content of every kind", func(ctx context.Context, p *program) (any, error) {
		var all []protocol.Contents
		for _, tool := range []string{
			"test_image_content", "test_audio_content", "test_embedded_resource", "test_resource_link", "test_multiple_content_types",
		} {
			r, err := p.CallTool(ctx, tool, nil)
			if err != nil {
				return nil, err
			}
			all = append(all, r.Content)
		}
		return all, nil
	}, nil},
	{"call: content of an unknown type is kept (B085)", func(ctx context.Context, p *program) (any, error) {
		r, err := p.CallTool(ctx, "unknown_content", nil)
		if err != nil {
			return nil, err
		}
		return r.Content, nil
	}, protocol.Contents{
		&protocol.UnknownContent{Type: "hologram", Raw: jsontext.Value(`{"type":"hologram","depth":9007199254740993}`)},
		&protocol.TextContent{Text: "beside it"},
	}},
	{"resources: all", func(ctx context.Context, p *program) (any, error) { return gather(p.Resources(ctx)) }, nil},
	{"resources: a page", func(ctx context.Context, p *program) (any, error) {
		r, err := p.ListResources(ctx)
		if err != nil {
			return nil, err
		}
		return r.Resources.Items, nil
	}, nil},
	{"resources: a text", reads("test://static-text"), nil},
	{"resources: bytes (B-RES-01)", reads("test://static-binary"), nil},
	{"resources: a missing one (M-ERR-06)", func(ctx context.Context, p *program) (any, error) {
		_, err := p.ReadResource(ctx, "test://missing")
		return errors.Is(err, client.ErrResourceNotFound), nil
	}, true},
	{"templates: one expanded and read", func(ctx context.Context, p *program) (any, error) {
		for template, err := range p.ResourceTemplates(ctx) {
			if err != nil {
				return nil, err
			}
			uri, err := client.ExpandTemplate(template, map[string]any{"id": "42"})
			if err != nil {
				return nil, err
			}
			return reads(uri)(ctx, p)
		}
		return nil, errors.New("no template")
	}, nil},
	{"templates: a page", func(ctx context.Context, p *program) (any, error) {
		r, err := p.ListResourceTemplates(ctx)
		if err != nil {
			return nil, err
		}
		return r.ResourceTemplates.Items, nil
	}, nil},
	{"prompts: all", func(ctx context.Context, p *program) (any, error) { return gather(p.Prompts(ctx)) }, nil},
	{"prompts: a page", func(ctx context.Context, p *program) (any, error) {
		r, err := p.ListPrompts(ctx)
		if err != nil {
			return nil, err
		}
		return r.Prompts.Items, nil
	}, nil},
	{"prompts: one with arguments", gets("test_prompt_with_arguments", map[string]string{"arg1": "x", "arg2": "y"}), nil},
	{"prompts: one with an image", gets("test_prompt_with_image", nil), nil},
	{"prompts: a missing argument", func(ctx context.Context, p *program) (any, error) {
		_, err := p.GetPrompt(ctx, "test_prompt_with_arguments", nil)
		return code(err), nil
	}, int64(protocol.CodeInvalidParams)},
	{"completion", func(ctx context.Context, p *program) (any, error) {
		r, err := p.Complete(ctx, protocol.PromptRef("test_prompt_with_arguments"), "arg1", "par", map[string]string{"arg2": "z"})
		if err != nil {
			return nil, err
		}
		return r.Values, nil
	}, []string{"paris", "park", "party"}},
	{"input: sampling", asksUser("test_sampling", map[string]any{"prompt": "Hi?"}),
		answer{"LLM response: re: Hi?", []string{"sampling: Hi?"}}},
	{"input: a form", asksUser("test_elicitation", map[string]any{"message": "Who?"}),
		answer{`User response: action=accept, content={"email":"ada@example.com","username":"ada"}`, []string{"elicitation: Who?"}}},
	{"input: a form's defaults (B-ELI-05)", asksUser("test_elicitation_sep1034_defaults", nil),
		answer{`Elicitation completed: action=accept, content={"age":30,"name":"John Doe","score":95.5,"status":"active","verified":true}`,
			[]string{"elicitation: Please check the defaults."}}},
	{"input: a form of choices", asksUser("test_elicitation_sep1330_enums", nil),
		answer{"Elicitation completed: action=accept, content={}", []string{"elicitation: Please choose."}}},
	{"input: a visit", asksUser("test_elicitation_url", nil), answer{"Visit: accept", []string{"visit: https://example.com/sign-in"}}},
	{"input: roots", asksUser("test_list_roots", nil), answer{"Roots: file:///home/ada/project", []string{"roots"}}},
	{"input: three at once", asksUser("test_input_required_result_multiple_inputs", nil),
		answer{"re: Generate a greeting Ada. Roots: file:///home/ada/project",
			[]string{"elicitation: What is your name?", "roots", "sampling: Generate a greeting"}}},
	{"input: twice, one after the other", asksUser("test_input_required_result_multi_round", nil),
		answer{"Ada likes blue", []string{"elicitation: Step 1: What is your name?", "elicitation: Step 2: What is your favorite color?"}}},
	{"input: for a prompt (M-MRT-07)", gets("test_input_required_result_prompt", nil), nil},
	{"input: for a resource (M-MRT-07)", reads("test://input-required"), nil},
	{"progress (B-PRG-01)", func(ctx context.Context, p *program) (any, error) {
		var got []string
		_, err := p.CallTool(ctx, "test_tool_with_progress", nil, client.OnProgress(func(p protocol.Progress) {
			got = append(got, fmt.Sprintf("%v of %v", p.Progress, *p.Total))
		}))
		return got, err
	}, []string{"0 of 100", "50 of 100", "100 of 100"}},
	{"logs of one level and above (M-LOG-01, L-LOG-01)", func(ctx context.Context, p *program) (any, error) {
		var got []string
		_, err := p.CallTool(ctx, "test_logging_tool", nil, client.Logs(protocol.LogError, func(m protocol.LogMessage) {
			got = append(got, fmt.Sprintf("%s %s", m.Level, m.Data))
		}))
		return got, err
	}, []string{
		`error {"level":"error"}`, `critical {"level":"critical"}`, `alert {"level":"alert"}`, `emergency {"level":"emergency"}`,
	}},
	{"logs of a lower level", func(ctx context.Context, p *program) (any, error) {
		n := 0
		_, err := p.CallTool(ctx, "test_logging_tool", nil, client.Logs(protocol.LogDebug, func(protocol.LogMessage) { n++ }))
		return n, err
	}, 8},
	{"logs of a higher level again", func(ctx context.Context, p *program) (any, error) {
		n := 0
		_, err := p.CallTool(ctx, "test_logging_tool", nil, client.Logs(protocol.LogAlert, func(protocol.LogMessage) { n++ }))
		return n, err
	}, 2},
	{"a canceled call is canceled at the server (B-CAN-01)", func(ctx context.Context, p *program) (any, error) {
		waiting, cancel := context.WithCancel(ctx)
		_, err := p.CallTool(waiting, "wait", nil, client.OnProgress(func(protocol.Progress) { cancel() }))
		if !errors.Is(err, context.Canceled) {
			return nil, fmt.Errorf("the canceled call: %w", err)
		}
		r, err := p.CallTool(ctx, "until_canceled", nil)
		if err != nil {
			return nil, err
		}
		return r.Text(), nil
	}, "wait was canceled"},
	{"changes", subscribes, []string{"acknowledged", "tools ", "prompts ", "resources ", "resource test://watched-resource"}},
	{"changes of nothing", func(ctx context.Context, p *program) (any, error) {
		for _, err := range p.Subscribe(ctx, protocol.SubscriptionFilter{ResourceSubscriptions: []string{"test://missing"}}) {
			return errors.Is(err, client.ErrNoSubscriptions), nil
		}
		return nil, errors.New("the subscription said nothing")
	}, true},
}

// L-TRN-04, M-DSC-01: one program, eight places, the same results. Promise 5:
// the caller does not see the era.
func TestTheSameProgramGivesTheSameEverywhere(t *testing.T) {
	var first []any // what the first place gave
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			u := new(user)
			c := p.connect(t, client.WithHandler(u))
			if got := c.Era().String(); got != p.era.String() {
				t.Fatalf("the era is %s", got)
			}
			results := make([]any, len(steps))
			for i, step := range steps {
				t.Run(step.name, func(t *testing.T) {
					got, err := step.do(t.Context(), &program{c, u})
					if err != nil {
						t.Fatal(err)
					}
					u.questions()
					results[i] = got
					if diff := cmp.Diff(step.want, got); step.want != nil && diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
					if first == nil {
						return
					}
					if diff := cmp.Diff(first[i], got); diff != "" {
						t.Errorf("it differs from what %s gave (-there +here):\n%s", places()[0].name, diff)
					}
				})
			}
			if first == nil {
				first = results
			}
		})
	}
}

func names(tools []protocol.Tool, next *string) []string {
	var all []string
	for _, tool := range tools {
		all = append(all, tool.Name)
	}
	if next == nil {
		return append(all, "the end")
	}
	return append(all, "more")
}

func gather[T any](items func(func(*T, error) bool)) ([]*T, error) {
	var all []*T
	for item, err := range items {
		if err != nil {
			return all, err
		}
		all = append(all, item)
	}
	if len(all) == 0 {
		return nil, errors.New("the list is empty")
	}
	return all, nil
}

// code returns the code of a server's error; 0 for any other.
func code(err error) int64 {
	server, ok := errors.AsType[*transport.ServerError](err)
	if !ok {
		return 0
	}
	return server.Err.Code
}

func calls(tool string, args any) func(context.Context, *program) (any, error) {
	return func(ctx context.Context, p *program) (any, error) {
		r, err := p.CallTool(ctx, tool, args)
		if err != nil {
			return nil, err
		}
		return r.Text(), nil
	}
}

func reads(uri string) func(context.Context, *program) (any, error) {
	return func(ctx context.Context, p *program) (any, error) {
		r, err := p.ReadResource(ctx, uri)
		if err != nil {
			return nil, err
		}
		return r.Contents.Items, nil
	}
}

func gets(prompt string, args map[string]string) func(context.Context, *program) (any, error) {
	return func(ctx context.Context, p *program) (any, error) {
		r, err := p.GetPrompt(ctx, prompt, args)
		if err != nil {
			return nil, err
		}
		return r.Messages.Items, nil
	}
}

// An answer is a tool's text and what the user was asked for it, sorted.
type answer struct {
	Text  string
	Asked []string
}

func asksUser(tool string, args any) func(context.Context, *program) (any, error) {
	return func(ctx context.Context, p *program) (any, error) {
		p.user.questions()
		r, err := p.CallTool(ctx, tool, args)
		if err != nil {
			return nil, err
		}
		asked := p.user.questions()
		sort.Strings(asked)
		return answer{r.Text(), asked}, nil
	}
}

// subscribes makes one change of each kind, each once the one before is told.
func subscribes(ctx context.Context, p *program) (any, error) {
	triggers := []string{
		"test_trigger_tool_change", "test_trigger_prompt_change", "test_trigger_resource_change", "test_trigger_resource_update",
	}
	filter := protocol.SubscriptionFilter{
		ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true,
		ResourceSubscriptions: []string{"test://watched-resource", "test://missing"},
	}
	var got []string
	for change, err := range p.Subscribe(ctx, filter) {
		if err != nil {
			return got, err
		}
		if change.Kind == client.Acknowledged {
			want := filter
			want.ResourceSubscriptions = []string{"test://watched-resource"} // M-SUB-02: what was refused is told
			if diff := cmp.Diff(want, change.Granted); diff != "" {
				return got, fmt.Errorf("granted (-want +got):\n%s", diff)
			}
			got = append(got, string(change.Kind))
		} else {
			got = append(got, string(change.Kind)+" "+change.URI)
		}
		if len(triggers) == 0 {
			break
		}
		if _, err := p.CallTool(ctx, triggers[0], nil); err != nil {
			return got, err
		}
		triggers = slices.Delete(triggers, 0, 1)
	}
	return got, nil
}
