package conformance

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpera/mcpera/protocol"
)

// FuzzPost: whatever the body and the headers, the answer is a JSON-RPC
// message or nothing, with a status of the table, and the server lives on.
func FuzzPost(f *testing.F) {
	for _, body := range []string{
		modernBody("tools/call", `"name":"t","arguments":{"a":1},"inputResponses":{},"requestState":"x"`, everyCap, token),
		modernBody("resources/read", `"uri":"test://static-text"`, emptyCaps), modernBody(methodListen, `"notifications":{}`, emptyCaps),
		modernBody("tasks/get", `"taskId":"x"`, taskCaps), initializeBody, legacyBody("tools/list", "{}"), request("tools/list", pv), "[]", "{",
	} {
		f.Add(body, "2026-07-28", "tools/call", "t", "=?base64?dA==?=")
	}
	statuses := map[int]bool{200: true, 202: true, 400: true, 404: true, 406: true}
	f.Fuzz(func(t *testing.T, body, version, method, name, param string) {
		srv := New(WithStateless(), WithoutFixtures(), WithTools(Tool{
			Definition: define("t", "t", `{"type":"object","properties":{"a":{"type":"integer","x-mcp-header":"A"}}}`), Run: showArguments,
		}))
		defer srv.Close()
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json"},
			headerVersion: {version}, headerMethod: {method}, headerName: {name}, "Mcp-Param-A": {param},
		}
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, r)
		if !statuses[w.Code] {
			t.Errorf("status %d", w.Code)
		}
		if w.Body.Len() > 0 {
			if _, err := protocol.Decode(w.Body.Bytes()); err != nil {
				t.Errorf("body %q: %v", w.Body, err)
			}
		}
	})
}

// FuzzParamHeaders: no schema makes the reader panic, and every annotation
// that it returns is one that a client could send.
func FuzzParamHeaders(f *testing.F) {
	f.Add(headerSchema)
	f.Add(wideSchema)
	f.Fuzz(func(t *testing.T, schema string) {
		if !jsontext.Value(schema).IsValid() {
			return
		}
		headers, err := paramHeaders(jsontext.Value(schema))
		if err != nil && headers != nil {
			t.Error("headers beside an error")
		}
		for _, h := range headers {
			if !isToken(h.name) || len(h.path) == 0 {
				t.Errorf("header %+v", h)
			}
		}
	})
}

// FuzzWholeNumber: what reads as a whole number is a JSON number.
func FuzzWholeNumber(f *testing.F) {
	f.Add("42.0")
	f.Add("0x2A")
	f.Fuzz(func(t *testing.T, text string) {
		if _, ok := wholeNumber(text); ok && jsontext.Value(text).Kind() != '0' {
			t.Errorf("%q is a whole number", text)
		}
	})
}
