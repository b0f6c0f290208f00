package conformance

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpera/mcpera/protocol"
)

// twoPrincipals is a server with a tool, a resource and a prompt for admins.
func twoPrincipals(t *testing.T) *endpoint {
	return serve(t,
		WithBearerTokens(map[string]Principal{"alice-token": {Name: "alice", Scopes: []string{"admin"}}, "bob-token": {Name: "bob"}}),
		WithResourceMetadata("https://auth.example/meta"),
		WithTools(Tool{Definition: define("reset", "For admins.", ""), Scope: "admin",
			Run: func(context.Context, *Call) (*protocol.CallToolResult, error) { return Text("reset"), nil }}),
		WithResources(Resource{URI: "test://secret", Name: "secret", Scope: "admin", Read: TextResource("text/plain", "secret")}),
		WithPrompts(Prompt{Name: "secret", Scope: "admin", Get: func(context.Context, *Call) ([]PromptMessage, error) { return nil, nil }}),
	)
}

func TestAuthenticationComesBeforeTheEra(t *testing.T) {
	e := twoPrincipals(t)
	for name, tc := range map[string]struct {
		authorization, body, challenge string
	}{
		"no token, modern":             {"", modernBody("server/discover", "", emptyCaps), `Bearer realm="mcp", resource_metadata="https://auth.example/meta"`},
		"no token, legacy":             {"", initializeBody, `Bearer realm="mcp", resource_metadata="https://auth.example/meta"`},
		"no token, and one key only":   {"", request("tools/list", pv), `Bearer realm="mcp", resource_metadata="https://auth.example/meta"`},
		"a wrong token":                {"Bearer nobody", initializeBody, `Bearer realm="mcp", error="invalid_token", resource_metadata="https://auth.example/meta"`},
		"a token under another scheme": {"Basic alice-token", initializeBody, `Bearer realm="mcp", resource_metadata="https://auth.example/meta"`},
	} {
		t.Run(name, func(t *testing.T) {
			a := e.post(tc.body, "Authorization", tc.authorization)
			if a.Status != 401 || a.Header.Get("WWW-Authenticate") != tc.challenge {
				t.Errorf("status %d, challenge %q", a.Status, a.Header.Get("WWW-Authenticate"))
			}
		})
	}
	t.Run("the scheme is case-insensitive", func(t *testing.T) {
		a := e.post(modernBody("server/discover", "", emptyCaps), modernHeaders("server/discover", "", "Authorization", "bearer bob-token")...)
		if a.Status != 200 {
			t.Errorf("status %d", a.Status)
		}
	})
}

func TestInsufficientScopeIs403InBothEras(t *testing.T) {
	e := twoPrincipals(t)
	e.bearer = "bob-token"
	e.open()
	session := e.session
	e.session = ""
	for name, a := range map[string]answer{
		"a modern tool":     e.call("reset", "{}"),
		"a modern resource": e.modern("resources/read", "test://secret", `"uri":"test://secret"`),
		"a modern prompt":   e.modern("prompts/get", "secret", `"name":"secret"`),
		"a legacy tool":     e.post(legacyBody("tools/call", `{"name":"reset"}`), headerSession, session),
		"a legacy resource": e.post(legacyBody("resources/read", `{"uri":"test://secret"}`), headerSession, session),
	} {
		t.Run(name, func(t *testing.T) {
			want := `Bearer realm="mcp", error="insufficient_scope", scope="admin", resource_metadata="https://auth.example/meta"`
			if a.Status != 403 || a.code() != -32000 || a.Header.Get("WWW-Authenticate") != want {
				t.Errorf("status %d, challenge %q, body %s", a.Status, a.Header.Get("WWW-Authenticate"), a.Body)
			}
		})
	}
	e.bearer = "alice-token"
	if a := e.call("reset", "{}"); a.Status != 200 || a.code() != 0 {
		t.Errorf("with the scope: status %d, body %s", a.Status, a.Body)
	}
}

func TestASessionBelongsToItsPrincipal(t *testing.T) {
	e := twoPrincipals(t)
	e.bearer = "alice-token"
	e.open()
	modern := modernBody("tools/list", "", emptyCaps)
	t.Run("its owner may name it in a modern request, where it is ignored", func(t *testing.T) {
		a := e.post(modern, modernHeaders("tools/list", "")...)
		if a.Status != 200 || a.Header.Get(headerSession) != "" {
			t.Errorf("status %d, session %q", a.Status, a.Header.Get(headerSession))
		}
	})
	e.bearer = "bob-token"
	for name, a := range map[string]answer{
		"not someone else in a modern request": e.post(modern, modernHeaders("tools/list", "")...),
		"not someone else in a legacy request": e.post(legacyBody("tools/list", "{}")),
		"not someone else to end it":           e.read(e.do("DELETE", "")),
		"not someone else to read its stream":  e.read(e.do("GET", "", "Accept", "text/event-stream")),
	} {
		t.Run(name, func(t *testing.T) {
			if a.Status != 400 || a.code() != -32600 {
				t.Errorf("status %d, body %s", a.Status, a.Body)
			}
		})
	}
	t.Run("an unknown session in a modern request is ignored", func(t *testing.T) {
		if a := e.post(modern, modernHeaders("tools/list", "", headerSession, "no-such")...); a.Status != 200 {
			t.Errorf("status %d", a.Status)
		}
	})
}

func TestToolsSeeThePrincipal(t *testing.T) {
	e := twoPrincipals(t)
	e.bearer = "bob-token"
	if a := e.call("whoami", "{}"); !strings.Contains(a.Body, `"principal":"bob"`) {
		t.Errorf("body %s", a.Body)
	}
}
