package conformance

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpera/mcpera/protocol"
)

func TestEveryModernResultSaysWhatItIsAndWhoSentIt(t *testing.T) {
	e := serve(t, WithServerInfo("srv", "9"))
	cached := map[string]bool{"server/discover": true, "tools/list": true, "prompts/list": true, "resources/list": true, "resources/templates/list": true, "resources/read": true}
	for method, tc := range map[string]struct{ name, members string }{
		"server/discover":          {},
		"tools/list":               {},
		"prompts/list":             {},
		"resources/list":           {},
		"resources/templates/list": {},
		"resources/read":           {"test://static-text", `"uri":"test://static-text"`},
		"tools/call":               {"echo", `"name":"echo","arguments":{"message":"x"}`},
		"prompts/get":              {"test_simple_prompt", `"name":"test_simple_prompt"`},
		"completion/complete":      {"", `"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"par"}`},
	} {
		t.Run(method, func(t *testing.T) {
			a := e.modern(method, tc.name, tc.members)
			if got := string(a.result(t, "resultType")); got != `"complete"` {
				t.Errorf("resultType = %s", got)
			}
			if got := string(a.result(t, "_meta")); got != `{"io.modelcontextprotocol/serverInfo":{"name":"srv","version":"9"}}` {
				t.Errorf("_meta = %s", got)
			}
			hinted := string(a.result(t, "ttlMs")) == "60000" && string(a.result(t, "cacheScope")) == `"private"`
			if hinted != cached[method] {
				t.Errorf("cache hint: %v, want %v", hinted, cached[method])
			}
		})
	}
}

func TestMetaOfAToolResult(t *testing.T) {
	e := serve(t, WithTools(tool("with_meta", func(context.Context, *Call) (*protocol.CallToolResult, error) {
		r := Text("x")
		r.Meta = protocol.Meta(`{"own":1,"shared":"tool"}`)
		return r, nil
	})))
	const request = `"shared":"client","asked":2`
	t.Run("the modern era does not echo the request's", func(t *testing.T) {
		a := e.call("with_meta", "{}", request)
		want := `{"own":1,"shared":"tool","io.modelcontextprotocol/serverInfo":{"name":"mcpera-reference-server","version":"1.0.0"}}`
		if got := string(a.result(t, "_meta")); got != want {
			t.Errorf("_meta = %s, want %s", got, want)
		}
	})
	e.open()
	t.Run("the legacy era does, and the tool's own keys win", func(t *testing.T) {
		a := e.post(legacyBody("tools/call", `{"name":"with_meta","_meta":{`+request+`}}`))
		if got, want := string(a.result(t, "_meta")), `{"shared":"tool","asked":2,"own":1}`; got != want {
			t.Errorf("_meta = %s, want %s", got, want)
		}
	})
	t.Run("other legacy results have none", func(t *testing.T) {
		a := e.post(legacyBody("tools/list", `{"_meta":{`+request+`}}`))
		if a.result(t, "_meta") != nil || a.result(t, "resultType") != nil || a.result(t, "ttlMs") != nil {
			t.Errorf("body %.300s", a.Body)
		}
	})
}

func TestInstructionsComeFromBothOpenings(t *testing.T) {
	e, quiet := serve(t, WithInstructions("Use search before fetch.")), serve(t)
	for name, a := range map[string]answer{"discover": e.modern("server/discover", "", ""), "initialize": e.post(initializeBody)} {
		if got := string(a.result(t, "instructions")); got != `"Use search before fetch."` {
			t.Errorf("%s: instructions = %s", name, got)
		}
	}
	for name, a := range map[string]answer{"discover": quiet.modern("server/discover", "", ""), "initialize": quiet.post(initializeBody)} {
		if got := a.result(t, "instructions"); got != nil {
			t.Errorf("%s without instructions: %s", name, got)
		}
	}
}

func TestCapabilities(t *testing.T) {
	e := serve(t)
	for name, tc := range map[string]struct {
		a    answer
		want string
	}{
		"modern": {e.modern("server/discover", "", ""), `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"logging":{},"completions":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`},
		"legacy": {e.post(initializeBody), `{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"logging":{},"completions":{}}`},
	} {
		if got := string(tc.a.result(t, "capabilities")); got != tc.want {
			t.Errorf("%s capabilities = %s, want %s", name, got, tc.want)
		}
	}
}

