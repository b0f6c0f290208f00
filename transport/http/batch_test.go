package http

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
)

// O-BAT-01, B040: each row is the answer to request 1 of a connection at
// 2025-03-26.
func TestABatchIsTakenApart(t *testing.T) {
	const (
		note    = `{"jsonrpc":"2.0","method":"note","params":{}}`
		foreign = `{"jsonrpc":"2.0","id":99,"result":{}}`
		nobodys = `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"broken"}}`
	)
	body := func(text string) http.HandlerFunc { return answer(200, "application/json", text) }
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		version string
		fails   string // what the error says
		notes   int
	}{
		"a body":                             {body("[" + result + "]"), "2025-03-26", "", 0},
		"a body with other messages":         {body("[" + note + "," + foreign + "," + result + "," + note + "]"), "2025-03-26", "", 2},
		"a body with a byte order mark":      {body("\uFEFF[" + result + "]"), "2025-03-26", "", 0},
		"a body without the response":        {body("[" + note + "," + foreign + "]"), "2025-03-26", "a batch without the response", 1},
		"a body with an error without an id": {body("[" + nobodys + "]"), "2025-03-26", "broken", 0},
		"which the response outdoes":         {body("[" + nobodys + "," + result + "]"), "2025-03-26", "", 0},
		"an empty body":                      {body("[]"), "2025-03-26", "it is empty", 0},
		"a body that breaks off":             {body("[" + result + "," + note[:9]), "2025-03-26", "", 0},
		"a body that breaks off before it":   {body("[" + note + "," + result[:9]), "2025-03-26", "unexpected EOF", 1},
		"a message":                          {body(result), "2025-03-26", "", 0},
		"an event":                           {stream(true, "data: ["+note+","+result+"]\n\n"), "2025-03-26", "", 1},
		"an event before that of it":         {stream(true, "data: ["+note+","+note+"]\n\n", "data: "+result+"\n\n"), "2025-03-26", "", 2},
		"an event that is none":              {stream(true, "data: [42]\n\n"), "2025-03-26", "element 0", 0},
		"an event of another version":        {stream(true, "data: ["+result+"]\n\n"), "2025-06-18", "which only protocol version 2025-03-26 has", 0},
		"a body of another version":          {body("[" + result + "]"), "2025-11-25", "which only protocol version 2025-03-26 has", 0},
		"a body of the modern era":           {body("[" + result + "]"), "2026-07-28", "which only protocol version 2025-03-26 has", 0},
	} {
		t.Run(name, func(t *testing.T) {
			req := toolCall()
			req.Version = tc.version
			notes := 0
			tr := openTo(t, receiverFunc(func(*protocol.Message, *transport.Request) { notes++ }), serve(t, tc.handler).URL)
			_, err := exchange(t.Context(), tr, req)
			if (err == nil) != (tc.fails == "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("error %v, want one that says %q", err, tc.fails)
			}
			if notes != tc.notes {
				t.Errorf("the receiver got %d messages, want %d", notes, tc.notes)
			}
		})
	}
}
