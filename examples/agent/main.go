// Agent is an agent's loop over all servers of an mcpServers file: a model is
// shown their tools, asks for some, and reads what they answered, until it has
// its answer. The model here is a script, so that it runs offline; put the HTTP
// call to a real one in its place.
//
//	go run ./examples/agent -config examples/agent/mcp.json "What is 2 + 3?"
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/fleet"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/toolcall"
)

// format is the JSON of the model's API; toolcall has those of others.
var format = toolcall.Anthropic

// maxTurns bounds how often the model may ask for tools.
const maxTurns = 10

// A model answers a conversation. tools is the tools member of its API's request,
// messages are those so far; the answer is the assistant's message.
type model func(ctx context.Context, tools jsontext.Value, messages []message) (message, error)

type message struct {
	Role    string           `json:"role"`
	Content []jsontext.Value `json:"content"`
}

func main() {
	path := flag.String("config", "examples/agent/mcp.json", "the `FILE` that names the servers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config, err := fleet.Load(*path)
	if err == nil {
		err = run(ctx, config, scripted, strings.Join(flag.Args(), " "), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// run answers one question, with the tools of all servers that can be reached.
func run(ctx context.Context, config *fleet.Config, ask model, question string, out io.Writer) error {
	servers, err := fleet.New(config)
	if err != nil {
		return err
	}
	defer servers.Close()
	listed, failed := servers.Tools(ctx)
	for server, err := range failed { // the others do without it
		fmt.Fprintf(out, "server %s is left out: %v\n", server, err)
	}
	var tools []toolcall.Tool
	for _, tool := range listed {
		tools = append(tools, toolcall.Of(tool.Name, tool.Definition))
	}
	definitions, err := format.Tools(tools)
	if err != nil {
		return err
	}
	messages := []message{{Role: "user", Content: []jsontext.Value{textBlock(question)}}}
	for range maxTurns {
		answer, err := ask(ctx, definitions, messages)
		if err != nil {
			return err
		}
		messages = append(messages, answer)
		encoded, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		calls, err := format.Calls(encoded)
		if err != nil {
			return err
		}
		if len(calls) == 0 {
			return say(out, answer)
		}
		results := message{Role: "user"}
		for _, call := range calls {
			fmt.Fprintf(out, "calls %s %s\n", call.Name, call.Arguments)
			result, err := servers.CallTool(ctx, call.Name, call.Arguments)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil { // the model may know another way
				result = toolcall.Failure(err)
			}
			block, err := format.Result(call, result)
			if err != nil {
				return err
			}
			results.Content = append(results.Content, block)
		}
		messages = append(messages, results)
	}
	return errors.New("the model went on asking for tools")
}

// say writes the text blocks of a message.
func say(out io.Writer, m message) error {
	for _, content := range m.Content {
		var block protocol.TextContent
		if err := json.Unmarshal(content, &block); err != nil {
			return err
		}
		fmt.Fprintln(out, block.Text)
	}
	return nil
}

func textBlock(text string) jsontext.Value {
	encoded, err := json.Marshal(map[string]string{"type": "text", "text": text})
	if err != nil {
		panic(err) // only text that is no UTF-8 can't be encoded
	}
	return encoded
}

// scripted stands in for a model: it asks for a sum, and for a tool that does
// not exist, and then repeats what it was told.
func scripted(_ context.Context, _ jsontext.Value, messages []message) (message, error) {
	if len(messages) == 1 {
		return message{Role: "assistant", Content: []jsontext.Value{
			jsontext.Value(`{"type":"tool_use","id":"1","name":"demo__add_numbers","input":{"a":2,"b":3}}`),
			jsontext.Value(`{"type":"tool_use","id":"2","name":"demo__multiply","input":{"a":2,"b":3}}`),
		}}, nil
	}
	answer := message{Role: "assistant"}
	for _, result := range messages[len(messages)-1].Content {
		answer.Content = append(answer.Content, textBlock("I was told: "+string(result)))
	}
	return answer, nil
}
