package conformance

import (
	"strings"
	"testing"
)

func TestEraOption(t *testing.T) {
	both, modern, legacy := serve(t), serve(t, WithEra(Modern)), serve(t, WithEra(Legacy))
	stateless := serve(t, WithEra(Legacy), WithStateless())
	discover := modernBody("server/discover", "", emptyCaps)
	for name, tc := range map[string]struct {
		e       *endpoint
		body    string
		headers []string
		status  int
		code    int64
		has     string
	}{
		"both: discover":                     {both, discover, modernHeaders("server/discover", ""), 200, 0, `["2026-07-28","2025-11-25","2025-06-18"]`},
		"both: a bare discover":              {both, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, nil, 200, 0, "supportedVersions"},
		"both: discover that lost its _meta": {both, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`, modernHeaders("server/discover", ""), 400, -32602, "protocolVersion"},
		"both: initialize":                   {both, initializeBody, nil, 200, 0, `"protocolVersion":"2025-11-25"`},
		"modern: discover":                   {modern, discover, modernHeaders("server/discover", ""), 200, 0, `["2026-07-28"]`},
		"modern: initialize names versions":  {modern, initializeBody, nil, 400, -32022, `{"supported":["2026-07-28"],"requested":"2025-11-25"}`},
		"modern: a call without _meta":       {modern, legacyBody("tools/list", "{}"), nil, 400, -32602, "protocolVersion"},
		"modern: a legacy notification":      {modern, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, 0, ""},
		"modern: a response":                 {modern, `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, -32600, ""},
		"legacy: a modern probe":             {legacy, discover, modernHeaders("server/discover", ""), 400, -32600, `{"supported":["2025-11-25","2025-06-18"]}`},
		"legacy: a bare discover":            {legacy, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, nil, 400, -32600, ""},
		"legacy: initialize":                 {legacy, initializeBody, nil, 200, 0, `"protocolVersion":"2025-11-25"`},
		"legacy, stateless: a bare discover": {stateless, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, nil, 200, -32601, ""},
		"legacy, stateless: modern metadata": {stateless, modernBody("tools/list", "", emptyCaps), nil, 200, 0, `"tools"`},
	} {
		t.Run(name, func(t *testing.T) {
			a := tc.e.post(tc.body, tc.headers...)
			if a.Status != tc.status || a.code() != tc.code || !strings.Contains(a.Body, tc.has) {
				t.Errorf("status %d, body %s", a.Status, a.Body)
			}
		})
	}
}

func TestVersionsOption(t *testing.T) {
	t.Run("a server may speak old versions only", func(t *testing.T) {
		e := serve(t, WithVersions("2024-11-05"))
		if got := string(e.post(initializeBody).result(t, "protocolVersion")); got != `"2024-11-05"` {
			t.Errorf("protocolVersion = %s", got)
		}
	})
	t.Run("a server may speak versions to come", func(t *testing.T) {
		e := serve(t, WithVersions("2027-01-01"))
		body := strings.ReplaceAll(modernBody("tools/list", "", emptyCaps), "2026-07-28", "2027-01-01")
		if a := e.post(body, "MCP-Protocol-Version", "2027-01-01", "Mcp-Method", "tools/list"); a.Status != 200 {
			t.Errorf("status %d, body %s", a.Status, a.Body)
		}
		if a := e.modern("tools/list", "", ""); a.code() != -32022 {
			t.Errorf("body %s", a.Body)
		}
	})
	t.Run("no version at all is a panic", func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		New(WithEra(Modern), WithVersions("2025-11-25"))
	})
}

func TestOptionsOutOfRangePanic(t *testing.T) {
	for name, option := range map[string]func(){
		"page size":       func() { WithPageSize(0) },
		"cache TTL":       func() { WithCacheHint(CacheHint{TTL: -1}) },
		"body limit":      func() { WithMaxBody(0) },
		"stream limit":    func() { WithMaxStreams(0) },
		"keep-alive":      func() { WithKeepAlive(0) },
		"stream lifetime": func() { WithStreamLifetime(-1) },
		"cancel timeout":  func() { WithCancelTimeout(0) },
		"retry":           func() { WithRetry(0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			option()
		})
	}
}

func TestEraString(t *testing.T) {
	for era, want := range map[Era]string{Both: "both", Modern: "modern", Legacy: "legacy"} {
		if got := era.String(); got != want {
			t.Errorf("%d = %q, want %q", era, got, want)
		}
	}
}