func TestToolsSeeWhoIsCalling(t *testing.T) {
	e := serve(t)
	seen := func(a answer) map[string]jsontext.Value {
		return decode[map[string]jsontext.Value](t, a.result(t, "structuredContent"))
	}
	modern := seen(e.call("whoami", "{}", `"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}`,
		`"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`, `"tracestate":7`, `"baggage":"a=b"`))
	e.open()
	legacy := seen(e.post(legacyBody("tools/call", `{"name":"whoami"}`)))
	for name, tc := range map[string]struct{ got, want jsontext.Value }{
		"the modern era":     {modern["era"], jsontext.Value(`"modern"`)},
		"the modern version": {modern["version"], jsontext.Value(`"2026-07-28"`)},
		"the modern client":  {modern["client"], jsontext.Value(`{"name":"c","version":"1"}`)},
		"trace context that is well-formed, and no other": {modern["trace"], jsontext.Value(`{"baggage":"a=b","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`)},
		"the legacy era":          {legacy["era"], jsontext.Value(`"legacy"`)},
		"the legacy version":      {legacy["version"], jsontext.Value(`"2025-11-25"`)},
		"the legacy client":       {legacy["client"], jsontext.Value(`{"name":"test","version":"0"}`)},
		"the legacy capabilities": {legacy["capabilities"], jsontext.Value(`{"sampling":{},"elicitation":{},"roots":{}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(string(tc.want), string(tc.got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestListHint(t *testing.T) {
	def := CacheHint{TTL: time.Minute, Scope: Public}
	hint := func(ttl time.Duration, scope string) hinted { return hinted{&CacheHint{TTL: ttl, Scope: scope}, ""} }
	for name, tc := range map[string]struct {
		items []hinted
		want  CacheHint
	}{
		"an empty list has the default":                {nil, def},
		"items without a hint have the default":        {[]hinted{{}, {}}, def},
		"the shortest TTL counts":                      {[]hinted{{}, hint(5*time.Second, Public), hint(time.Hour, Public)}, CacheHint{5 * time.Second, Public}},
		"a longer TTL than the default does not count": {[]hinted{hint(time.Hour, Public), {}}, def},
		"one private item makes the list private":      {[]hinted{{}, hint(time.Hour, Private)}, CacheHint{time.Minute, Private}},
		"an item without a scope is private":           {[]hinted{hint(time.Hour, "")}, CacheHint{time.Hour, Private}},
		"an item for some principals is private":       {[]hinted{{}, {nil, "admin"}}, CacheHint{time.Minute, Private}},
		"even if it says public":                       {[]hinted{{&CacheHint{time.Minute, Public}, "admin"}}, CacheHint{time.Minute, Private}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, listHint(tc.items, def)); diff != "" {
				t.Errorf("hint (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAResourceHasItsOwnHint(t *testing.T) {
	e := serve(t, WithCacheHint(CacheHint{TTL: time.Hour, Scope: Public}),
		WithResources(Resource{URI: "test://short", Name: "short", Cache: &CacheHint{TTL: 1500 * time.Millisecond, Scope: Public}, Read: TextResource("text/plain", "x")}))
	for uri, want := range map[string]string{"test://short": "1500", "test://static-text": "3600000", "test://template/1/data": "3600000"} {
		a := e.modern("resources/read", uri, `"uri":"`+uri+`"`)
		if got := string(a.result(t, "ttlMs")); got != want || string(a.result(t, "cacheScope")) != `"public"` {
			t.Errorf("%s: ttlMs = %s, want %s", uri, got, want)
		}
	}
	if a := e.modern("resources/list", "", ""); string(a.result(t, "ttlMs")) != "1500" {
		t.Errorf("the list: %s", a.result(t, "ttlMs"))
	}
}

func TestPages(t *testing.T) {
	e := serve(t, WithoutFixtures(), WithPageSize(2), WithTools(
		tool("a", showArguments), tool("b", showArguments), tool("c", showArguments), tool("d", showArguments), tool("e", showArguments)))
	var pages []string
	for cursor := ""; ; {
		a := e.modern("tools/list", "", cursor)
		names := ""
		for _, tl := range decode[[]protocol.Tool](t, a.result(t, "tools")) {
			names += tl.Name
		}
		pages = append(pages, names)
		next := a.result(t, "nextCursor")
		if next == nil {
			break
		}
		cursor = `"cursor":` + string(next)
	}
	if got := strings.Join(pages, " "); got != "ab cd e" {
		t.Errorf("pages = %q", got)
	}
	t.Run("a cursor beyond the end is refused", func(t *testing.T) {
		if a := e.modern("tools/list", "", `"cursor":"`+encodeCursor(99)+`"`); a.code() != -32602 {
			t.Errorf("body %s", a.Body)
		}
	})
	t.Run("lists of nothing are lists", func(t *testing.T) {
		if a := e.modern("prompts/list", "", ""); string(a.result(t, "prompts")) != "[]" {
			t.Errorf("body %s", a.Body)
		}
	})
}

func TestItemsReplaceAndVanish(t *testing.T) {
	e := serve(t, WithTools(Tool{Definition: define("echo", "Another.", ""), Run: func(context.Context, *Call) (*protocol.CallToolResult, error) {
		return Text("replaced"), nil
	}}))
	wantText(t, e.call("echo", "{}"), "replaced")
	if !e.srv.RemoveTool("echo") || e.srv.RemoveTool("echo") {
		t.Error("RemoveTool does not say whether there was one")
	}
	if a := e.call("echo", "{}"); a.code() != -32602 {
		t.Errorf("after removal: %s", a.Body)
	}
	if !e.srv.RemovePrompt("test_simple_prompt") || !e.srv.RemoveResource("test://static-text") || e.srv.RemoveResource("test://static-text") {
		t.Error("a prompt or resource did not go")
	}
}

func TestMatchTemplate(t *testing.T) {
	for name, tc := range map[string]struct {
		template, uri string
		want          map[string]string
	}{
		"a variable inside":           {"t://{id}/data", "t://7/data", map[string]string{"id": "7"}},
		"a variable at the end":       {"t://{id}", "t://7", map[string]string{"id": "7"}},
		"two variables":               {"t://{a}-{b}", "t://x-y", map[string]string{"a": "x", "b": "y"}},
		"no variable":                 {"t://x", "t://x", map[string]string{}},
		"a variable takes no slash":   {"t://{id}", "t://7/8", nil},
		"a variable is not empty":     {"t://{id}/data", "t:///data", nil},
		"other text":                  {"t://{id}/data", "t://7/date", nil},
		"text left over":              {"t://x", "t://xy", nil},
		"a brace that does not close": {"t://{id", "t://7", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := matchTemplate(tc.template, tc.uri)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("variables (-want +got):\n%s", diff)
			}
		})
	}
}

func TestASeedFixesIDs(t *testing.T) {
	first, second, other := newIDSource("s"), newIDSource("s"), newIDSource("t")
	a, b := first.next(), first.next()
	if a == b || a != second.next() || a == other.next() {
		t.Errorf("ids %s, %s", a, b)
	}
	if x, y := newIDSource("").next(), newIDSource("").next(); x == y {
		t.Errorf("two random ids are %s", x)
	}
}

func TestAnEmptyResourceIsAnEmptyText(t *testing.T) {
	e := serve(t, WithResources(Resource{URI: "test://empty", Name: "empty", Read: TextResource("text/plain", "")}))
	a := e.modern("resources/read", "test://empty", `"uri":"test://empty"`)
	if got := string(a.result(t, "contents")); got != `[{"uri":"test://empty","mimeType":"text/plain","text":""}]` {
		t.Errorf("contents = %s", got)
	}
}

func TestAToolWithoutASchemaTakesAnyObject(t *testing.T) {
	e := serve(t, WithoutFixtures(), WithTools(Tool{Definition: protocol.Tool{Name: "t"}, Run: showArguments}))
	if got := string(e.modern("tools/list", "", "").result(t, "tools")); got != `[{"name":"t","inputSchema":{"type":"object"}}]` {
		t.Errorf("tools = %s", got)
	}
	wantText(t, e.call("t", `{"any":1}`), `{"any":1}`)
}
