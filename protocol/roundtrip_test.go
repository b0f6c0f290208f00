package protocol_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

func TestRoundTrips(t *testing.T) {
	roundTrip[protocol.Tool](t, `{"name":"add","title":"Add","description":"Adds.","inputSchema":{"type":"object","x":9007199254740993},`+
		`"outputSchema":{"type":"object"},"annotations":{"title":"Add","readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false,"laterHint":1},`+
		`"icons":[{"src":"data:,x","mimeType":"image/png","sizes":["any"],"theme":"dark","later":1}],"_meta":{"a":1},"execution":{"taskSupport":"optional"}}`)
	roundTrip[protocol.ListToolsResult](t, `{"tools":[{"name":"a"}],"nextCursor":"","ttlMs":5,"cacheScope":"private","_meta":{},"resultType":"complete"}`)
	roundTrip[protocol.CallToolParams](t, `{"name":"a","arguments":{"id":9223372036854775807,"ratio":1e400}}`)
	roundTrip[protocol.CallToolParams](t, `{"name":"a"}`)
	roundTrip[protocol.InitializeParams](t, `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	roundTrip[protocol.InitializeResult](t, `{"protocolVersion":"2025-06-18","capabilities":{"prompts":{"listChanged":true},"completions":{}},`+
		`"serverInfo":{"name":"s","version":"2","title":"S","websiteUrl":"https://s.test","later":1},"instructions":"x","_meta":{"a":1},"later":{"b":[9007199254740993]}}`)
	roundTrip[protocol.Progress](t, `{"progressToken":"t","progress":0.5,"total":2,"message":"m","_meta":{},"later":1}`)
	roundTrip[protocol.Progress](t, `{"progressToken":7,"progress":3}`)
	roundTrip[protocol.CancelledParams](t, `{"requestId":12,"reason":"timeout"}`)
	roundTrip[protocol.ListRootsResult](t, `{"roots":[{"uri":"file:///a","name":"a","_meta":{},"later":1}]}`)
	roundTrip[protocol.ElicitRequest](t, `{"message":"Sure?","requestedSchema":{"type":"object","properties":{"ok":{"type":"boolean","default":false},"n":{"oneOf":[{"const":"a","title":"A"}]}}}}`)
	roundTrip[protocol.ElicitRequest](t, `{"mode":"url","message":"Log in","url":"https://a.test","elicitationId":"e","_meta":{},"later":1}`)
	roundTrip[protocol.ElicitResult](t, `{"action":"accept","content":{"ok":false},"_meta":{},"later":1}`)
	roundTrip[protocol.ElicitResult](t, `{"action":"decline"}`)
	roundTrip[protocol.CreateMessageRequest](t, `{"messages":[{"role":"user","content":[{"type":"text","text":"x"}],"_meta":{},"later":1}],`+
		`"modelPreferences":{"hints":[{"name":"m","later":1}],"costPriority":0,"speedPriority":1,"intelligencePriority":0.5,"later":1},`+
		`"systemPrompt":"s","includeContext":"none","temperature":0,"maxTokens":9007199254740993,"stopSequences":["x"],"metadata":{"a":1},`+
		`"tools":[{"name":"t"}],"toolChoice":{"mode":"auto","later":1},"_meta":{},"later":1}`)
	roundTrip[protocol.CreateMessageResult](t, `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}],"model":"m","stopReason":"vendor_x","_meta":{},"later":1}`)
	roundTrip[protocol.CallToolResult](t, `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"id":9007199254740993,"ratio":1e400},"isError":true,"_meta":{"a":18446744073709551617},"toolResult":{"content":[]},"later":9007199254740993}`)
	roundTrip[protocol.ListResourcesResult](t, `{"resources":[{"uri":"file:///a b","name":"a","title":"A","size":9007199254740993,"annotations":{"audience":["user"],"lastModified":"2026-01-01T00:00:00Z","later":1},"_meta":{},"later":1}],"nextCursor":"n","ttlMs":1,"cacheScope":"public","_meta":{},"resultType":"complete"}`)
	roundTrip[protocol.ListResourceTemplatesResult](t, `{"resourceTemplates":[{"uriTemplate":"file:///{path}","name":"a","mimeType":"text/plain","later":1}],"later":1}`)
	roundTrip[protocol.ResourceParams](t, `{"uri":"file:///a"}`)
	roundTrip[protocol.ReadResourceResult](t, `{"contents":[{"uri":"file:///a","text":"x","later":1},{"uri":"file:///b","blob":""}],"ttlMs":5,"cacheScope":"private","later":1}`)
	roundTrip[protocol.ListPromptsResult](t, `{"prompts":[{"name":"p","title":"P","arguments":[{"name":"a","required":true,"later":1}],"_meta":{},"later":1}],"nextCursor":"","later":1}`)
	roundTrip[protocol.GetPromptParams](t, `{"name":"p","arguments":{"a":"x"}}`)
	roundTrip[protocol.GetPromptResult](t, `{"description":"d","messages":[{"role":"user","content":[{"type":"text","text":"x"}],"later":1}],"_meta":{},"later":1}`)
	roundTrip[protocol.CompleteParams](t, `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""},"context":{"arguments":{"b":"y"}}}`)
	roundTrip[protocol.CompleteResult](t, `{"completion":{"values":["a"],"total":0,"hasMore":true,"later":1},"_meta":{},"later":1}`)
	roundTrip[protocol.LogMessage](t, `{"level":"warning","logger":"l","data":{"n":9007199254740993},"_meta":{},"later":1}`)
	roundTrip[protocol.SetLevelParams](t, `{"level":"debug"}`)
	roundTrip[protocol.InputRequiredResult](t, `{"inputRequests":{"k":{"method":"roots/list"},"l":{"method":"elicitation/create","params":{"message":"m"}}},"requestState":"","_meta":{}}`)
	roundTrip[protocol.ListenParams](t, `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["file:///a"],"later":1},"_meta":{}}`)
}

// roundTrip reads text, writes it again, and wants every member back, digit for
// digit.
func roundTrip[T any](t *testing.T, text string) {
	t.Helper()
	data := []byte(text)
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		t.Errorf("%T: %v", v, err)
		return
	}
	clear(data) // nothing of the input is kept
	got, err := json.Marshal(v)
	if err != nil {
		t.Errorf("%T: %v", v, err)
		return
	}
	if diff := cmp.Diff(canonical(t, []byte(text)), canonical(t, got)); diff != "" {
		t.Errorf("%T (-want +got):\n%s", v, diff)
	}
}

// A server with nothing to list may send null, or leave the list out.
func TestListsOfNullAreEmpty(t *testing.T) {
	empty(t, `{"prompts":null}`, func(r protocol.ListPromptsResult) int { return len(r.Prompts.Items) })
	empty(t, `{"resources":null}`, func(r protocol.ListResourcesResult) int { return len(r.Resources.Items) })
	empty(t, `{"resourceTemplates":null}`, func(r protocol.ListResourceTemplatesResult) int { return len(r.ResourceTemplates.Items) })
	empty(t, `{"contents":null}`, func(r protocol.ReadResourceResult) int { return len(r.Contents.Items) })
	empty(t, `{"messages":null}`, func(r protocol.GetPromptResult) int { return len(r.Messages.Items) })
	empty(t, `{"name":"p","arguments":null}`, func(p protocol.Prompt) int { return len(p.Arguments) })
	empty(t, `{"completion":{"values":null}}`, func(r protocol.CompleteResult) int { return len(r.Completion.Values) })
	empty(t, `{}`, func(r protocol.ReadResourceResult) int { return len(r.Contents.Items) })
	empty(t, `{}`, func(r protocol.GetPromptResult) int { return len(r.Messages.Items) })
}

func empty[T any](t *testing.T, text string, size func(T) int) {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil || size(v) != 0 {
		t.Errorf("%T of %s has %d elements, %v", v, text, size(v), err)
	}
}

func TestCompletionRefs(t *testing.T) {
	for want, ref := range map[string]protocol.CompletionRef{
		`{"type":"ref/prompt","name":"p"}`:            protocol.PromptRef("p"),
		`{"type":"ref/resource","uri":"file:///{p}"}`: protocol.TemplateRef("file:///{p}"),
	} {
		if got, err := json.Marshal(ref); err != nil || string(got) != want {
			t.Errorf("%v is written as %s, %v; want %s", ref, got, err, want)
		}
	}
}
