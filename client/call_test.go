package client_test

import (
	stdjson "encoding/json"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/conformance/fault"
	"github.com/mcpera/mcpera/protocol"
	"github.com/mcpera/mcpera/transport"
	mcphttp "github.com/mcpera/mcpera/transport/http"
	"github.com/mcpera/mcpera/transport/stdio"
)

// B088, B089: numbers and order of raw arguments are the caller's.
func TestArgumentsTravelAsGiven(t *testing.T) {
	const raw = `{"z":9223372036854775807,"a":{"id":9007199254740993},"ratio":1e400}`
	type place struct {
		City string `json:"city"`
		Days int    `json:"days,omitempty"`
	}
	for name, tc := range map[string]struct {
		args any
		want string
	}{
		"nothing":           {nil, `{}`},
		"a map":             {map[string]any{"b": 1, "a": "x"}, `{"a":"x","b":1}`},
		"an empty map":      {map[string]any(nil), `{}`},
		"a struct":          {place{City: "Oslo"}, `{"city":"Oslo"}`},
		"a pointer":         {&place{City: "Oslo", Days: 2}, `{"city":"Oslo","days":2}`},
		"JSON text":         {[]byte(raw), raw},
		"a jsontext.Value":  {jsontext.Value(raw), raw},
		"a json.RawMessage": {stdjson.RawMessage(raw), raw},
		"raw inside a map":  {map[string]any{"v": jsontext.Value(`12345678901234567890`)}, `{"v":12345678901234567890}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for era, script := range map[string]fault.Script{"modern": fault.Modern(), "legacy": fault.Legacy("2025-11-25")} {
				s := overHTTP(t, script)
				if _, err := s.connected(t).CallTool(t.Context(), "echo", tc.args); err != nil {
					t.Errorf("%s: %v", era, err)
					continue
				}
				if got := member(t, s.await(t, protocol.MethodCallTool, 1).Body, "params", "arguments"); got != tc.want {
					t.Errorf("%s: sent %s, want %s", era, got, tc.want)
				}
			}
		})
	}
}

// A bad answer is its call's alone: it comes back at once, and the connection
// goes on.
func TestABadAnswerFailsItsCallAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		want   string
	}{
		"a JSON-RPC error":                      {fault.Answer{fault.Error(-32602, "limit must be > 0")}, "tools/call server error -32602"},
		"an error with status 400":              {fault.Answer{fault.Status(400), fault.Error(-32602, "no")}, "tools/call server error -32602"},
		"an application error 404":              {fault.Answer{fault.Error(404, "row not found")}, "tools/call server error 404"},
		"an error on a stream that stays":       {fault.Answer{fault.Stream(), fault.Error(-32601, "no"), fault.Silence()}, "tools/call server error -32601"},
		"a result of a wrong shape (B038)":      {fault.Answer{fault.Result(`{"content":"not-a-list"}`)}, "tools/call unusable"},
		"a result that is null":                 {fault.Answer{fault.Result(`null`)}, "tools/call unusable"},
		"a result that is a list":               {fault.Answer{fault.Result(`[]`)}, "tools/call unusable"},
		"an unknown resultType":                 {fault.Answer{fault.Result(`{"resultType":"later","content":[]}`)}, "tools/call unusable"},
		"a result on a stream of a wrong shape": {fault.Answer{fault.Stream(), fault.Result(`{"content":7}`)}, "tools/call unusable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, fault.Modern().With(fault.Script{protocol.MethodCallTool: {tc.answer, {fault.Content("done")}}}), func(t *testing.T, s *scripted) {
				c := s.connected(t)
				_, err := c.CallTool(t.Context(), "echo", nil)
				if got := kindOf(err); got != tc.want {
					t.Errorf("CallTool: %s, want %s (%v)", got, tc.want, err)
				}
				if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
					t.Errorf("the next call: %v, %v", r, err)
				}
			})
		})
	}
}

// What only HTTP can do to an answer.
func TestABadHTTPAnswerFailsItsCallAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		answer fault.Answer
		want   string
	}{
		"no JSON":                        {fault.Answer{fault.Header("Content-Type", "application/json"), fault.Raw("oops")}, "tools/call unusable"},
		"no message":                     {fault.Answer{fault.Message(`{"foo":1}`)}, "tools/call unusable"},
		"a wrong-case name (B090)":       {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":${id},"Result":{"content":[]}}`)}, "tools/call unusable"},
		"a name said twice":              {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":${id},"result":{},"result":{"content":[]}}`)}, "tools/call unusable"},
		"another id":                     {fault.Answer{fault.Message(`{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}`)}, "tools/call unusable"},
		"a batch (B040)":                 {fault.Answer{fault.Message(`[{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}]`)}, "tools/call unusable"},
		"an error without an id (B039)":  {fault.Answer{fault.Status(400), fault.Message(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}`)}, "tools/call server error -32700"},
		"a page (B057)":                  {fault.Answer{fault.Header("Content-Type", "text/html"), fault.Raw("<html>")}, "tools/call status 200"},
		"404 with text":                  {fault.Answer{fault.Status(404), fault.Raw("gone")}, "tools/call status 404"},
		"a redirect elsewhere (B132)":    {fault.Answer{fault.Status(307), fault.Header("Location", "http://127.0.0.1:1/mcp")}, "tools/call status 307"},
		"a redirect by GET (B133)":       {fault.Answer{fault.Status(302), fault.Header("Location", "/mcp/")}, "tools/call status 302"},
		"a redirect to a file (B135)":    {fault.Answer{fault.Status(307), fault.Header("Location", "file:///etc/passwd")}, "tools/call status 307"},
		"a huge message":                 {fault.Answer{fault.Result(`{"padding":"${fill:70000}"}`)}, "tools/call unusable"},
		"a huge event":                   {fault.Answer{fault.Stream(), fault.Result(`{"padding":"${fill:70000}"}`)}, "tools/call unusable"},
		"an endless body":                {fault.Answer{fault.Header("Content-Type", "application/json"), fault.Forever("x")}, "tools/call unusable"},
		"an endless event":               {fault.Answer{fault.Stream(), fault.Raw("data: "), fault.Forever("x")}, "tools/call unusable"},
		"401":                            {fault.Answer{fault.Status(401)}, "auth 401"},
		"503":                            {fault.Answer{fault.Status(503)}, "unavailable 503 after 1"},
		"a reset (B017)":                 {fault.Answer{fault.Reset()}, "unavailable 0 after 1"},
		"half a body":                    {fault.Answer{fault.Cut(20), fault.Content("done")}, "unavailable 200 after 1"},
		"a stream without an end (B037)": {fault.Answer{fault.Stream(), fault.Raw(": hello\n\n")}, "unavailable 200 after 1"},
		"half an event":                  {fault.Answer{fault.Stream(), fault.Cut(-20), fault.Content("done")}, "unavailable 200 after 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := fault.Modern().With(fault.Script{protocol.MethodCallTool: {tc.answer, {fault.Content("done")}}})
			s := overHTTP(t, script, mcphttp.WithMaxMessage(64<<10))
			c := s.connected(t)
			_, err := c.CallTool(t.Context(), "echo", nil)
			if got := kindOf(err); got != tc.want {
				t.Errorf("CallTool: %s, want %s (%v)", got, tc.want, err)
			}
			if n := s.Count(protocol.MethodCallTool); n != 1 {
				t.Errorf("the tool was called %d times", n)
			}
			if n := s.Count(fault.GET); n != 0 {
				t.Errorf("%d GETs", n)
			}
			if r, err := c.CallTool(t.Context(), "echo", nil); err != nil || r.Text() != "done" {
				t.Errorf("the next call: %v, %v", r, err)
			}
		})
	}
}

// B041: whoever handles the error has all of it.
func TestAServersErrorIsWholeWhateverTheStatus(t *testing.T) {
	s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodCallTool: {
		{fault.Status(400), fault.Error(-32602, "limit must be > 0", `{"field":"limit"}`)},
	}}))
	_, err := s.connected(t).CallTool(t.Context(), "echo", nil)
	server, ok := errors.AsType[*protocol.Error](err)
	if !ok || server.Code != -32602 || server.Message != "limit must be > 0" || string(server.Data) != `{"field":"limit"}` {
		t.Errorf("the server's error is %+v", server)
	}
	if e, ok := errors.AsType[*transport.ServerError](err); !ok || e.Status != 400 {
		t.Errorf("CallTool: %#v", err)
	}
	if !errors.Is(err, protocol.ErrInvalidParams) {
		t.Error("the error does not match by code")
	}
}

// B053: a server that never ends its line ends the connection, not the memory.
func TestAnEndlessLineEndsTheConnection(t *testing.T) {
	s := overStdio(t, fault.Modern().With(fault.Script{protocol.MethodCallTool: {{fault.Forever("xxxxxxxx")}}}), stdio.WithMaxMessage(64<<10))
	_, err := s.connected(t).CallTool(t.Context(), "echo", nil)
	limit, ok := errors.AsType[*transport.LimitError](err)
	if !ok || limit.Limit != 64<<10 {
		t.Errorf("CallTool: %v", err)
	}
	s.await(t, fault.Gone, 1)
}

// B052, B050: what is large but within the limit is no fault.
func TestLargeAnswersArrive(t *testing.T) {
	script := fault.Modern().With(fault.Script{protocol.MethodCallTool: {
		{fault.Result(`{"content":[],"padding":"${fill:5000000}"}`)},
		{fault.Stream(), fault.Result(`{"content":[],"padding":"${fill:5000000}"}`)},
		{fault.Stream(), fault.Slow(0), fault.Content("done")},
	}})
	overBoth(t, script, func(t *testing.T, s *scripted) {
		c := s.connected(t)
		for n := range 3 {
			if _, err := c.CallTool(t.Context(), "echo", nil); err != nil {
				t.Errorf("call %d: %v", n+1, err)
			}
		}
	})
}

// B134: a redirect within the origin keeps method and body.
func TestARedirectWithinTheOriginIsFollowed(t *testing.T) {
	for _, status := range []int{307, 308} {
		s := overHTTP(t, fault.Modern().With(fault.Script{protocol.MethodCallTool: {
			{fault.Status(status), fault.Header("Location", "/mcp/")}, {fault.Content("done")},
		}}))
		if r, err := s.connected(t).CallTool(t.Context(), "echo", map[string]int{"a": 1}); err != nil || r.Text() != "done" {
			t.Errorf("%d: %v, %v", status, r, err)
		}
		first, second := s.await(t, protocol.MethodCallTool, 1), s.await(t, protocol.MethodCallTool, 2)
		if diff := cmp.Diff(first.Body, second.Body); diff != "" {
			t.Errorf("%d: bodies (-first +second):\n%s", status, diff)
		}
	}
}
