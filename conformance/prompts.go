package conformance

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

func (s *Server) listPrompts(_ context.Context, c *Call) (reply, error) {
	return listPage(s, c, &s.prompts, "prompts")
}

func (s *Server) getPrompt(ctx context.Context, c *Call) (reply, error) {
	prompt, ok := s.prompts.get(c.Name)
	if !ok {
		return reply{}, invalidParams("unknown prompt: %s", protocol.Quote(c.Name))
	}
	if !c.Principal.has(prompt.Scope) {
		return reply{}, &scopeError{prompt.Scope}
	}
	given := mustObject(c.Arguments)
	for _, a := range prompt.Arguments {
		if a.Required && given.get(a.Name) == nil {
			return reply{}, invalidParams("argument %s is missing", a.Name)
		}
	}
	messages, err := prompt.Get(ctx, c)
	if err != nil {
		return reply{}, err
	}
	list, err := encode(messages)
	if err != nil {
		return reply{}, internalError("the prompt does not encode")
	}
	o := object{}
	if prompt.Description != "" {
		o.set("description", prompt.Description)
	}
	o.set("messages", list)
	return reply{body: o}, nil
}

// completeParams are the parameters of completion/complete.
type completeParams struct {
	Ref struct {
		Type string `json:"type"`
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"ref"`
	Argument struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"argument"`
	Context jsontext.Value `json:"context"`
}

// complete suggests the completions of a prompt argument that begin with what
// was typed. A resource template's variables have none.
func (s *Server) complete(_ context.Context, c *Call) (reply, error) {
	var p completeParams
	if e := bind(c.params, &p); e != nil {
		return reply{}, e
	}
	values := []string{}
	switch p.Ref.Type {
	case "ref/prompt":
		prompt, ok := s.prompts.get(p.Ref.Name)
		if !ok {
			return reply{}, invalidParams("unknown prompt: %s", protocol.Quote(p.Ref.Name))
		}
		values = completions(prompt.Arguments, p.Argument.Name, p.Argument.Value)
	case "ref/resource":
		if _, ok := s.templates.get(p.Ref.URI); !ok && !s.hasResource(p.Ref.URI) {
			return reply{}, invalidParams("unknown resource template")
		}
	default:
		return reply{}, invalidParams("unknown kind of ref")
	}
	type completion struct {
		Values  []string `json:"values"`
		Total   int      `json:"total"`
		HasMore bool     `json:"hasMore"`
	}
	shown := values[:min(len(values), maxCompletions)]
	o := object{}
	o.set("completion", completion{shown, len(values), len(shown) < len(values)})
	return reply{body: o}, nil
}

// maxCompletions is how many suggestions one result may hold.
const maxCompletions = 100

func completions(arguments []PromptArgument, name, typed string) []string {
	found := []string{}
	for _, a := range arguments {
		if a.Name != name {
			continue
		}
		for _, value := range a.Completions {
			if strings.HasPrefix(value, typed) {
				found = append(found, value)
			}
		}
	}
	return found
}
