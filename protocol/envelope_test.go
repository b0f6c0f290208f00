package protocol_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

// IDs hold their JSON text unexported; their String is that text.
var byText = cmp.Comparer(func(a, b protocol.ID) bool { return a == b })

func idOf(t testing.TB, text string) protocol.ID {
	t.Helper()
	var id protocol.ID
	if text == "" {
		return id
	}
	if err := json.Unmarshal([]byte(text), &id); err != nil {
		t.Fatalf("id %s: %v", text, err)
	}
	return id
}

func TestDecode(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want protocol.Message
	}{
		"a request": {
			`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"a"}}`,
			protocol.Message{ID: protocol.NumberID(7), Method: "tools/list", Params: jsontext.Value(`{"cursor":"a"}`)}},
		"a request whose id is a string": {
			`{"jsonrpc":"2.0","id":"srv-1","method":"ping"}`,
			protocol.Message{ID: idOf(t, `"srv-1"`), Method: "ping"}},
		"a request whose id is null is one all the same": {
			`{"jsonrpc":"2.0","id":null,"method":"ping"}`,
			protocol.Message{ID: idOf(t, `null`), Method: "ping"}},
		"a notification": {
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`,
			protocol.Message{Method: "notifications/message", Params: jsontext.Value(`{"level":"info"}`)}},
		"a notification outside the known set": {
			`{"jsonrpc":"2.0","method":"editor/logLine","params":{"type":3}}`,
			protocol.Message{Method: "editor/logLine", Params: jsontext.Value(`{"type":3}`)}},
		"a result": {
			`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`,
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`{"a":1}`)}},
		"a result of null is a result": {
			`{"jsonrpc":"2.0","id":1,"result":null}`,
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`null`)}},
		"a result without an id": {
			`{"jsonrpc":"2.0","result":null}`,
			protocol.Message{Result: jsontext.Value(`null`)}},
		"a result that is a list": {
			`{"jsonrpc":"2.0","id":1,"result":[]}`,
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`[]`)}},
		"an error member of null is none": {
			`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`,
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`{}`)}},
		"a request may have an error member of null": {
			`{"jsonrpc":"2.0","id":1,"method":"ping","error":null}`,
			protocol.Message{ID: protocol.NumberID(1), Method: "ping"}},
		"a method member of null is none": {
			`{"jsonrpc":"2.0","id":1,"method":null,"result":{}}`,
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`{}`)}},
		"an error": {
			`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"limit must be > 0","data":{"field":"limit"}}}`,
			protocol.Message{ID: protocol.NumberID(3), Error: &protocol.Error{
				Code: -32602, Message: "limit must be > 0", Data: jsontext.Value(`{"field":"limit"}`)}}},
		"an error with a null id": {
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}`,
			protocol.Message{ID: idOf(t, `null`), Error: &protocol.Error{Code: -32700, Message: "bad"}}},
		"an error without an id": {
			`{"jsonrpc":"2.0","error":{"code":-32601,"message":"?"}}`,
			protocol.Message{Error: &protocol.Error{Code: -32601, Message: "?"}}},
		"an error beside a result of null": {
			`{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":1,"message":""}}`,
			protocol.Message{ID: protocol.NumberID(1), Error: &protocol.Error{Code: 1}}},
		"an error without a message": {
			`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`,
			protocol.Message{ID: protocol.NumberID(1), Error: &protocol.Error{Code: 1}}},
		"a second spelling of a member does not override the first": {
			`{"jsonrpc":"2.0","id":1,"result":{"content":[]},"Result":{"content":[{"type":"text","text":"evil"}]}}`,
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`{"content":[]}`)}},
		"members that are not known are skipped": {
			`{"x":{"y":[1,null]},"jsonrpc":"2.0","id":1,"result":{}}`,
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`{}`)}},
		"blanks around a message do not count": {
			"\t \r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} \r\n",
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`{}`)}},
		"escapes in names are read": {
			`{"json\u0072pc":"2.\u0030","id":1,"result":{}}`,
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`{}`)}},
		"text outside ASCII is kept": {
			`{"jsonrpc":"2.0","id":1,"result":{"text":"é漢🙂"}}`,
			protocol.Message{ID: protocol.NumberID(1), Result: jsontext.Value(`{"text":"é漢🙂"}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := protocol.Decode([]byte(tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tc.want, got, byText); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// B-MSG-01, B-MSG-05, B090: what is no message of JSON-RPC 2.0.
func TestDecodeRefuses(t *testing.T) {
	const ok = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for name, tc := range map[string]struct{ text, why string }{
		"nothing":                       {"", "not a JSON object"},
		"blanks":                        {" \r\n", "not a JSON object"},
		"a banner":                      {"Server version 1.2", "not a JSON object"},
		"a string":                      {`"2.0"`, "not a JSON object"},
		"null":                          {"null", "not a JSON object"},
		"a batch":                       {"[" + ok + "]", "a batch, which only protocol version 2025-03-26 has"},
		"a byte order mark":             {"\uFEFF" + ok, "not a JSON object"},
		"a form feed before it":         {"\f" + ok, "not a JSON object"},
		"half a message":                {ok[:20], "unexpected EOF"},
		"a second message":              {ok + ok, "after top-level value"},
		"bytes after it":                {ok + "x", "after top-level value"},
		"another object":                {`{"foo":1}`, `jsonrpc is "", not "2.0"`},
		"an older version":              {`{"jsonrpc":"1.0","id":1,"result":{}}`, `jsonrpc is "1.0", not "2.0"`},
		"no version":                    {`{"id":1,"result":{}}`, `jsonrpc is ""`},
		"a version that is a number":    {`{"jsonrpc":2.0,"id":1,"result":{}}`, "jsonrpc"},
		"a version of null":             {`{"jsonrpc":null,"id":1,"result":{}}`, `jsonrpc is ""`},
		"upper case names":              {`{"JSONRPC":"2.0","id":1,"result":{}}`, `jsonrpc is ""`},
		"a result in another case":      {`{"jsonrpc":"2.0","id":1,"Result":{}}`, "no method, result or error"},
		"a long s for an s":             {`{"jsonrpc":"2.0","id":1,"reſult":{}}`, "no method, result or error"},
		"a Cyrillic letter in error":    {`{"jsonrpc":"2.0","id":1,"еrror":{"code":1,"message":""}}`, "no method, result or error"},
		"a blank in a name":             {`{"jsonrpc":"2.0","id":1,"result ":{}}`, "no method, result or error"},
		"a repeated name":               {`{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`, "duplicate"},
		"a name repeated by an escape":  {`{"jsonrpc":"2.0","id":1,"result":{},"resul\u0074":{}}`, "duplicate"},
		"a repeated unknown name":       {`{"jsonrpc":"2.0","id":1,"result":{},"x":1,"x":1}`, "duplicate"},
		"a repeated name at depth":      {`{"jsonrpc":"2.0","id":1,"result":{"a":[{"b":1,"b":2}]}}`, "duplicate"},
		"a repeated name in an error":   {`{"jsonrpc":"2.0","id":1,"error":{"code":1,"code":1,"message":""}}`, "duplicate"},
		"a repeated name in unknown":    {`{"jsonrpc":"2.0","id":1,"result":{},"x":{"b":1,"b":2}}`, "duplicate"},
		"invalid UTF-8":                 {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\xfe\"}}", "UTF-8"},
		"invalid UTF-8 in a name":       {"{\"jsonrpc\":\"2.0\",\"id\":1,\"r\xffsult\":{}}", "UTF-8"},
		"half a surrogate pair":         {`{"jsonrpc":"2.0","id":1,"result":"\ud800"}`, "surrogate"},
		"neither result nor error":      {`{"jsonrpc":"2.0","id":1}`, "no method, result or error"},
		"an error of null alone":        {`{"jsonrpc":"2.0","id":1,"error":null}`, "no method, result or error"},
		"both result and error":         {`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, "both a result and an error"},
		"a request with a result":       {`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, "both a request and a response"},
		"a request with an error":       {`{"jsonrpc":"2.0","id":1,"method":"ping","error":{"code":1,"message":""}}`, "both a request and a response"},
		"a request of no method":        {`{"jsonrpc":"2.0","id":1,"method":""}`, "both a request and a response"},
		"a method that is no string":    {`{"jsonrpc":"2.0","id":1,"method":1}`, "method"},
		"an error that is a string":     {`{"jsonrpc":"2.0","id":1,"error":"bad"}`, "unreadable error member"},
		"an error that is a list":       {`{"jsonrpc":"2.0","id":1,"error":[]}`, "unreadable error member"},
		"a code that is a string":       {`{"jsonrpc":"2.0","id":1,"error":{"code":"-32601","message":""}}`, "unreadable error member"},
		"a code that is not whole":      {`{"jsonrpc":"2.0","id":1,"error":{"code":-32601.5,"message":""}}`, "unreadable error member"},
		"a code beyond 64 bits":         {`{"jsonrpc":"2.0","id":1,"error":{"code":1e30,"message":""}}`, "unreadable error member"},
		"a message that is no string":   {`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":{}}}`, "unreadable error member"},
		"an id that is true":            {`{"jsonrpc":"2.0","id":true,"result":{}}`, "id"},
		"an id that is an object":       {`{"jsonrpc":"2.0","id":{},"result":{}}`, "id"},
		"an id that is a list":          {`{"jsonrpc":"2.0","id":[1],"result":{}}`, "id"},
		"a comment":                     {`{"jsonrpc":"2.0",/**/"id":1,"result":{}}`, "invalid character"},
		"a comma too many":              {`{"jsonrpc":"2.0","id":1,"result":{},}`, "invalid character"},
		"a number with a leading zero":  {`{"jsonrpc":"2.0","id":01,"result":{}}`, "invalid character"},
		"nesting without end":           {`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 1<<20), "depth"},
		"nesting beyond what is useful": {`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, "depth"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := protocol.Decode([]byte(tc.text))
			if err == nil {
				t.Fatalf("Decode takes it as %+v", m)
			}
			if !strings.HasPrefix(err.Error(), "not a JSON-RPC message: ") || !strings.Contains(err.Error(), tc.why) {
				t.Errorf("error is %q, want it to say %q", err, tc.why)
			}
			if strings.Contains(err.Error(), "%!") {
				t.Errorf("error is %q", err)
			}
			if len(err.Error()) > 2000 {
				t.Errorf("the error text has %d bytes", len(err.Error()))
			}
		})
	}
}

func TestDecodeKeepsNothingOfItsInput(t *testing.T) {
	data := []byte(`{"jsonrpc":"2.0","id":"srv","method":"m","params":{"a":"b"}}`)
	m, err := protocol.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if m.ID.String() != `"srv"` || m.Method != "m" || string(m.Params) != `{"a":"b"}` {
		t.Errorf("after its input was overwritten the message is %+v", m)
	}
}

func TestMessageKinds(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"m"}`:                       "request",
		`{"jsonrpc":"2.0","id":null,"method":"m"}`:                    "request",
		`{"jsonrpc":"2.0","method":"m"}`:                              "notification",
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                        "response",
		`{"jsonrpc":"2.0","error":{"code":1,"message":""}}`:           "response",
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`: "response",
	} {
		m, err := protocol.Decode([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := map[string]bool{"request": m.IsRequest(), "notification": m.IsNotification(), "response": m.IsResponse()}
		for kind, is := range got {
			if is != (kind == want) {
				t.Errorf("%s: is it a %s? %v", text, kind, is)
			}
		}
	}
}

// B-MSG-01, B-MSG-02, B-MSG-06.
func TestAppendRequest(t *testing.T) {
	for name, tc := range map[string]struct {
		id     protocol.ID
		method string
		params string
		want   string
	}{
		"a request": {protocol.NumberID(1), "tools/list", `{"a":1}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"a":1}}`},
		"a request without params": {protocol.NumberID(-1), "ping", "",
			`{"jsonrpc":"2.0","id":-1,"method":"ping"}`},
		"a notification": {protocol.ID{}, "notifications/initialized", "",
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		"an id of the peer's own, byte for byte": {idOf(t, `"a\u0062"`), "m", "",
			`{"jsonrpc":"2.0","id":"a\u0062","method":"m"}`},
		"a method that needs escapes": {protocol.NumberID(1), "a\"\n\xff", "",
			`{"jsonrpc":"2.0","id":1,"method":"a\"\n` + "\uFFFD" + `"}`},
		"numbers in params, digit for digit": {protocol.NumberID(1), "m", `{"id":9223372036854775807,"ratio":1e400}`,
			`{"jsonrpc":"2.0","id":1,"method":"m","params":{"id":9223372036854775807,"ratio":1e400}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(protocol.AppendRequest([]byte(">"), tc.id, tc.method, jsontext.Value(tc.params)))
			if got != ">"+tc.want {
				t.Errorf("AppendRequest appends\n%s\nwant\n%s", got[1:], tc.want)
			}
			if m, err := protocol.Decode([]byte(tc.want)); err != nil || m.ID != tc.id {
				t.Errorf("Decode reads it back as %+v, %v", m, err)
			}
		})
	}
}

func TestAppendResult(t *testing.T) {
	for _, id := range []string{`1`, `1.0`, `"srv\u002d1"`, `null`} {
		got := string(protocol.AppendResult([]byte(">"), idOf(t, id), jsontext.Value(`{"n":9007199254740993}`)))
		if want := `>{"jsonrpc":"2.0","id":` + id + `,"result":{"n":9007199254740993}}`; got != want {
			t.Errorf("AppendResult appends %s, want %s", got, want)
		}
	}
}

func TestAppendError(t *testing.T) {
	got := string(protocol.AppendError([]byte(">"), idOf(t, `"srv-1"`), protocol.CodeMethodNotFound, "no \"x\"\n\xff"))
	if want := `>{"jsonrpc":"2.0","id":"srv-1","error":{"code":-32601,"message":"no \"x\"\n` + "\uFFFD" + `"}}`; got != want {
		t.Errorf("AppendError appends %s, want %s", got, want)
	}
}
