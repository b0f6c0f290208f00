package protocol_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

// write is the inverse of Decode. A response without an id, or an error with
// data, is one that only a server writes.
func write(t *testing.T, m *protocol.Message) []byte {
	t.Helper()
	switch {
	case !m.IsResponse():
		return protocol.AppendRequest(nil, m.ID, m.Method, m.Params)
	case m.Error == nil && !m.ID.IsZero():
		return protocol.AppendResult(nil, m.ID, m.Result)
	case m.Error != nil && m.Error.Data == nil && !m.ID.IsZero():
		return protocol.AppendError(nil, m.ID, m.Error.Code, m.Error.Message)
	}
	text, err := json.Marshal(struct {
		Result jsontext.Value  `json:"result,omitzero"`
		Error  *protocol.Error `json:"error,omitzero"`
	}{m.Result, m.Error})
	if err != nil {
		t.Fatalf("%+v can't be written: %v", m, err)
	}
	head := `{"jsonrpc":"2.0",`
	if !m.ID.IsZero() {
		head += `"id":` + m.ID.String() + ","
	}
	return append([]byte(head), text[1:]...)
}

// compact makes payloads comparable that differ in blanks alone.
func compact(v jsontext.Value) string {
	if v == nil {
		return "absent"
	}
	v = v.Clone()
	if err := v.Compact(); err != nil {
		return err.Error()
	}
	return string(v)
}

var byPayload = cmp.Options{byText, cmp.Comparer(func(a, b jsontext.Value) bool { return compact(a) == compact(b) })}

// FuzzDecode: no input panics, and what decodes can be written and read again
// as the same message.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"a\u0062","method":"m","params":{"a":[1,null,"é"]}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}`,
		`{"jsonrpc":"2.0","id":1.0,"result":{"content":[{"type":"text","text":"x"},{"type":"json"},null]}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad","data":{"supported":["2026-07-28"]}}}`,
		`{"jsonrpc":"2.0","error":{"code":-32022,"message":"","data":{"supported":["2026-07-28"]}}}`,
		`{"jsonrpc":"2.0","id":1,"result":null,"error":null}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[null,{"name":"a"},7],"ttlMs":1e18,"_meta":{"a":1}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"Result":{}}`,
		`[{"jsonrpc":"2.0","id":1,"result":{}}]`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}",
		`{"jsonrpc":"2.0","id":1e400,"result":1e400}`,
		`{"jsonrpc":"2.0","id":1,"result":{}} x`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		m, err := protocol.Decode(data)
		if !bytes.Equal(data, before) {
			t.Fatal("Decode changed its input")
		}
		if err != nil {
			if m != nil || err.Error() == "" {
				t.Errorf("error %q beside %+v", err, m)
			}
			return
		}
		kinds := 0
		for _, is := range []bool{m.IsRequest(), m.IsNotification(), m.IsResponse()} {
			if is {
				kinds++
			}
		}
		if kinds != 1 {
			t.Errorf("%+v is of %d kinds", m, kinds)
		}
		if m.IsResponse() == (m.Result == nil && m.Error == nil) || m.Result != nil && m.Error != nil {
			t.Errorf("%+v is no message", m)
		}

		text := write(t, m)
		again, err := protocol.Decode(text)
		if err != nil {
			t.Fatalf("%s can't be read again: %v", text, err)
		}
		if diff := cmp.Diff(m, again, byPayload); diff != "" {
			t.Errorf("%s (-first +again):\n%s", text, diff)
		}

		if m.Error != nil {
			_, _ = m.Error.Error(), m.Error.SupportedVersions()
		}
		readAs[protocol.CallToolResult](t, m.Result)
		readAs[protocol.ListToolsResult](t, m.Result)
		readAs[protocol.DiscoverResult](t, m.Result)
		readAs[protocol.InitializeResult](t, m.Result)
		readAs[protocol.CreateMessageRequest](t, m.Params)
		readAs[protocol.ElicitRequest](t, m.Params)
		readAs[protocol.Progress](t, m.Params)
	})
}

// readAs wants what reads as a T to be writable, and to read as the same
// after that.
func readAs[T any](t *testing.T, text jsontext.Value) {
	t.Helper()
	var first, second T
	if text == nil || json.Unmarshal(text, &first) != nil {
		return
	}
	once, err := json.Marshal(first)
	if err != nil {
		t.Fatalf("%T of %s can't be written: %v", first, text, err)
	}
	if err := json.Unmarshal(once, &second); err != nil {
		t.Fatalf("%T written as %s can't be read: %v", first, once, err)
	}
	twice, err := json.Marshal(second)
	if err != nil || string(once) != string(twice) {
		t.Errorf("%T is written as\n%s\nand then as\n%s, %v", first, once, twice, err)
	}
}

// FuzzID: an id is echoed byte for byte, matches itself, and matches others
// only as a number that both can say.
func FuzzID(f *testing.F) {
	for _, text := range []string{`1`, `"1"`, `1.0`, `-0`, `null`, `""`, `"srv-1"`, `9007199254740993`, `9007199254740993.0`, `1e400`, `true`, `"\u0031"`} {
		f.Add(text, `1`)
		f.Add(text, `9007199254740992`)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var x, y protocol.ID
		if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
			return
		}
		if got := x.String(); got != strings.Trim(a, " \t\r\n") {
			t.Errorf("%q is kept as %q", a, got)
		}
		text, err := json.Marshal(x, jsontext.PreserveRawStrings(true))
		if err != nil || string(text) != x.String() {
			t.Errorf("%q is written as %q, %v", a, text, err)
		}
		if !x.Matches(x) {
			t.Errorf("%s does not match itself", x)
		}
		if x.Matches(y) != y.Matches(x) {
			t.Errorf("%s matches %s one way only", x, y)
		}
		n, ok := x.Int64()
		if !ok && n != 0 {
			t.Errorf("%s is no number, and %d", x, n)
		}
		if number := protocol.NumberID(n); ok != x.Matches(number) {
			t.Errorf("%s is %d, %v, and matches %s: %v", x, n, ok, number, !ok)
		}
	})
}

// The names and values of a message come from a server; none of them may break
// the line that a log prints.
func FuzzQuote(f *testing.F) {
	f.Add("Bad Request\r\n")
	f.Add(strings.Repeat("é\x00", 300))
	f.Fuzz(func(t *testing.T, said string) {
		quoted := protocol.Quote(said)
		if len(quoted) > 300*10+10 || strings.ContainsAny(quoted, "\r\n\x00\x1b\u2028\u202e") {
			t.Errorf("Quote(%q) is %s", said, quoted)
		}
	})
}
