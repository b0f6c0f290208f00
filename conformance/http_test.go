package conformance

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

func TestModernStatus(t *testing.T) {
	for name, tc := range map[string]struct {
		err  *protocol.Error
		want int
	}{
		"a result is 200":               {nil, 200},
		"an unknown tool is 200":        {invalidParams("x"), 200},
		"an internal error is 200":      {internalError("x"), 200},
		"a header mismatch is 400":      {headerMismatch("x"), 400},
		"a missing capability is 400":   {missingCapability(tasksCapability), 400},
		"an unsupported version is 400": {unsupportedVersion("x", nil), 400},
		"an unknown method is 404":      {methodNotFound("x"), 404},
	} {
		t.Run(name, func(t *testing.T) {
			if got := modernStatus(tc.err); got != tc.want {
				t.Errorf("modernStatus = %d, want %d", got, tc.want)
			}
		})
	}
}

func TestModernResponses(t *testing.T) {
	e := serve(t)
	for name, tc := range map[string]struct {
		method, name, members string
		status                int
		code                  int64
	}{
		"a result":                                {"tools/list", "", "", 200, 0},
		"an unknown tool":                         {"tools/call", "none", `"name":"none"`, 200, -32602},
		"arguments that are no object":            {"tools/call", "echo", `"name":"echo","arguments":[1]`, 200, -32602},
		"arguments that do not fit":               {"tools/call", "echo", `"name":"echo","arguments":{"message":7}`, 200, -32602},
		"an unknown prompt":                       {"prompts/get", "none", `"name":"none"`, 200, -32602},
		"a prompt without a required argument":    {"prompts/get", "test_prompt_with_arguments", `"name":"test_prompt_with_arguments","arguments":{"arg1":"x"}`, 200, -32602},
		"a missing resource":                      {"resources/read", "test://none", `"uri":"test://none"`, 200, -32602},
		"a cursor that nobody gave out":           {"tools/list", "", `"cursor":"x"`, 200, -32602},
		"an unknown method":                       {"no/such", "", "", 404, -32601},
		"initialize":                              {"initialize", "", "", 404, -32601},
		"ping":                                    {"ping", "", "", 404, -32601},
		"logging/setLevel":                        {"logging/setLevel", "", `"level":"info"`, 404, -32601},
		"resources/subscribe":                     {"resources/subscribe", "", `"uri":"test://static-text"`, 404, -32601},
		"resources/unsubscribe":                   {"resources/unsubscribe", "", `"uri":"test://static-text"`, 404, -32601},
		"tasks/result":                            {"tasks/result", "", `"taskId":"x"`, 404, -32601},
		"tasks/list":                              {"tasks/list", "", "", 404, -32601},
		"a tool that needs an undeclared ability": {"tools/call", "test_missing_capability", `"name":"test_missing_capability"`, 400, -32021},
		"a tool that panics":                      {"tools/call", "test_panic", `"name":"test_panic"`, 200, -32603},
		"a completion of an unknown prompt":       {"completion/complete", "", `"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"a","value":""}`, 200, -32602},
		"a completion of an unknown kind":         {"completion/complete", "", `"ref":{"type":"ref/other"},"argument":{"name":"a","value":""}`, 200, -32602},
	} {
		t.Run(name, func(t *testing.T) {
			a := e.modern(tc.method, tc.name, tc.members)
			if a.Status != tc.status || a.code() != tc.code {
				t.Errorf("status %d, code %d, want %d and %d: %s", a.Status, a.code(), tc.status, tc.code, a.Body)
			}
			if got := a.Header.Get("Mcp-Protocol-Version"); got != "2026-07-28" {
				t.Errorf("version header = %q", got)
			}
			if a.Msg.ID.String() != "1" {
				t.Errorf("id = %s", a.Msg.ID)
			}
		})
	}
	t.Run("a notification is 202 without a body", func(t *testing.T) {
		body := strings.Replace(modernBody("notifications/cancelled", `"requestId":1`, emptyCaps), `"id":1,`, "", 1)
		if a := e.post(body, modernHeaders("notifications/cancelled", "")...); a.Status != 202 || a.Body != "" {
			t.Errorf("status %d, body %q", a.Status, a.Body)
		}
	})
}

