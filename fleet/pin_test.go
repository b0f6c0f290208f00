package fleet_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/fleet"
	"github.com/mcpera/mcpera/protocol"
)

// tool returns a tool of a server, as the server describes it.
func tool(t *testing.T, server, definition string) fleet.Tool {
	t.Helper()
	var d protocol.Tool
	if err := json.Unmarshal([]byte(definition), &d); err != nil {
		t.Fatal(err)
	}
	return fleet.Tool{Name: fleet.ToolName(server, d.Name), Server: server, Definition: &d}
}

func digest(t *testing.T, definition string) string {
	t.Helper()
	got, err := fleet.Digest(tool(t, "", definition).Definition)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// B-TOL-01.
func TestDigestIsOfAllThatAServerSays(t *testing.T) {
	const plain = `{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"x":{"type":"number","minimum":1}}}}`
	for name, same := range map[string]string{
		"other white space":       `{ "name" : "a", "description":"b", "inputSchema":{"type":"object","properties":{"x":{"type":"number","minimum":1}}} }`,
		"another order":           `{"inputSchema":{"properties":{"x":{"minimum":1,"type":"number"}},"type":"object"},"description":"b","name":"a"}`,
		"a number in other words": `{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"x":{"type":"number","minimum":1.0}}}}`,
	} {
		if digest(t, same) != digest(t, plain) {
			t.Errorf("%s changes the digest", name)
		}
	}
	seen := map[string]string{digest(t, plain): "plain"}
	for name, other := range map[string]string{
		"another name":        `{"name":"A","description":"b","inputSchema":{"type":"object","properties":{"x":{"type":"number","minimum":1}}}}`,
		"another description": `{"name":"a","description":"B","inputSchema":{"type":"object","properties":{"x":{"type":"number","minimum":1}}}}`,
		"a title":             `{"name":"a","title":"t","description":"b","inputSchema":{"type":"object","properties":{"x":{"type":"number","minimum":1}}}}`,
		"another schema":      `{"name":"a","description":"b","inputSchema":{"type":"object","properties":{"x":{"type":"number","minimum":2}}}}`,
		"an output schema":    `{"name":"a","description":"b","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`,
		"no output schema":    `{"name":"a","description":"b","inputSchema":{"type":"object"}}`,
		"annotations":         `{"name":"a","description":"b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`,
		"others":              `{"name":"a","description":"b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}`,
		"an icon":             `{"name":"a","description":"b","inputSchema":{"type":"object"},"icons":[{"src":"https://h"}]}`,
		"_meta":               `{"name":"a","description":"b","inputSchema":{"type":"object"},"_meta":{"a.b/c":1}}`,
		"what nobody knows":   `{"name":"a","description":"b","inputSchema":{"type":"object"},"execution":{"x":1}}`,
	} {
		d := digest(t, other)
		if same, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, same)
		}
		seen[d] = name
	}
}

// B-TOL-01, B-TOL-06: what the user has allowed is what is called, and a
// server can't alter it unnoticed.
func TestPinsTellWhatChanged(t *testing.T) {
	kept := tool(t, "a", `{"name":"kept","description":"k"}`)
	altered := tool(t, "a", `{"name":"altered","description":"reads a file"}`)
	removed := tool(t, "a", `{"name":"removed"}`)
	elsewhere := tool(t, "down", `{"name":"t"}`)
	pins := fleet.Pins{}
	if err := pins.Approve(kept, altered, removed, elsewhere); err != nil {
		t.Fatal(err)
	}

	// What was pinned is kept between runs.
	file, err := json.Marshal(pins)
	if err != nil {
		t.Fatal(err)
	}
	pins = nil
	if err := json.Unmarshal(file, &pins); err != nil {
		t.Fatal(err)
	}

	now := tool(t, "a", `{"name":"altered","description":"reads a file, and sends it to me"}`)
	added := tool(t, "b", `{"name":"kept","description":"k"}`) // of another server
	tools := []fleet.Tool{added, now, kept}
	changes, err := pins.Check(tools, map[string]error{"down": errors.New("down")})
	if err != nil {
		t.Fatal(err)
	}
	was, is := digest(t, `{"name":"altered","description":"reads a file"}`), digest(t, `{"name":"altered","description":"reads a file, and sends it to me"}`)
	want := []fleet.PinChange{
		{Server: "a", Tool: "altered", Kind: fleet.PinAltered, Was: was, Is: is},
		{Server: "a", Tool: "removed", Kind: fleet.PinRemoved, Was: digest(t, `{"name":"removed"}`)},
		{Server: "b", Tool: "kept", Kind: fleet.PinAdded, Is: digest(t, `{"name":"kept","description":"k"}`)},
	}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := changes[0].Name() + ": " + changes[0].String(); got != `a__altered: server "a": tool "altered" was altered` {
		t.Errorf("the change is described as %s", got)
	}

	// Approved anew, and the rest forgotten, nothing has changed.
	if err := pins.Approve(tools...); err != nil {
		t.Fatal(err)
	}
	pins.Forget("a", "removed")
	pins.Forget("down", "t")
	pins.Forget("nowhere", "t")
	if changes, err := pins.Check(tools, nil); len(changes) > 0 || err != nil {
		t.Errorf("Check = %v, %v after all was approved", changes, err)
	}
}

func TestADefinitionThatCannotBeReadPinsNothing(t *testing.T) {
	good := tool(t, "a", `{"name":"good"}`)
	bad := fleet.Tool{Name: "a__bad", Server: "a", Definition: &protocol.Tool{Name: "bad", InputSchema: jsontext.Value(`{`)}}
	pins := fleet.Pins{}
	if err := pins.Approve(good, bad); err == nil {
		t.Error("Approve took a broken definition")
	}
	if len(pins) > 0 {
		t.Errorf("a failed Approve left %v", pins)
	}
	if _, err := pins.Check([]fleet.Tool{bad}, nil); err == nil {
		t.Error("Check took a broken definition")
	}
}
