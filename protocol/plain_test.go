package protocol

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

var plainResults = []string{
	`{"resultType":"complete","tools":[{"name":"a","title":"A","description":"d\n\u00e9","inputSchema":{"type":"object"},` +
		`"outputSchema":{"type":["object"]},"annotations":{"title":"t","readOnlyHint":true,"destructiveHint":false,` +
		`"idempotentHint":true,"openWorldHint":false},"_meta":{"k":[1,"]"]}},{"name":"b"}],"nextCursor":"","ttlMs":1e3,` +
		`"cacheScope":"public","_meta":{"x":1}}`,
	` { "tools" : [ { "name" : "a" , "inputSchema" : { "a" : [ ] } } , { } ] , "nextCursor" : "\"" } `,
	`{"tools":[]}`, `{"tools":[ ]}`, `{"tools":null}`, `{"tools":{}}`, `{"tools":7}`, `{}`, `[]`, `null`, `7`,
	`{"tools":[null,{"name":"a"},7,{"name":8},[],{"name":"b","icons":[{"src":"s"}],"more":1}]}`,
	`{"tools":[{"name":null,"title":null,"inputSchema":null,"outputSchema":null,"annotations":null,"_meta":null}]}`,
	`{"tools":[{"name":"a","annotations":{"readOnlyHint":null}},{"name":"b","annotations":{"more":1}},{"annotations":1}]}`,
	`{"tools":[{"na\u006de":"a","Title":"x"}],"resultTypes":1}`,
	`{"nextCursor":null,"ttlMs":null,"cacheScope":null,"_meta":null,"resultType":null}`,
	`{"nextCursor":7}`, `{"cacheScope":7}`, `{"ttlMs":"soon","more":{}}`, `{"resultType":{"a":1},"tools":[]}`,
	`{"resultType":"complete","content":[{"type":"text","text":"a\tb"},{"text":"c","type":"text"}],"isError":false}`,
	` { "content" : [ ] , "structuredContent" : { "a" : 1 } , "isError" : true , "_meta" : { } } `,
	`{"content":[{"type":"text","text":"a","annotations":{"priority":1}},{"type":"image","data":"","mimeType":"i"}]}`,
	`{"content":{"type":"text","text":"a"}}`, `{"content":[null,{"type":"new"}]}`, `{"content":"text"}`, `{"content":null}`,
	`{"structuredContent":null,"isError":null}`, `{"isError":"no"}`, `{"isError":true,"more":1}`,
}

// What is read without a decoder is what the decoder reads.
func TestReadResult(t *testing.T) {
	for _, raw := range plainResults {
		readsAlike[ListToolsResult](t, raw)
		readsAlike[CallToolResult](t, raw)
	}
}

func FuzzReadResult(f *testing.F) {
	for _, raw := range plainResults {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if jsontext.Value(raw).IsValid() {
			readsAlike[ListToolsResult](t, raw)
			readsAlike[CallToolResult](t, raw)
		}
	})
}

func readsAlike[T any](t *testing.T, raw string) {
	t.Helper()
	var want, got T
	wantErr := json.Unmarshal([]byte(raw), &want)
	err := ReadResult(jsontext.Value(raw), &got)
	if wantErr != nil && err != nil {
		return
	}
	sameText := cmp.Comparer(func(a, b error) bool { return a.Error() == b.Error() })
	if diff := cmp.Diff(want, got, sameText); diff != "" || err != wantErr {
		t.Errorf("ReadResult(%s) of a %T: %v, want %v (-want +got):\n%s", raw, got, err, wantErr, diff)
	}
}