func TestBodiesThatAreNoMessage(t *testing.T) {
	e := serve(t, WithMaxBody(1000))
	for name, tc := range map[string]struct {
		body, contentType string
		status            int
		code              int64
		id                string
	}{
		"broken JSON is -32700":             {body: `{"jsonrpc":`, status: 400, code: -32700, id: "null"},
		"a batch is -32600":                 {body: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, status: 400, code: -32600, id: "null"},
		"another jsonrpc is -32600":         {body: `{"jsonrpc":"1.0","id":7,"method":"ping"}`, status: 400, code: -32600, id: "7"},
		"a repeated name is -32700":         {body: `{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}`, status: 400, code: -32700, id: "null"},
		"a null id is -32600":               {body: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, status: 400, code: -32600, id: "null"},
		"an id that is an object is -32600": {body: `{"jsonrpc":"2.0","id":{},"method":"ping"}`, status: 400, code: -32600, id: "null"},
		"a body that is too long is 413":    {body: strings.Repeat(" ", 1001), status: 413, code: -32600, id: "null"},
		"a body of another type is 415":     {body: `{}`, contentType: "text/plain", status: 415, code: -32600, id: "null"},
	} {
		t.Run(name, func(t *testing.T) {
			var headers []string
			if tc.contentType != "" {
				headers = []string{"Content-Type", tc.contentType}
			}
			a := e.post(tc.body, headers...)
			if a.Status != tc.status || a.code() != tc.code || a.Msg.ID.String() != tc.id {
				t.Errorf("status %d, body %s", a.Status, a.Body)
			}
		})
	}
}

func TestGetAndDelete(t *testing.T) {
	const sse = "text/event-stream"
	stateful, stateless, modern := serve(t), serve(t, WithStateless()), serve(t, WithEra(Modern))
	for name, tc := range map[string]struct {
		e       *endpoint
		method  string
		headers []string
		status  int
		allow   string
	}{
		"GET describes the server":                      {stateful, "GET", nil, 200, ""},
		"GET without a session is 400":                  {stateful, "GET", []string{"Accept", sse}, 400, ""},
		"GET of an unknown session is 404":              {stateful, "GET", []string{"Accept", sse, headerSession, "x"}, 404, ""},
		"GET for an unspoken version is 400":            {stateful, "GET", []string{"Accept", sse, headerVersion, "2024-11-05"}, 400, ""},
		"GET of a stream without sessions is 405":       {stateless, "GET", []string{"Accept", sse}, 405, "POST, OPTIONS"},
		"GET of a stream from a modern server is 405":   {modern, "GET", []string{"Accept", sse}, 405, "POST, OPTIONS"},
		"GET still describes a server without sessions": {stateless, "GET", nil, 200, ""},
		"DELETE without a session is 400":               {stateful, "DELETE", nil, 400, ""},
		"DELETE of an unknown session is 404":           {stateful, "DELETE", []string{headerSession, "x"}, 404, ""},
		"DELETE without sessions is 405":                {stateless, "DELETE", []string{headerSession, "x"}, 405, "POST, OPTIONS"},
		"DELETE on a modern server is 405":              {modern, "DELETE", []string{headerSession, "x"}, 405, "POST, OPTIONS"},
		"PUT is 405":                                    {stateful, "PUT", nil, 405, "POST, GET, DELETE, OPTIONS"},
		"HEAD is 405":                                   {stateful, "HEAD", nil, 405, "POST, GET, DELETE, OPTIONS"},
	} {
		t.Run(name, func(t *testing.T) {
			a := tc.e.read(tc.e.do(tc.method, "", tc.headers...))
			if a.Status != tc.status || a.Header.Get("Allow") != tc.allow {
				t.Errorf("status %d, allow %q, want %d and %q", a.Status, a.Header.Get("Allow"), tc.status, tc.allow)
			}
		})
	}
}

