package protocol_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

func TestBatch(t *testing.T) {
	const (
		one  = `{"jsonrpc":"2.0","id":1,"result":{}}`
		note = `{"jsonrpc":"2.0","method":"note"}`
	)
	for name, tc := range map[string]struct {
		text string
		want []string // ids and methods, then what the error says
	}{
		"one message":              {"[" + one + "]", []string{"1"}},
		"several, and blanks":      {" \r\n[ " + note + " ,\n" + one + " ] ", []string{"note", "1"}},
		"none":                     {"[]", []string{"it is empty"}},
		"a message":                {one, []string{"no JSON array"}},
		"nothing":                  {"", []string{"EOF"}},
		"an element that is none":  {"[" + one + ",42," + note + "]", []string{"1", "element 1 of a JSON-RPC batch: not a JSON-RPC message"}},
		"a batch within it":        {"[[" + one + "]]", []string{"element 0 of a JSON-RPC batch: not a JSON-RPC message: a batch"}},
		"half an element":          {"[" + one + "," + note[:9], []string{"1", "unexpected EOF"}},
		"no end":                   {"[" + one, []string{"1", "unexpected EOF"}},
		"something after it":       {"[" + one + "]" + note, []string{"1", "something follows it"}},
		"no comma":                 {"[" + one + note + "]", []string{"1", "not a JSON-RPC batch"}},
		"an element in wrong case": {`[{"jsonrpc":"2.0","id":1,"Result":{}}]`, []string{"no method, result or error"}},
		"a very deep element":      {"[" + strings.Repeat("[", 100_000), []string{"exceeded max depth"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for m, err := range protocol.Batch([]byte(tc.text)) {
				switch {
				case err != nil && len(got) < len(tc.want) && strings.Contains(err.Error(), tc.want[len(got)]):
					got = append(got, tc.want[len(got)])
				case err != nil:
					got = append(got, err.Error())
				default:
					got = append(got, m.ID.String()+m.Method)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestABatchCanBeLeft(t *testing.T) {
	for m, err := range protocol.Batch([]byte(`[{"jsonrpc":"2.0","method":"a"},42]`)) {
		if err != nil || m.Method != "a" {
			t.Errorf("%+v, %v", m, err)
		}
		break
	}
}

func TestDecodeSaysThatABatchIsOne(t *testing.T) {
	if _, err := protocol.Decode([]byte(" [] ")); !errors.Is(err, protocol.ErrBatch) {
		t.Errorf("error %v, want ErrBatch", err)
	}
}

// The bound on depth is that of the JSON decoder.
func TestDecodeBoundsDepth(t *testing.T) {
	nested := func(depth int) []byte {
		return []byte(`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + "}")
	}
	if _, err := protocol.Decode(nested(10_000)); err != nil {
		t.Errorf("a depth of 10,000: %v", err)
	}
	for _, depth := range []int{10_001, 100_000, 5_000_000} {
		if _, err := protocol.Decode(nested(depth)); err == nil || !strings.Contains(err.Error(), "exceeded max depth") {
			t.Errorf("a depth of %d: %v", depth, err)
		}
	}
}

func TestSalvageID(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"a result in another case":    {`{"jsonrpc":"2.0","id":7,"Result":{}}`, "7"},
		"two results":                 {`{"jsonrpc":"2.0","id":7,"result":{},"result":{}}`, "7"},
		"both result and error":       {`{"jsonrpc":"2.0","id":"a","result":{},"error":{"code":1,"message":""}}`, `"a"`},
		"an error without a code":     {`{"jsonrpc":"2.0","id":7,"error":"no"}`, "7"},
		"a result that breaks off":    {`{"jsonrpc":"2.0","id":7,"result":{"a":`, "7"},
		"a result that is too deep":   {`{"jsonrpc":"2.0","id":7,"result":` + strings.Repeat("[", 100_000), "7"},
		"a result that is not UTF-8":  {"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"\xff\"}", "7"},
		"an id after what can't pass": {`{"jsonrpc":"2.0","result":[,],"id":7}`, ""},
		"no id":                       {`{"jsonrpc":"2.0","result":{},"result":{}}`, ""},
		"an id of another type":       {`{"jsonrpc":"2.0","id":{},"result":{}}`, ""},
		"no version":                  {`{"id":7,"result":{}}`, ""},
		"another version":             {`{"jsonrpc":"1.0","id":7,"result":{}}`, ""},
		"neither result nor error":    {`{"jsonrpc":"2.0","id":7}`, ""},
		"half a message":              {`{"jsonrpc":"2.0","id":7`, ""},
		"a broken name":               {`{"jsonrpc":"2.0","id":7,"resu`, ""},
		"a request":                   {`{"jsonrpc":"2.0","id":7,"method":"a","result":{}}`, ""},
		"no object":                   {"7", ""},
		"nothing":                     {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			id, ok := protocol.SalvageID([]byte(tc.text))
			if ok != (tc.want != "") || ok && id.String() != tc.want {
				t.Errorf("SalvageID gives %s, %v; want %s", id, ok, tc.want)
			}
		})
	}
}
