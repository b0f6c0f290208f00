package client_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/client"
	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
)

// visitAll asks a server for everything that a client can ask for, whatever it
// has of that, and gives up one call.
func visitAll(t *testing.T, s *scripted) {
	t.Helper()
	handler := struct {
		elicitor
		sampler
	}{accepts(nil), says("yes")}
	c := s.connected(t, client.WithHandler(handler), client.WithExtension("com.example/charts", nil))
	ctx := t.Context()
	for range 2 { // what was used once must not be used again
		_, _ = c.ListTools(ctx)
		_, _ = c.CallTool(ctx, "Grüße", map[string]any{"a": 1}, client.Logs(protocol.LogInfo, func(protocol.LogMessage) {}))
		_, _ = c.ListPrompts(ctx)
		_, _ = c.GetPrompt(ctx, "greet", nil)
		_, _ = c.ListResources(ctx, client.Cursor("next"))
		_, _ = c.ListResourceTemplates(ctx)
		_, _ = c.ReadResource(ctx, "file:///a b")
		_, _ = c.Complete(ctx, protocol.PromptRef("greet"), "who", "A", nil)
		for range c.Subscribe(ctx, everyList) {
			break
		}
	}
	ended, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = s.Await(ctx, protocol.MethodCallTool, 3)
		cancel()
	}()
	_, _ = c.CallTool(ended, "silent", nil)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// M-META-01, M-META-02, M-META-03, M-MSG-03, M-HTTP-01, M-HTTP-03, M-HTTP-05,
// M-HTTP-06, M-HTTP-07, M-HTTP-08, M-HTTP-09, M-TRN-01, B081, L-MSG-04, B-MSG-01,
// B-MSG-02, B-MSG-06: whatever a client says is one whole message of its era.
func TestEveryMessageIsWhole(t *testing.T) {
	silentThird := func(s fault.Script) fault.Script {
		done := fault.Answer{fault.Content("done")}
		return s.With(fault.Script{protocol.MethodCallTool: {done, done, {fault.Silence()}}})
	}
	eachWay(t, silentThird, func(t *testing.T, s *scripted, _ bool) {
		visitAll(t, s)
		ids := map[string]bool{}
		opened := false // by a legacy initialize
		for _, r := range s.Records() {
			if r.Body == "" || r.Key == fault.Left {
				continue
			}
			if _, err := protocol.Decode([]byte(r.Body)); err != nil || r.Key == fault.Response {
				t.Errorf("neither a request nor a notification: %s, %v", r.Body, err)
			}
			if notification := member(t, r.Body, "id") == ""; !notification {
				if n, err := strconv.ParseUint(r.ID, 10, 31); err != nil || n == 0 || ids[r.ID] {
					t.Errorf("%s has the id %s, which is none or not new: %v", r.Key, r.ID, err)
				}
				ids[r.ID] = true
			}
			if opened = opened || r.Key == protocol.MethodInitialize; opened {
				if got := member(t, r.Body, "params", "_meta", protocol.MetaProtocolVersion); got != "" {
					t.Errorf("a legacy %s has the version %s in _meta", r.Key, got)
				}
				continue
			}
			checkModern(t, r)
		}
		if n := len(ids); n < 2*9 {
			t.Errorf("%d requests came", n)
		}
	})
}

// checkModern checks what every modern message carries, in _meta and in headers.
func checkModern(t *testing.T, r fault.Record) {
	t.Helper()
	if r.Key == protocol.MethodCancelled {
		return // stdio's, which has no metadata
	}
	for key, want := range map[string]string{
		protocol.MetaProtocolVersion:    `"2026-07-28"`,
		protocol.MetaClientCapabilities: `{"sampling":{},"elicitation":{},"extensions":{"com.example/charts":{}}}`,
		protocol.MetaClientInfo:         `{"name":"mcpera","version":"` + client.Version + `"}`,
	} {
		if got := member(t, r.Body, "params", "_meta", key); got != want {
			t.Errorf("%s has %s %s, want %s", r.Key, key, got, want)
		}
	}
	if r.Header == nil {
		return
	}
	want := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {r.Key}}
	if name := map[string]string{
		protocol.MethodCallTool:     "=?base64?R3LDvMOfZQ==?=",
		protocol.MethodGetPrompt:    "greet",
		protocol.MethodReadResource: "file:///a b",
	}[r.Key]; name != "" {
		want.Set("Mcp-Name", name)
	}
	if member(t, r.Body, "params", "name") == `"silent"` {
		want.Set("Mcp-Name", "silent")
	}
	got := http.Header{}
	for name, values := range r.Header {
		if len(name) > 4 && name[:4] == "Mcp-" {
			got[name] = values
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers of %s (-want +got):\n%s", r.Key, diff)
	}
}

// B-MSG-01, B-STD-02: what is not UTF-8 is refused before it is sent, wherever it
// comes from.
func TestWhatIsNotUTF8IsNotSent(t *testing.T) {
	const bad = "a\xffb"
	eachWay(t, func(s fault.Script) fault.Script { return s }, func(t *testing.T, s *scripted, _ bool) {
		c := s.connected(t)
		if _, err := c.ListTools(t.Context()); err != nil { // after all that opens the connection
			t.Fatal(err)
		}
		opened := len(s.Methods())
		for name, ask := range map[string]func(context.Context) error{
			"an argument": func(ctx context.Context) error {
				_, err := c.CallTool(ctx, "echo", map[string]any{"a": bad})
				return err
			},
			"raw arguments": func(ctx context.Context) error {
				_, err := c.CallTool(ctx, "echo", []byte(`{"a":"`+bad+`"}`))
				return err
			},
			"half a pair": func(ctx context.Context) error {
				_, err := c.CallTool(ctx, "echo", []byte(`{"a":"\ud800"}`))
				return err
			},
			"a tool's name": func(ctx context.Context) error { _, err := c.CallTool(ctx, bad, nil); return err },
			"a URI":         func(ctx context.Context) error { _, err := c.ReadResource(ctx, "file:///"+bad); return err },
			"a cursor":      func(ctx context.Context) error { _, err := c.ListTools(ctx, client.Cursor(bad)); return err },
			"metadata": func(ctx context.Context) error {
				_, err := c.ListTools(ctx, client.Meta("com.example/a", bad))
				return err
			},
			"a prompt's word": func(ctx context.Context) error {
				_, err := c.GetPrompt(ctx, "p", map[string]string{"a": bad})
				return err
			},
		} {
			if ask(t.Context()) == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if got := s.Methods()[opened:]; len(got) > 0 {
			t.Errorf("sent %v", got)
		}
	})
}