func TestOriginAndHost(t *testing.T) {
	closed, open := serve(t), serve(t, WithCORS("https://app.example", "mcp-param-region"))
	for name, tc := range map[string]struct {
		e      *endpoint
		host   string
		origin string
		status int
	}{
		"no Origin is fine":                      {closed, "", "", 200},
		"a loopback Origin is fine":              {closed, "", "http://localhost:3000", 200},
		"a foreign Origin is 403":                {closed, "", "https://evil.example", 403},
		"an Origin of null is 403":               {closed, "", "null", 403},
		"a name that begins like one is 403":     {closed, "", "http://localhost.evil.example", 403},
		"a foreign Host is 403":                  {closed, "evil.example", "", 403},
		"localhost with a port is fine":          {closed, "localhost:80", "", 200},
		"an IPv6 loopback Host is fine":          {closed, "[::1]:80", "", 200},
		"the allowed Origin is fine":             {open, "", "https://app.example", 200},
		"another Origin than the allowed is 403": {open, "", "https://evil.example", 403},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), "GET", tc.e.http.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = tc.host
			if tc.origin != "" {
				req.Header.Set("Origin", tc.origin)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if a := tc.e.read(resp); a.Status != tc.status {
				t.Errorf("status %d, want %d", a.Status, tc.status)
			}
		})
	}
}

func TestCORS(t *testing.T) {
	t.Run("a preflight says what may be sent, without authentication", func(t *testing.T) {
		e := serve(t, WithCORS("https://app.example", "mcp-param-region"), WithBearerTokens(map[string]Principal{"t": {Name: "a"}}))
		a := e.read(e.do("OPTIONS", "", "Origin", "https://app.example", "Access-Control-Request-Method", "POST"))
		if a.Status != 204 {
			t.Errorf("status %d", a.Status)
		}
		for name, want := range map[string]string{
			"Access-Control-Allow-Origin":   "https://app.example",
			"Access-Control-Allow-Methods":  "POST, GET, DELETE, OPTIONS",
			"Access-Control-Allow-Headers":  "content-type, authorization, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, mcp-param-region",
			"Access-Control-Expose-Headers": "mcp-session-id, mcp-protocol-version, www-authenticate",
			"Vary":                          "Origin",
		} {
			if got := a.Header.Get(name); got != want {
				t.Errorf("%s = %q, want %q", name, got, want)
			}
		}
	})
	t.Run("an answer lets the page read it", func(t *testing.T) {
		e := serve(t, WithCORS("*"))
		a := e.post(modernBody("tools/list", "", emptyCaps), modernHeaders("tools/list", "", "Origin", "https://any.example")...)
		if got := a.Header.Get("Access-Control-Allow-Origin"); a.Status != 200 || got != "*" {
			t.Errorf("status %d, origin %q", a.Status, got)
		}
	})
	t.Run("there is none by default", func(t *testing.T) {
		e := serve(t)
		a := e.read(e.do("OPTIONS", "", "Origin", "http://localhost:1"))
		if a.Status != 204 || a.Header.Get("Access-Control-Allow-Origin") != "" || a.Header.Get("Access-Control-Allow-Headers") != "" {
			t.Errorf("status %d, headers %v", a.Status, a.Header)
		}
	})
}

func TestAClosedServerIsUnavailable(t *testing.T) {
	e := serve(t)
	e.srv.Close()
	if a := e.modern("tools/list", "", ""); a.Status != 503 {
		t.Errorf("status %d", a.Status)
	}
	if err := e.srv.ServeStdio(t.Context(), strings.NewReader(""), io.Discard); err == nil {
		t.Error("ServeStdio after Close: no error")
	}
}
