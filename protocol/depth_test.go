package protocol_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// maxDepth is how deep the JSON library lets values nest.
const maxDepth = 10000

func TestListsAtTheDepthLimitAreAnError(t *testing.T) {
	for name, list := range map[string]any{
		"contents": &protocol.Contents{},
		"a list":   &protocol.List[int]{Items: []int{1}},
	} {
		dec := jsontext.NewDecoder(strings.NewReader(strings.Repeat("[", maxDepth+1)))
		var out strings.Builder
		enc := jsontext.NewEncoder(&out)
		for range maxDepth {
			if _, err := dec.ReadToken(); err != nil {
				t.Fatal(err)
			}
			if err := enc.WriteToken(jsontext.BeginArray); err != nil {
				t.Fatal(err)
			}
		}
		if err := json.MarshalEncode(enc, list); err == nil {
			t.Errorf("%s can be written below the limit", name)
		}
		if err := json.UnmarshalDecode(dec, list); err == nil {
			t.Errorf("%s can be read below the limit", name)
		}
	}
}
