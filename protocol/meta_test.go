package protocol_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/mcpera/mcpera/protocol"
)

func TestMetaGet(t *testing.T) {
	for name, tc := range map[string]struct{ meta, key, want string }{
		"a value is kept as it came":    {`{"a":9007199254740993}`, "a", `9007199254740993`},
		"a key with a slash":            {`{"io.modelcontextprotocol/serverInfo":{"name":"x"}}`, protocol.MetaServerInfo, `{"name":"x"}`},
		"a value of null is there":      {`{"a":null}`, "a", `null`},
		"a key in another case is none": {`{"A":1}`, "a", ``},
		"an absent key":                 {`{"b":1}`, "a", ``},
		"an absent _meta":               {``, "a", ``},
		"a _meta of null":               {`null`, "a", ``},
		"a _meta that is a list":        {`[1]`, "a", ``},
		"a _meta that is cut":           {`{"a":1`, "a", ``},
		"a key that is there twice":     {`{"a":1,"a":2}`, "a", ``},
	} {
		t.Run(name, func(t *testing.T) {
			got := protocol.Meta(tc.meta).Get(tc.key)
			if string(got) != tc.want || (got == nil) != (tc.want == "") {
				t.Errorf("Get is %q, want %q", got, tc.want)
			}
		})
	}
	if got := protocol.Meta(nil).Get("a"); got != nil {
		t.Errorf("Get of the nil Meta is %q", got)
	}
}

func TestMetaDecode(t *testing.T) {
	meta := protocol.Meta(`{"n":7,"s":"x","null":null}`)
	var n int
	if !meta.Decode("n", &n) || n != 7 {
		t.Errorf("n is %d", n)
	}
	var s string
	if !meta.Decode("s", &s) || s != "x" {
		t.Errorf("s is %q", s)
	}
	if meta.Decode("s", &n) {
		t.Error("a string has the shape of an int")
	}
	if meta.Decode("absent", &n) {
		t.Error("an absent key is there")
	}
}

func TestMetaAsJSON(t *testing.T) {
	type holder struct {
		Meta protocol.Meta `json:"_meta,omitzero"`
	}
	for _, text := range []string{
		`{}`, `{"_meta":{}}`, `{"_meta":{"a":1e400,"b":[9007199254740993]}}`, `{"_meta":null}`, `{"_meta":[]}`,
	} {
		data := []byte(text)
		var h holder
		if err := json.Unmarshal(data, &h); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		clear(data) // what is kept is a copy
		got, err := json.Marshal(h)
		if err != nil || string(got) != text {
			t.Errorf("%s came back as %s, %v", text, got, err)
		}
	}
	if got, err := json.Marshal(protocol.Meta(nil)); err != nil || string(got) != "null" {
		t.Errorf("the nil Meta is written as %s, %v", got, err)
	}
}
