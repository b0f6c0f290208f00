package conformance

import (
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

func TestBothErasAnswerOnOneEndpoint(t *testing.T) {
	e := serve(t)
	t.Run("a modern call needs no handshake", func(t *testing.T) {
		a := e.call("add_numbers", `{"a":2,"b":3}`)
		if got := string(a.result(t, "structuredContent")); got != `{"sum":5}` {
			t.Errorf("structuredContent = %s", got)
		}
		if got := string(a.result(t, "resultType")); got != `"complete"` {
			t.Errorf("resultType = %s", got)
		}
	})
	t.Run("a legacy call needs a session", func(t *testing.T) {
		if a := e.post(legacyBody("tools/list", `{}`)); a.Status != 400 {
			t.Errorf("without a session: status %d", a.Status)
		}
		e.open()
		a := e.post(legacyBody("tools/call", `{"name":"echo","arguments":{"message":"hi"}}`))
		got := decode[protocol.CallToolResult](t, a.Msg.Result)
		if got.Text() != "hi" {
			t.Errorf("text = %q", got.Text())
		}
		if a.result(t, "resultType") != nil {
			t.Error("a legacy result has a resultType")
		}
	})
}
