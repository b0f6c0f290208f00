package conformance

import (
	"context"
	"fmt"

	"github.com/mcpera/mcpera/protocol"
)

func fixtureResources() []Resource {
	return []Resource{
		{URI: "test://static-text", Name: "static-text", Description: "A text that never changes.", MIMEType: "text/plain",
			Read: TextResource("text/plain", "This is the content of the static text resource.")},
		{URI: "test://static-binary", Name: "static-binary", Description: "An image that never changes.", MIMEType: "image/png",
			Read: func(_ context.Context, c *Call) ([]protocol.ResourceContents, error) {
				return []protocol.ResourceContents{{URI: c.Name, MIMEType: "image/png", Blob: redPixelPNG}}, nil
			}},
		{URI: "test://watched-resource", Name: "watched-resource", Description: "A text to subscribe to.", MIMEType: "text/plain",
			Read: TextResource("text/plain", "This is the content of the watched resource.")},
		{URI: "test://input-required", Name: "input-required", Description: "A text that asks for whom it is.", MIMEType: "text/plain",
			Read: readGreeting},
	}
}

func readGreeting(ctx context.Context, c *Call) ([]protocol.ResourceContents, error) {
	answers, err := c.Ask(ctx, askName("user_name", "Whom is this for?"))
	if err != nil {
		return nil, err
	}
	return TextResource("text/plain", "For "+field(answers, "user_name", "name")+".")(ctx, c)
}

func fixtureTemplates() []ResourceTemplate {
	return []ResourceTemplate{{
		URITemplate: "test://template/{id}/data", Name: "template-data", Description: "Data by id.", MIMEType: "application/json",
		Read: func(ctx context.Context, c *Call) ([]protocol.ResourceContents, error) {
			id := c.Variables["id"]
			text := mustEncode(struct {
				ID   string `json:"id"`
				Test bool   `json:"templateTest"`
				Data string `json:"data"`
			}{id, true, "Data for ID: " + id})
			return TextResource("application/json", string(text))(ctx, c)
		},
	}}
}

func fixturePrompts() []Prompt {
	return []Prompt{
		{Name: "test_simple_prompt", Description: "A prompt without arguments.",
			Get: func(context.Context, *Call) ([]PromptMessage, error) {
				return userSays(&protocol.TextContent{Text: "This is a simple prompt for testing."}), nil
			}},
		{Name: "test_prompt_with_arguments", Description: "A prompt with two arguments.",
			Arguments: []PromptArgument{
				{Name: "arg1", Description: "The first argument.", Required: true, Completions: []string{"paris", "park", "party", "test1", "test2"}},
				{Name: "arg2", Description: "The second argument.", Required: true},
			},
			Get: promptWithArguments},
		{Name: "test_prompt_with_embedded_resource", Description: "A prompt with a resource inside.",
			Arguments: []PromptArgument{{Name: "resourceUri", Description: "The URI of the resource.", Required: true}},
			Get:       promptWithResource},
		{Name: "test_prompt_with_image", Description: "A prompt with an image inside.",
			Get: func(context.Context, *Call) ([]PromptMessage, error) {
				return userSays(&protocol.ImageContent{Data: redPixelPNG, MIMEType: "image/png"},
					&protocol.TextContent{Text: "Please analyze the image above."}), nil
			}},
		{Name: "test_input_required_result_prompt", Description: "A prompt that asks for its context.", Get: promptWithInput},
	}
}

func promptWithArguments(_ context.Context, c *Call) ([]PromptMessage, error) {
	var p struct {
		Arg1 string `json:"arg1"`
		Arg2 string `json:"arg2"`
	}
	if err := c.Bind(&p); err != nil {
		return nil, err
	}
	return userSays(&protocol.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", p.Arg1, p.Arg2)}), nil
}

func promptWithResource(_ context.Context, c *Call) ([]PromptMessage, error) {
	var p struct {
		URI string `json:"resourceUri"`
	}
	if err := c.Bind(&p); err != nil {
		return nil, err
	}
	return userSays(
		&protocol.EmbeddedResource{Resource: protocol.ResourceContents{
			URI: p.URI, MIMEType: "text/plain", Text: "Embedded resource content for testing.",
		}},
		&protocol.TextContent{Text: "Please process the embedded resource above."}), nil
}

func promptWithInput(ctx context.Context, c *Call) ([]PromptMessage, error) {
	answers, err := c.Ask(ctx, Elicit("user_context", "What context should the prompt use?",
		`{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`))
	if err != nil {
		return nil, err
	}
	return userSays(&protocol.TextContent{Text: "Use this context: " + field(answers, "user_context", "context")}), nil
}

func userSays(content ...protocol.Content) []PromptMessage {
	messages := make([]PromptMessage, len(content))
	for i, c := range content {
		messages[i] = PromptMessage{Role: "user", Content: c}
	}
	return messages
}

// askName is the elicitation of a name.
func askName(key, question string) Input {
	return Elicit(key, question, `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
}

// field is a text that the user filled into a form, or what they did instead.
func field(answers Answers, key, name string) string {
	answer := answers.Elicitation(key)
	if answer.Action != protocol.ElicitAccept {
		return "nobody (" + answer.Action + ")"
	}
	text, _ := answer.Content[name].(string)
	return text
}
