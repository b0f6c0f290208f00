package protocol_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

// Whatever stands where a hint is due, the hint is what it costs.
func TestAHintCostsNothingButItself(t *testing.T) {
	wrong := []string{`null`, `7`, `1e999`, `true`, `"x"`, `[]`, `[7,null,"x",[],{}]`, `{}`, `{"a":{"b":[1]}}`, `[{"src":7},{"src":"https://x.test/i","sizes":"any"}]`}
	tool := func(r *protocol.ListToolsResult) string { return r.Tools.Items[0].Name + r.Tools.Items[0].Description }
	for hint, tc := range map[string]struct {
		text string // %s is where the hint stands
		read func(t *testing.T, text string) string
	}{
		"ttlMs of a list":       {`{"tools":[{"name":"n","description":"d"}],"ttlMs":%s,"cacheScope":"private"}`, into(tool)},
		"cacheScope of a list":  {`{"tools":[{"name":"n","description":"d"}],"cacheScope":%s,"ttlMs":5}`, into(tool)},
		"_meta of a list":       {`{"tools":[{"name":"n","description":"d"}],"_meta":%s}`, into(tool)},
		"annotations of a tool": {`{"tools":[{"name":"n","annotations":%s,"description":"d"}]}`, into(tool)},
		"icons of a tool":       {`{"tools":[{"name":"n","icons":%s,"description":"d"}]}`, into(tool)},
		"_meta of a tool":       {`{"tools":[{"name":"n","_meta":%s,"description":"d"}]}`, into(tool)},
		"a hint of a tool":      {`{"tools":[{"name":"n","annotations":{"readOnlyHint":%s},"description":"d"}]}`, into(tool)},
		"annotations of text":   {`{"content":[{"type":"text","text":"nd","annotations":%s}]}`, into((*protocol.CallToolResult).Text)},
		"a priority":            {`{"content":[{"type":"text","text":"nd","annotations":{"priority":%s}}]}`, into((*protocol.CallToolResult).Text)},
		"annotations of a resource": {`{"resources":[{"uri":"n","name":"d","annotations":%s}]}`, into(func(r *protocol.ListResourcesResult) string {
			return r.Resources.Items[0].URI + r.Resources.Items[0].Name
		})},
		"icons of a template": {`{"resourceTemplates":[{"uriTemplate":"n","name":"d","icons":%s}]}`, into(func(r *protocol.ListResourceTemplatesResult) string {
			return r.ResourceTemplates.Items[0].URITemplate + r.ResourceTemplates.Items[0].Name
		})},
		"icons of a prompt": {`{"prompts":[{"name":"nd","icons":%s}],"cacheScope":7}`, into(func(r *protocol.ListPromptsResult) string {
			return r.Prompts.Items[0].Name
		})},
		"cacheScope of contents": {`{"contents":[{"uri":"a:1","text":"nd"}],"cacheScope":%s}`, into(func(r *protocol.ReadResourceResult) string {
			return r.Contents.Items[0].Text
		})},
		"icons of a legacy server":     {`{"protocolVersion":"n","serverInfo":{"name":"d","icons":%s}}`, into(initialized)},
		"cacheScope of DiscoverResult": {`{"supportedVersions":["n"],"instructions":"d","cacheScope":%s}`, into(discovered)},
		"_meta of DiscoverResult":      {`{"supportedVersions":["n"],"instructions":"d","_meta":%s}`, into(discovered)},
	} {
		t.Run(hint, func(t *testing.T) {
			for _, value := range wrong {
				text := strings.Replace(tc.text, "%s", value, 1)
				if got := tc.read(t, text); got != "nd" {
					t.Errorf("%s reads as %q", text, got)
				}
			}
		})
	}
}

func initialized(r *protocol.InitializeResult) string { return r.ProtocolVersion + r.ServerInfo.Name }

func discovered(r *protocol.DiscoverResult) string { return r.SupportedVersions[0] + r.Instructions }

// into reads a result of a type, by either way to read one.
func into[T any](of func(*T) string) func(*testing.T, string) string {
	return func(t *testing.T, text string) string {
		t.Helper()
		var whole, quick T
		if err := json.Unmarshal([]byte(text), &whole); err != nil {
			return fmt.Sprint(err)
		}
		if err := protocol.ReadResult([]byte(text), &quick); err != nil {
			return fmt.Sprint(err)
		}
		if diff := cmp.Diff(whole, quick); diff != "" {
			t.Errorf("%s reads in two ways:\n%s", text, diff)
		}
		return of(&whole)
	}
}

// What of a hint is in its form is kept.
func TestHintsInTheirFormAreKept(t *testing.T) {
	const text = `{"tools":[{"name":"n","annotations":{"readOnlyHint":true,"vendor":1},"icons":[7,{"src":"https://x.test/i"}]}],"cacheScope":"public"}`
	var r protocol.ListToolsResult
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	tool := r.Tools.Items[0]
	if !*tool.Annotations.ReadOnlyHint || string(tool.Annotations.Extra) != `{"vendor":1}` || len(tool.Icons) != 1 || r.CacheScope != "public" {
		t.Errorf("%+v of %+v", tool, r)
	}
	again, err := json.Marshal(r)
	const want = `{"tools":[{"name":"n","annotations":{"readOnlyHint":true,"vendor":1},"icons":[{"src":"https://x.test/i"}]}],"cacheScope":"public"}`
	if string(again) != want || err != nil {
		t.Errorf("written as %s, %v", again, err)
	}
}
